// Some rows in order, with what the model says of each in a word.
#include "serve/asking.h"
#include "serve/requests.h"
#include "study/labels.h"
#include "study/predict.h"

namespace ascribe::core::serve {

namespace {

constexpr int64_t kMostListed = 100;

// "Ankle boot, 99.8 %", "class 3, 61 %", "206,855"
std::string said_of(const study::Prediction& one, const study::PredictResult& result, int64_t row) {
  if (row >= one.rows || one.dense()) return "";
  if (!one.ranked()) return fmt::format("{:.6g}", one.at(row, 0));
  const study::Ranked best = study::ranking(one, row, 1)[0];
  if (one.scores == study::ScoreKind::values) return fmt::format("value {}: {:.6g}", best.index, best.score);
  const bool named = best.index < std::ssize(result.labels);
  const std::string name = named ? result.labels[static_cast<size_t>(best.index)] : fmt::format("class {}", best.index);
  return fmt::format("{}, {:.3g} %", name, 100 * best.probability);
}

// The output that questions are about: the one that was named, or the first real one.
const study::Prediction& asked_output(const study::PredictResult& result, const std::string& name) {
  for (const study::Prediction& one : result.predictions) {
    if (name.empty() ? kind_of(one.values.dtype()) == Kind::real : one.name == name) return one;
  }
  return result.predictions[0];
}

// A row that cannot be read says why, and the others are listed all the same.
void add_said(Json& list, const Session& session, const study::PredictRequest& request, const DataRows& rows,
              int64_t first, int64_t count) {
  try {
    const study::PredictResult result = study::predict(session.subject(), request);
    const study::Prediction& said = asked_output(result, session.settings().question.output);
    for (int64_t i = 0; i < count; ++i) {
      list.push(Json::object({{"row", first + i}, {"name", rows.name(first + i)}, {"said", said_of(said, result, i)}}));
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    for (int64_t i = 0; i < count; ++i) {
      list.push(Json::object(
          {{"row", first + i}, {"name", rows.name(first + i)}, {"problem", session.settings().said(error)}}));
    }
  }
}

}  // namespace

Json rows(Session& session, const JsonPlace& body, const study::Run& run) {
  const std::string from = body.text("from");
  if (from != "data" && from != "file") body.at("from").complain("data or file");
  const DataRows& all = session.rows(from == "file");
  const int64_t first = body.at("first").whole(0, std::max<int64_t>(0, all.count() - 1));
  const int64_t end = std::min(all.count(), first + body.at("count").whole(1, kMostListed));
  Json list = Json::list();
  for (int64_t at = first; at < end;) {
    const int64_t count = all.together(at, end - at);
    study::PredictRequest request;
    request.rows = all.rows(at, count);
    request.labels = session.settings().question.labels;
    request.run = run;
    add_said(list, session, request, all, at, count);
    at += count;
  }
  return Json::object({{"count", all.count()}, {"first", first}, {"rows", std::move(list)}});
}

}  // namespace ascribe::core::serve
