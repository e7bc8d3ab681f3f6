#include "serve/server.h"

#include <arpa/inet.h>
#include <httplib.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace ascribe::core::serve {

namespace {

constexpr const char* kHost = "127.0.0.1";
constexpr size_t kThreads = 16;        // connections at a time; one of them may wait for a long computation
constexpr time_t kSeconds = 5;         // that a slow client may keep us waiting
constexpr size_t kMostHead = 1 << 16;  // bytes of a request before its body

Knock knock_of(const httplib::Request& request) {
  return {request.method,
          request.path,
          request.get_header_value("Host"),
          request.get_header_value("Origin"),
          request.get_header_value("Sec-Fetch-Site"),
          request.get_header_value("Content-Type"),
          request.get_header_value("Content-Length"),
          request.get_header_value("Transfer-Encoding")};
}

void fill(httplib::Response& response, Answer answer) {
  response.status = answer.status;
  for (const auto& [name, value] : answer.headers) response.set_header(name, value);
  if (answer.type.empty() || answer.body.empty()) return;
  // From a provider the library sends it as it is; else it would compress for longer than a local connection takes.
  const auto body = std::make_shared<const std::string>(std::move(answer.body));
  response.set_content_provider(body->size(), answer.type,
                                [body](size_t offset, size_t length, httplib::DataSink& sink) {
                                  return sink.write(body->data() + offset, length);
                                });
}

// A connection whose request has a bounded head, that comes in bounded time: the library counts neither header lines
// nor how long they take together.
class Connection : public httplib::Stream {
 public:
  explicit Connection(socket_t socket) : socket_(socket) {}

  bool is_readable() const override { return ready(POLLIN, kSeconds * 1000); }
  bool is_writable() const override { return ready(POLLOUT, kSeconds * 1000); }

  ssize_t read(char* to, size_t size) override {
    const int wait = head_ended_ ? static_cast<int>(kSeconds) * 1000 : left_for_the_head();
    if (wait <= 0 || head_ > kMostHead || !ready(POLLIN, wait)) return -1;
    const ssize_t got = ::recv(socket_, to, size, 0);
    for (ssize_t i = 0; i < got && !head_ended_; ++i) look_at(to[i]);
    return got;
  }

  ssize_t write(const char* from, size_t size) override {
    return is_writable() ? ::send(socket_, from, size, MSG_NOSIGNAL) : -1;
  }

  void get_remote_ip_and_port(std::string& ip, int& port) const override { address_by(::getpeername, ip, port); }
  void get_local_ip_and_port(std::string& ip, int& port) const override { address_by(::getsockname, ip, port); }
  socket_t socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool ready(short what, int milliseconds) const {
    pollfd one{socket_, what, 0};
    int found = 0;
    do {
      found = ::poll(&one, 1, milliseconds);
    } while (found < 0 && errno == EINTR);
    return found > 0;
  }

  int left_for_the_head() const {
    return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now()).count());
  }

  // The head ends with an empty line.
  void look_at(char c) {
    ++head_;
    if (c == '\n' && line_ == 0) head_ended_ = true;
    else if (c == '\n') line_ = 0;
    else if (c != '\r') ++line_;
  }

  template <class Ask>
  void address_by(Ask ask, std::string& ip, int& port) const {
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    std::array<char, INET_ADDRSTRLEN> text{};
    if (ask(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return;
    ip = ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
    port = ntohs(address.sin_port);
  }

  socket_t socket_;
  Clock::time_point end_ = Clock::now() + std::chrono::seconds(kSeconds);
  size_t head_ = 0, line_ = 0;  // bytes of the head, and of its last line
  bool head_ended_ = false;
};

class Listening : public httplib::Server {
 public:
  // The library lets only five connections wait.
  void let_more_wait() const { ::listen(svr_sock_, 128); }

 private:
  // One request for each connection: an idle one would keep a thread, and a body that was refused unread would be taken
  // for the next request.
  bool process_and_close_socket(socket_t socket) override {
    Connection connection(socket);
    bool closed = false;
    const bool answered = connection.is_readable() && process_request(connection, true, closed, nullptr);
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return answered;
  }
};

// A second server on the port is an error, not a partner: the library would share it.
void own_the_port(socket_t socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

}  // namespace

struct Server::State {
  App& app;
  Listening http;
  int port = 0;
  std::thread thread;
};

Server::Server(App& app, int port) : state_(new State{app, {}, 0, {}}) {
  Listening& http = state_->http;
  http.set_socket_options(own_the_port);
  http.set_address_family(AF_INET);
  http.set_tcp_nodelay(true);
  http.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  http.set_payload_max_length(app.gate().most_bytes);
  httplib::Headers headers;
  for (const auto& [name, value] : App::usual_headers()) headers.emplace(name, value);
  http.set_default_headers(headers);
  // Before a body is read.
  http.set_pre_routing_handler([&app](const httplib::Request& request, httplib::Response& response) {
    response.status = app.check(knock_of(request));
    if (response.status == 200 && !request.ranges.empty()) response.status = 416;
    if (response.status != 200) return httplib::Server::HandlerResponse::Handled;
    response.status = -1;
    return httplib::Server::HandlerResponse::Unhandled;
  });
  const auto answer = [&app](const httplib::Request& request, httplib::Response& response) {
    fill(response, app.answer(knock_of(request), request.get_param_value("name"), request.body));
  };
  http.Get("/[0-9a-f]+/[a-z]*", answer);
  http.Post("/[0-9a-f]+/[a-z]*", answer);
  errno = 0;
  if (port == 0) state_->port = http.bind_to_any_port(kHost);
  else if (http.bind_to_port(kHost, port)) state_->port = port;
  if (state_->port <= 0) {
    const std::string why = errno == 0 ? "it is not free" : std::strerror(errno);
    fail(ErrorKind::argument, "port", "port {} of {} cannot be had: {}; expected one that is free, or 0 for any", port,
         kHost, why);
  }
  http.let_more_wait();
  app.listens_on(state_->port);
  state_->thread = std::thread([this] { state_->http.listen_after_bind(); });
  while (!http.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

Server::~Server() { stop(); }

int Server::port() const { return state_->port; }

void Server::stop() {
  if (!state_->thread.joinable()) return;
  state_->app.stop();
  state_->http.stop();
  state_->thread.join();
}

}  // namespace ascribe::core::serve
