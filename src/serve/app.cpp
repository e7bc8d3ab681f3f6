#include "serve/app.h"

#include "serve/asking.h"
#include "serve/page.h"
#include "serve/requests.h"

namespace ascribe::core::serve {

namespace {

constexpr size_t kMostJson = size_t{16} << 20;  // of a request that is not a file

using Request = Json (*)(Session&, const JsonPlace&, const study::Run&);

struct Place {
  std::string_view name;
  Request request;
};
constexpr Place kPlaces[] = {{"rows", rows},       {"open", open}, {"predict", predict}, {"explain", explain},
                             {"compare", compare}, {"why", why},   {"text", text}};

Answer json_answer(const Json& json, int status = 200) { return {status, "application/json", json.dump(-1)}; }

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::internal: return 500;
    case ErrorKind::cancelled: return 200;  // nothing is wrong, and browsers write other answers into their console
    default: return 400;
  }
}

Answer nothing_there() {
  return json_answer(Json::object({{"error", "there is nothing at this address"}, {"kind", "argument"}}), 404);
}

}  // namespace

App::App(study::Subject subject, Settings settings, Gate gate)
    : gate_(std::move(gate)),
      seed_(settings.report.run.seed),
      threads_(settings.report.run.threads),
      session_(std::move(subject), std::move(settings)),
      page_(viewer_page(session_)) {}

std::vector<std::pair<std::string, std::string>> App::usual_headers() {
  return {{"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cache-Control", "no-store"},
          {"X-Frame-Options", "DENY"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cross-Origin-Opener-Policy", "same-origin"}};
}

Answer App::error(const Error& error) const {
  const std::string text = error.kind() == ErrorKind::internal
                               ? fmt::format("this is a bug of ascribe, please report it: {}", error.what())
                               : session_.settings().said(error);
  return json_answer(Json::object({{"error", text}, {"kind", to_string(error.kind())}}), status_of(error.kind()));
}

Answer App::answer(const Knock& knock, const std::string& name, std::string body) {
  worker_.seen();
  const std::string_view place = gate_.place(knock.path);
  try {
    return knock.method == "GET" ? get(place) : post(place, name, std::move(body));
  } catch (const Error& problem) {
    return error(problem);
  } catch (const std::bad_alloc&) {
    return error(Error(ErrorKind::argument, "memory", "there is not enough memory for this"));
  } catch (const std::exception& problem) {
    return error(Error(ErrorKind::internal, "serve", problem.what()));
  }
}

Answer App::get(std::string_view place) {
  if (place.empty()) {
    return {200, "text/html; charset=utf-8", page_, {{"Content-Security-Policy", viewer_policy()}}};
  }
  if (place == "progress") {
    const Worker::State state = worker_.state();
    return json_answer(
        Json::object({{"busy", state.busy}, {"task", state.task}, {"done", state.done}, {"total", state.total}}));
  }
  return nothing_there();
}

Answer App::post(std::string_view place, const std::string& name, std::string body) {
  Json result;
  study::Run run;
  run.seed = seed_;
  run.threads = threads_;
  if (place == "cancel") {
    worker_.stop();
    return json_answer(Json::object());
  }
  if (place == "file") {
    worker_.run([&](const Progress&) { result = dropped(session_, name, std::move(body)); });
    return json_answer(result);
  }
  if (body.size() > kMostJson)
    fail(ErrorKind::argument, "request", "got {} bytes; expected at most {}", body.size(), kMostJson);
  const Json asked = parse_body(body);
  const JsonPlace root(asked, "request", ErrorKind::argument);
  if (place == "report") {
    SavedReport saved;
    worker_.run([&](const Progress& progress) {
      run.progress = progress;
      saved = report(session_, root, run);
    });
    return {200,
            "text/html; charset=utf-8",
            std::move(saved.page),
            {{"Content-Disposition", fmt::format("attachment; filename=\"{}\"", saved.name)},
             {"Content-Security-Policy", "sandbox"}}};
  }
  for (const Place& one : kPlaces) {
    if (one.name != place) continue;
    worker_.run([&](const Progress& progress) {
      run.progress = progress;
      result = one.request(session_, root, run);
    });
    return json_answer(result);
  }
  return nothing_there();
}

}  // namespace ascribe::core::serve
