// Who is let in.
#include "serve/gate.h"

#include <set>

#include <gtest/gtest.h>

#include "serve/viewer.h"

namespace ascribe::core::serve {
namespace {

TEST(Gate, LetsThePageIn) {
  EXPECT_EQ(test_gate().check(knock("", "GET")), 200);
  EXPECT_EQ(test_gate().check(knock("predict")), 200);
  Knock file = knock("file");
  file.content_type = "application/octet-stream";
  EXPECT_EQ(test_gate().check(file), 200);
}

TEST(Gate, RefusesEveryAddressWithoutTheToken) {
  const std::string token = kToken;
  std::string other = token;
  other.back() = other.back() == '0' ? '1' : '0';
  for (const std::string& path :
       {std::string("/"), std::string(""), "/" + other + "/", "/" + token, token + "/", "//" + token + "/",
        "/" + token.substr(1) + "/", "/" + token + "0/", std::string("/predict"), "/x/" + token + "/"}) {
    Knock one = knock("", "GET");
    one.path = path;
    EXPECT_EQ(test_gate().check(one), 403) << path;
  }
  Gate open;  // a server that was given no token lets nobody in
  open.port = 8000;
  Knock one = knock("", "GET");
  one.path = "//";
  EXPECT_EQ(open.check(one), 403);
}

// A name that an attacker controls can be made to point at 127.0.0.1.
TEST(Gate, RefusesOtherHosts) {
  for (const char* host : {"", "evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "localhost",
                           "127.0.0.1:8000.evil.example", "0.0.0.0:8000", "[::1]:8000"}) {
    Knock one = knock("", "GET");
    one.host = host;
    EXPECT_EQ(test_gate().check(one), 403) << host;
  }
  Knock local = knock("", "GET");
  local.host = "localhost:8000";
  EXPECT_EQ(test_gate().check(local), 200);
}

TEST(Gate, RefusesQuestionsOfOtherOrigins) {
  for (const char* origin : {"", "null", "http://evil.example", "https://127.0.0.1:8000", "http://127.0.0.1:8001",
                             "http://localhost:8000"}) {
    Knock one = knock("predict");
    one.origin = origin;
    EXPECT_EQ(test_gate().check(one), 403) << origin;
  }
  for (const char* site : {"cross-site", "same-site"}) {
    Knock one = knock("", "GET");
    one.fetch_site = site;
    EXPECT_EQ(test_gate().check(one), 403) << site;
  }
}

TEST(Gate, TakesNothingThatAFormCouldSend) {
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                           "application/jsonx"}) {
    Knock one = knock("predict");
    one.content_type = type;
    EXPECT_EQ(test_gate().check(one), 415) << type;
  }
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "PATCH", "HEAD"}) {
    EXPECT_EQ(test_gate().check(knock("predict", method)), 405) << method;
  }
}

TEST(Gate, TakesBodiesOfKnownAndBoundedLength) {
  Knock one = knock("file");
  one.content_length = std::to_string((size_t{64} << 20) + 1);
  EXPECT_EQ(test_gate().check(one), 413);
  one.content_length = "99999999999999999999999999";
  EXPECT_EQ(test_gate().check(one), 413);
  one.content_length = "-1";
  EXPECT_EQ(test_gate().check(one), 413);
  one.content_length = "";
  EXPECT_EQ(test_gate().check(one), 411);
  one.content_length = "5";
  one.transfer_encoding = "chunked";
  EXPECT_EQ(test_gate().check(one), 411);
}

TEST(Gate, TokensAreLongAndDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string token = new_token();
    EXPECT_EQ(token.size(), 48U);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_TRUE(seen.insert(token).second);
  }
}

}  // namespace
}  // namespace ascribe::core::serve
