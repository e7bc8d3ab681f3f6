// Requests in, answers out, without sockets: who may ask is checked first (gate.h), then the newest question is
// answered by the one thread that computes (worker.h).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "serve/gate.h"
#include "serve/session.h"
#include "serve/worker.h"

namespace ascribe::core::serve {

struct Answer {
  int status = 200;
  std::string type = {}, body = {};  // an empty type: there is no body
  std::vector<std::pair<std::string, std::string>> headers = {};
};

class App {
 public:
  App(study::Subject subject, Settings settings, Gate gate);

  const Gate& gate() const { return gate_; }
  void listens_on(int port) { gate_.port = port; }
  int check(const Knock& knock) const { return gate_.check(knock); }
  // Of a request that was let in. `name`: of a file that is sent.
  Answer answer(const Knock& knock, const std::string& name, std::string body);
  void stop() { worker_.end_now(); }

  // On every answer, also on refusals.
  static std::vector<std::pair<std::string, std::string>> usual_headers();

 private:
  Answer get(std::string_view place);
  Answer post(std::string_view place, const std::string& name, std::string body);
  Answer error(const Error& error) const;

  Gate gate_;
  uint64_t seed_ = 0;
  int threads_ = 0;
  Session session_;  // touched by the worker only, but for what never changes
  std::string page_;
  Worker worker_;  // last, so that it ends first
};

}  // namespace ascribe::core::serve
