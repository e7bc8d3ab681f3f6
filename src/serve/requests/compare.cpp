// Two methods side by side with their difference, and why they disagree (study/compare.h).
#include "study/compare.h"

#include "report/page/places.h"
#include "serve/asking.h"
#include "serve/drawing.h"
#include "serve/requests.h"
#include "study/audit_words.h"
#include "study/report_sections.h"

namespace ascribe::core::serve {

namespace {

using document::MethodResult, document::Number;

Number minus(const Number& a, const Number& b) { return a && b ? document::number(*a - *b) : std::nullopt; }

// Whether a method speaks of whole regions, each of which its map shows at all of their places.
bool speaks_of_regions(const MethodResult& method) { return method_named(method.name).players; }

// Where both are contributions; slopes have units of their own. Place by place where both say something of places,
// otherwise region by region.
MethodResult difference_of(const MethodResult& first, const MethodResult& second) {
  MethodResult difference;
  difference.name = "difference";
  difference.title = fmt::format("Difference: {} minus {}", first.title, second.title);
  for (size_t p = 0; p < first.values.size(); ++p) {
    difference.values.push_back(minus(first.values[p], second.values[p]));
  }
  difference.sum = minus(first.sum, second.sum);
  if (first.map && second.map && !speaks_of_regions(first) && !speaks_of_regions(second)) {
    std::vector<Number> pixels;
    for (size_t i = 0; i < first.map->data.size(); ++i) pixels.emplace_back(first.map->at(i) - second.map->at(i));
    difference.map = document::map_of(pixels);
  }
  return difference;
}

const std::string kSlopes = "At least one of the two gives slopes, in units of their own, which cannot be subtracted.";

std::vector<std::string> two_methods(const JsonPlace& body) {
  std::vector<std::string> methods = methods_from(body.at("methods"));
  if (methods.size() != 2) body.at("methods").refuse("names one method; expected two");
  return methods;
}

}  // namespace

Json compare(Session& session, const JsonPlace& body, const study::Run& run) {
  const std::vector<std::string> methods = two_methods(body);
  document::Row row = session.open(asking_from(body), run).explained(methods, run);
  if (!row.left_out.empty()) {
    fail(ErrorKind::unsupported, row.left_out[0].method, "{}", session.settings().said(row.left_out[0].reason));
  }
  if (row.methods[0].contributes() && row.methods[1].contributes()) {
    row.methods.push_back(difference_of(row.methods[0], row.methods[1]));
  }
  return drawing(row, 1);
}

// A comparison that cannot be made says why.
Json why(Session& session, const JsonPlace& body, const study::Run& run) {
  const std::vector<std::string> methods = two_methods(body);
  const auto answer = [](const std::string& sentence) { return Json::object({{"sentence", sentence}}); };
  for (const std::string& name : methods) {
    if (method_named(name).kind != AttributionKind::contribution) return answer(kSlopes);
  }
  study::CompareRequest request{session.question(asking_from(body)), methods[0], methods[1]};
  request.question.players = session.settings().question.players;  // few, as compare chooses them
  request.budget = session.settings().report.budget;
  request.run = run;
  try {
    const study::CompareResult result = study::compare(session.subject(), request);
    if (result.same()) return answer("The two give the same values here.");
    return answer(page::with_place_names(study::difference_sentence(result.comparison, result.question.players),
                                         study::player_list(result.question)));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled || error.kind() == ErrorKind::internal) throw;
    return answer("Why they differ cannot be told: " + session.settings().said(error));
  }
}

}  // namespace ascribe::core::serve
