#include "study/compare.h"

#include <cmath>

#include "game/subsets.h"

namespace ascribe::core::study {

namespace {

constexpr double kSame = 1e-9;  // of the attribution: two that differ by less are the same

}  // namespace

bool CompareResult::same() const {
  double size = 0;
  for (const double value : comparison.first) size += std::abs(value);
  return comparison.difference <= kSame * size;
}

CompareResult compare(const Subject& subject, const CompareRequest& request) {
  Running running(request.run);
  std::vector<ChosenMethod> methods = choose_methods({request.first, request.second}, request.settings);
  if (methods.size() != 2) {
    fail(ErrorKind::argument, "compare", "got {} twice; expected two methods", request.first.name);
  }
  FewPlayers asked = ask_few_players(subject, request.question, running);
  cost_of_allocation(asked.question);
  CompareResult result{subject.path(), {}, std::move(methods), {}, {}, {}, running.notes()};
  result.first = allocation_of(result.methods[0], asked, running);
  result.second = allocation_of(result.methods[1], asked, running);
  result.comparison = compare_allocations(result.first, result.second);
  result.question = std::move(asked.question);
  return result;
}

Json to_json(const CompareResult& result, int64_t top) {
  const Comparison& comparison = result.comparison;
  Json json = question_json(result.model, result.question, result.first.baseline_output(), result.first.change());
  Json methods = Json::list(), pairs = Json::list(), sets = Json::list();
  for (size_t i = 0; i < 2; ++i) {
    methods.push(Json::object({{"name", result.name(i)},
                               {"parameters", result.methods[i].parameters.all()},
                               {"values", i == 0 ? comparison.first : comparison.second}}));
  }
  for (const PairDifference& pair : comparison.pairs) {
    pairs.push(Json::object({{"players", std::vector{pair.first, pair.second}}, {"share", pair.share}}));
  }
  for (const SetDifference& one : comparison.sets) {
    if (static_cast<int64_t>(sets.size()) == top) break;
    sets.push(Json::object({{"support", members_of(one.set)},
                            {"effect", one.effect},
                            {"share", one.share},
                            {"first", one.first},
                            {"second", one.second}}));
  }
  json["methods"] = std::move(methods);
  json["difference"] = comparison.difference;
  json["cosine"] = comparison.correlation;
  json["same"] = result.same();
  json["share_by_size"] = comparison.share_by_size;
  json["pairs"] = std::move(pairs);
  json["sets"] = std::move(sets);
  json["notes"] = result.notes;
  return json;
}

}  // namespace ascribe::core::study
