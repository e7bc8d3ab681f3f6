// The server at a socket, with clients that do as they please.
#include "serve/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>

#include "serve/viewer.h"
#include "support/errors.h"

namespace ascribe::core::serve {
namespace {

class Client {
 public:
  explicit Client(int port, const char* host = "127.0.0.1") : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    ::inet_pton(AF_INET, host, &address.sin_addr);
    connected = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(std::string_view text) const { static_cast<void>(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL)); }
  // Until the server closes.
  std::string rest() const {
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = ::recv(socket_, part.data(), part.size(), 0)) > 0;) {
      text.append(part.data(), static_cast<size_t>(got));
    }
    return text;
  }

  bool connected = false;

 private:
  int socket_;
};

class ServeServer : public testing::Test {
 protected:
  ServeServer() : server(viewer.app, 0) {}

  std::string exchange(const std::string& request) const {
    const Client client(server.port());
    client.send(request);
    return client.rest();
  }
  std::string head(const std::string& first) const {
    return fmt::format("{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", first, server.port());
  }
  std::string post(const std::string& place, const std::string& body) const {
    return head("POST /" + std::string(kToken) + "/" + place) +
           fmt::format("Origin: http://127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                       server.port(), body.size(), body);
  }
  void expect_alive() const {
    EXPECT_NE(exchange(post("open", R"({"from":"data","row":0})")).find("\"output\":14"), std::string::npos);
  }

  Viewer viewer;
  Server server;
};

TEST_F(ServeServer, AnswersWhoeverKnowsTheAddress) {
  const std::string page = exchange(head("GET /" + std::string(kToken) + "/") + "\r\n");
  EXPECT_TRUE(page.starts_with("HTTP/1.1 200")) << page.substr(0, 200);
  for (const char* header : {"X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
                             "Content-Security-Policy: ", "Connection: close", "X-Frame-Options: DENY"}) {
    EXPECT_NE(page.find(header), std::string::npos) << header;
  }
  EXPECT_EQ(page.find("Access-Control"), std::string::npos);
  expect_alive();
}

TEST_F(ServeServer, SendsOthersAwayWithNothing) {
  for (const std::string& request :
       {head("GET /") + "\r\n", head("GET /favicon.ico") + "\r\n", head("GET /..%2f..%2fetc/passwd") + "\r\n",
        head("POST /predict") + "Content-Length: 2\r\n\r\n{}",
        head("OPTIONS /" + std::string(kToken).substr(8) + "/") + "\r\n",
        "GET /" + std::string(kToken) + "/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET /" + std::string(kToken) + "/ HTTP/1.1\r\n\r\n"}) {
    const std::string answer = exchange(request);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 403")) << request << answer;
    EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;  // no body
    EXPECT_NE(answer.find("Content-Length: 0"), std::string::npos);
  }
}

TEST_F(ServeServer, SurvivesRequestsThatAreNone) {
  exchange("\r\n\r\n");
  exchange("GET\r\n\r\n");
  exchange(std::string("\0\1\2\xff\xfe random bytes \r\n\r\n", 24));
  exchange("GET /" + std::string(100000, 'a') + " HTTP/1.1\r\n\r\n");
  exchange(head("GET /x") + "X-Long: " + std::string(100000, 'b') + "\r\n\r\n");
  exchange(head("GET /" + std::string(kToken) + "/" + std::string(4000, 'z')) + "\r\n");
  exchange(head("GET /" + std::string(kToken) + "/") + "Range: bytes=0-1,2-3,5-\r\n\r\n");
  exchange(head("POST /" + std::string(kToken) + "/open") +
           fmt::format(
               "Origin: http://127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n",
               server.port()));
  exchange(
      head("POST /" + std::string(kToken) + "/open") +
      fmt::format("Origin: http://127.0.0.1:{}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: "
                  "5\r\n\r\nabcde",
                  server.port()));
  expect_alive();
}

TEST_F(ServeServer, ManyAtATimeAndSilentOnesHoldNobodyUpForLong) {
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 8; ++i) silent.push_back(std::make_unique<Client>(server.port()));
  std::vector<std::thread> threads;
  std::atomic<int> answered = 0;
  for (int i = 0; i < 50; ++i) {
    threads.emplace_back([&] {
      if (exchange(head("GET /" + std::string(kToken) + "/progress") + "\r\n").find("busy") != std::string::npos)
        ++answered;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, 50);
  expect_alive();
}

TEST_F(ServeServer, AHeadWithoutEndIsNotRead) {
  const Client client(server.port());
  client.send(head("GET /" + std::string(kToken) + "/progress"));
  std::string lines;
  while (lines.size() < 60000) lines += "a:\r\n";
  for (int i = 0; i < 20; ++i) client.send(lines);
  client.send("\r\n");
  EXPECT_EQ(client.rest().find("busy"), std::string::npos);
  EXPECT_NE(exchange(head("GET /" + std::string(kToken) + "/progress") + lines.substr(0, 8000) + "\r\n").find("busy"),
            std::string::npos);
  expect_alive();
}

TEST_F(ServeServer, AHeadThatComesByteByByteIsNotWaitedFor) {
  const Client client(server.port());
  client.send(head("GET /" + std::string(kToken) + "/progress") + "X-Slow: ");
  const auto start = std::chrono::steady_clock::now();
  std::atomic<bool> done = false;
  std::thread drops([&] {
    for (int i = 0; i < 100 && !done; ++i) {
      client.send("a");
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    client.send("\r\n\r\n");
  });
  const std::string answer = client.rest();
  const auto seconds = std::chrono::steady_clock::now() - start;
  done = true;
  drops.join();
  EXPECT_EQ(answer.find("busy"), std::string::npos);
  EXPECT_LT(seconds, std::chrono::seconds(15));  // 5, and a busy machine
  expect_alive();
}

TEST_F(ServeServer, ASecondServerCannotHaveThePort) {
  Viewer other;
  expect_error(ErrorKind::argument, "cannot be had", [&] { Server second(other.app, server.port()); });
}

TEST_F(ServeServer, ListensOnThisMachineOnly) {
  EXPECT_TRUE(Client(server.port()).connected);
  EXPECT_FALSE(Client(server.port(), "127.0.0.2").connected);  // not on every address, as 0.0.0.0 would
}

TEST_F(ServeServer, StopsTwice) {
  server.stop();
  server.stop();
  EXPECT_FALSE(Client(server.port()).connected);
}

}  // namespace
}  // namespace ascribe::core::serve
