// Two methods side by side with their difference, and why they disagree (study/compare.h).
#include "study/compare.h"

#include "serve/asking.h"
#include "serve/drawing.h"
#include "serve/requests.h"
#include "study/audit_words.h"

namespace ascribe::core::serve {

namespace {

using document::MethodResult, document::Number;

Number minus(const Number& a, const Number& b) { return a && b ? document::number(*a - *b) : std::nullopt; }

// Where both are contributions; slopes have units of their own.
MethodResult difference_of(const MethodResult& first, const MethodResult& second) {
  MethodResult difference;
  difference.name = "difference";
  difference.title = fmt::format("Difference: {} minus {}", first.title, second.title);
  for (size_t p = 0; p < first.values.size(); ++p) {
    difference.values.push_back(minus(first.values[p], second.values[p]));
  }
  difference.sum = minus(first.sum, second.sum);
  if (first.map && second.map) {
    std::vector<Number> pixels;
    for (size_t i = 0; i < first.map->data.size(); ++i) pixels.emplace_back(first.map->at(i) - second.map->at(i));
    difference.map = document::map_of(pixels);
  }
  return difference;
}

struct Why {
  std::string sentence;
  std::string regions;  // about which it speaks
};

// A comparison that cannot be made says why.
Why why_they_differ(const Session& session, const Asking& asking, const std::vector<std::string>& methods,
                    const study::Run& run) {
  study::CompareRequest request{session.question(asking), methods[0], methods[1]};
  request.question.players = session.settings().question.players;  // few, as compare chooses them
  request.budget = session.settings().report.budget;
  request.run = run;
  try {
    const study::CompareResult result = study::compare(session.subject(), request);
    if (result.same()) return {"The two give the same values here.", ""};
    return {study::difference_sentence(result.comparison, result.question.players),
            result.question.players.description};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled || error.kind() == ErrorKind::internal) throw;
    return {"Why they differ cannot be told: " + session.settings().said(error), ""};
  }
}

}  // namespace

Json compare(Session& session, const JsonPlace& body, const study::Run& run) {
  const Asking asking = asking_from(body);
  const std::vector<std::string> methods = methods_from(body.at("methods"));
  if (methods.size() != 2) body.at("methods").refuse("names one method; expected two");
  document::Row row = session.open(asking, run).explained(methods, run);
  if (!row.left_out.empty()) {
    fail(ErrorKind::unsupported, row.left_out[0].method, "{}", session.settings().said(row.left_out[0].reason));
  }
  const bool comparable = row.methods[0].contributes() && row.methods[1].contributes();
  if (comparable) row.methods.push_back(difference_of(row.methods[0], row.methods[1]));
  const Why why = comparable ? why_they_differ(session, asking, methods, run)
                             : Why{"At least one of the two gives slopes, in units of their own; they cannot be "
                                   "subtracted.",
                                   ""};
  Json json = drawing(row, 1);
  json["sentence"] = why.sentence;
  json["regions"] = why.regions;
  return json;
}

}  // namespace ascribe::core::serve
