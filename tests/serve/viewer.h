// A viewer of y = x0 x1 + x2 with two rows, asked without sockets.
#pragma once

#include <string>

#include "base/json.h"
#include "cli/product_model.h"
#include "serve/app.h"

namespace ascribe::core::serve {

inline constexpr const char* kToken = "0123456789abcdef0123456789abcdef0123456789abcdef";

inline Settings product_settings() {
  Settings settings;
  settings.question.rows.contents = {{"rows.csv", "age,height,weight\n3,4,2\n1,5,1\n"}};
  return settings;
}

inline study::Subject product_subject() {
  study::ModelSource source;
  source.path = "product.onnx";
  source.bytes = product_model_bytes();
  return study::Subject::open(source);
}

inline Gate test_gate() {
  Gate gate;
  gate.token = kToken;
  gate.port = 8000;
  return gate;
}

// What the page itself sends.
inline Knock knock(const std::string& place, const std::string& method = "POST") {
  Knock knock;
  knock.method = method;
  knock.path = "/" + std::string(kToken) + "/" + place;
  knock.host = "127.0.0.1:8000";
  if (method == "POST") {
    knock.origin = "http://127.0.0.1:8000";
    knock.fetch_site = "same-origin";
    knock.content_type = "application/json";
    knock.content_length = "2";
  }
  return knock;
}

class Viewer {
 public:
  explicit Viewer(Settings settings = product_settings(), study::Subject subject = product_subject())
      : app(std::move(subject), std::move(settings), test_gate()) {}

  Answer ask(const std::string& place, std::string body) { return app.answer(knock(place), "", std::move(body)); }
  Json asked(const std::string& place, std::string body) {
    const Answer answer = ask(place, std::move(body));
    return parse_json(answer.body, place);
  }
  std::string problem(const std::string& place, std::string body) {
    const Answer answer = ask(place, std::move(body));
    const Json json = parse_json(answer.body, place);
    const Json* error = json.find("error");
    return error == nullptr ? "" : fmt::format("{} {}", answer.status, error->text());
  }

  App app;
};

}  // namespace ascribe::core::serve
