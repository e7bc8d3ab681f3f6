#include "serve/server.h"

#include <httplib.h>

#include <cerrno>
#include <cstring>
#include <thread>

namespace ascribe::core::serve {

namespace {

constexpr const char* kHost = "127.0.0.1";
constexpr size_t kThreads = 16;  // connections at a time; one of them may wait for a long computation
constexpr time_t kSeconds = 5;   // that a slow client may keep us waiting

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

// The library lets only five connections wait.
class Listening : public httplib::Server {
 public:
  void let_more_wait() const { ::listen(svr_sock_, 128); }
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
  // One request for each connection: an idle one would keep a thread, and a body that was refused unread would be taken
  // for the next request.
  http.set_keep_alive_max_count(1);
  http.set_read_timeout(kSeconds);
  http.set_write_timeout(kSeconds);
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
