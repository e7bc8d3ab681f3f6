// The sockets: HTTP on 127.0.0.1 and nowhere else. The only file that sees the HTTP library is server.cpp
// (docs/decisions/035-the-viewer-is-a-local-server.md).
#pragma once

#include <memory>

#include "serve/app.h"

namespace ascribe::core::serve {

class Server {
 public:
  // Port 0: any that is free. Complains, kind argument, of one that cannot be had.
  Server(App& app, int port);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  void stop();  // what is being computed, and answering; returns when both have ended

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ascribe::core::serve
