// Who may ask: whoever was told the address. It holds a secret, and a request has to be for this very server, so that
// neither a page of another origin nor a name that was made to point here gets anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ascribe::core::serve {

// A request before its body is read. What is not there is empty.
struct Knock {
  std::string method, path;
  std::string host, origin, fetch_site, content_type, content_length, transfer_encoding;
};

struct Gate {
  std::string token;  // new_token
  int port = 0;
  size_t most_bytes = size_t{64} << 20;  // of a body

  std::string address() const;  // to be opened: "http://127.0.0.1:8000/TOKEN/"
  // 200: may come in; otherwise the status with which it is sent away, with nothing else.
  int check(const Knock& knock) const;
  // Behind the token: "explain" of "/TOKEN/explain"; only of a path that was let in.
  std::string_view place(std::string_view path) const;
};

// 192 bits from the system's source of random numbers, as letters that need no escaping.
std::string new_token();

}  // namespace ascribe::core::serve
