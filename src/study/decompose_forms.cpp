// A decomposition as JSON and as arrays.
#include <limits>

#include "methods/spread.h"
#include "study/absence.h"
#include "study/decompose_question.h"

namespace ascribe::core {

Json to_json(const Effect& effect) {
  Json json = Json::object({{"support", effect.support}});
  if (!effect.degree.empty()) json["degree"] = effect.degree;
  json["value"] = effect.value;
  return json;
}

namespace study {

namespace {

Json orders_json(const EffectSummary& summary) {
  Json list = Json::list();
  for (const OrderSummary& order : summary.orders) {
    list.push(Json::object({{"players", order.order},
                            {"effects", order.count},
                            {"sum", order.sum},
                            {"sum_of_magnitudes", order.absolute},
                            {"beyond_rounding", order.beyond_rounding}}));
  }
  return list;
}

Json taylor_json(const TaylorEffects& taylor) {
  Json degrees = Json::list();
  for (const Conditioning& order : taylor.conditioning) {
    degrees.push(Json::object({{"degree", order.order}, {"sum", order.sum}, {"error_bound", order.error_bound}}));
  }
  return Json::object({{"order", taylor.effects.order},
                       {"effects", taylor.effects.effects},
                       {"remainder", taylor.effects.remainder},
                       {"piecewise_linear", taylor.piecewise_linear},
                       {"series", to_string(taylor.series)},
                       {"radius", taylor.radius},
                       {"converging", taylor.series == Series::undecided ? Json() : taylor.series == Series::converges},
                       {"degrees", std::move(degrees)}});
}

constexpr double kShares[] = {0.01, 0.05, 0.1};  // of the strongest dividend, which effects are counted against

Json and_or_json(const DecomposeResult& result) {
  const AndOr& split = *result.and_or;
  Json effects = Json::list(), counts = Json::list();
  for (const AndOrEffect& effect : strongest(split, std::ssize(result.summary.strongest))) {
    Json json = to_json(static_cast<const Effect&>(effect));
    json["kind"] = effect.disjunction ? "or" : "and";
    effects.push(std::move(json));
  }
  for (const double share : kShares) {
    const AndOrCount count = count_above(split, *result.exact, share);
    counts.push(Json::object({{"share", share}, {"and_or", count.and_or}, {"and_alone", count.and_alone}}));
  }
  return Json::object({{"strength", split.strength},
                       {"strength_at_least", split.bound},
                       {"and_alone", split.and_alone},
                       {"or_alone", split.or_alone},
                       {"optimal", split.optimal},
                       {"steps", split.steps},
                       {"effects_above", std::move(counts)},
                       {"effects", std::move(effects)}});
}

// Lists of different lengths as lines of equal length, with -1 after the last entry: players, or their degrees.
Tensor padded(const std::vector<Effect>& effects, std::vector<int> Effect::*list) {
  size_t longest = 1;
  for (const Effect& effect : effects) longest = std::max(longest, (effect.*list).size());
  std::vector<int64_t> flat;
  for (const Effect& effect : effects) {
    for (size_t i = 0; i < longest; ++i) flat.push_back(i < (effect.*list).size() ? (effect.*list)[i] : -1);
  }
  return Tensor::of<int64_t>({std::ssize(effects), static_cast<int64_t>(longest)}, flat);
}

Tensor line(const std::vector<double>& values) { return Tensor::of<double>({std::ssize(values)}, values); }

Tensor values_of(const std::vector<Effect>& effects) {
  std::vector<double> values;
  for (const Effect& effect : effects) values.push_back(effect.value);
  return line(values);
}

// What an error is of: of the quantity itself, or of drawing alone, given that the sets that were found are the right
// ones.
enum class ErrorOf { quantity, drawing };

void put_error(Json& json, double error, double width, ErrorOf of) {
  json[of == ErrorOf::drawing ? "drawing_error" : "standard_error"] = error;
  json[of == ErrorOf::drawing ? "drawing_interval_95" : "interval_95"] = width;
}

Json with_errors(const std::vector<Effect>& effects, const std::vector<double>& errors, double degrees_of_freedom,
                 ErrorOf of) {
  const std::vector<double> widths = half_widths(errors, degrees_of_freedom);
  Json list = Json::list();
  for (size_t i = 0; i < effects.size(); ++i) {
    Json json = to_json(effects[i]);
    put_error(json, errors[i], widths[i], of);
    list.push(std::move(json));
  }
  return list;
}

Json held_out_json(const HeldOut& held_out) {
  return Json::object({{"coalitions", held_out.coalitions},
                       {"r2", held_out.defined ? Json(held_out.r2) : Json()},
                       {"r2_error", held_out.defined ? Json(held_out.r2_error) : Json()},
                       {"rmse", held_out.rmse},
                       {"spread", held_out.spread}});
}

// The effects in the fit, the largest first, with their errors; what they are alone and in company, where it is known.
Json strongest_json(const EstimatedEffects& found, size_t most) {
  const std::vector<size_t> ranking = found.by_magnitude();
  const std::vector<double> errors = found.standard_errors();
  Json list = Json::list();
  for (const size_t i : std::span(ranking).first(std::min(most, ranking.size()))) {
    Json json = to_json(found.estimate.effects.effects[i]);
    json["standard_error"] = errors[i];
    const double width = found.alone_interval(i);
    if (found.verified.alone[i]) json["exact"] = *found.verified.alone[i];
    else json["interval_95"] = std::isfinite(width) ? Json(width) : Json();
    if (const auto& company = found.verified.in_company[i]) {
      json["in_company"] = Json::object({{"value", company->value},
                                         {"standard_error", company->standard_error},
                                         {"interval_95", found.company_interval(i)},
                                         {"draws", company->draws}});
    }
    list.push(std::move(json));
  }
  return list;
}

Json estimated_json(const DecomposeResult& result) {
  const EstimatedEffects& found = *result.sparse;
  const SparseEstimate& estimate = found.estimate;
  Json indices = Json::object({});
  for (const SparseIndex& one : found.indices) {
    indices[one.index->name] = Json::object({{"order", one.effects.order},
                                             {"effects", with_errors(one.effects.effects, one.standard_errors,
                                                                     estimate.degrees_of_freedom, ErrorOf::drawing)}});
  }
  Json doubted = Json::list();
  for (size_t i = 0; i < estimate.doubted.size(); ++i) {
    if (estimate.doubted[i] != 0) doubted.push(Json(estimate.effects.effects[i].support));
  }
  Json beside = Json::list();
  for (const Effect& effect : found.verified.beside) beside.push(to_json(effect));
  Json json = Json::object({{"estimator", estimate.estimator},
                            {"evaluations", estimate.evaluations},
                            {"stopped", to_string(estimate.stop)},
                            {"held_out", held_out_json(estimate.held_out)},
                            {"explained", estimate.explained_defined ? Json(estimate.explained) : Json()},
                            {"degrees_of_freedom", estimate.degrees_of_freedom},
                            {"doubted", std::move(doubted)},
                            {"looked_up", found.verified.looked_up},
                            {"evaluations_for_verifying", found.verified.evaluations},
                            {"misfit", found.misfit},
                            {"candidates_from", found.candidates},
                            {"passes_for_candidates", found.passes},
                            {"pairs_that_never_meet", found.never_meet},
                            {"beside_the_fit", std::move(beside)},
                            {"indices", std::move(indices)}});
  if (result.direct) {
    json["direct"] =
        Json::object({{"index", result.index->name},
                      {"evaluations", result.direct->evaluations},
                      {"compared", result.direct->compared},
                      {"agree", result.direct->agree},
                      {"effects", with_errors(result.direct->effects.effects, result.direct->standard_errors,
                                              result.direct->degrees_of_freedom, ErrorOf::quantity)}});
  }
  return json;
}

Json and_or_estimate_json(const AndOrEstimate& estimate) {
  const std::vector<double> widths = half_widths(estimate.standard_errors, estimate.degrees_of_freedom);
  Json effects = Json::list();
  for (size_t i = 0; i < estimate.effects.size(); ++i) {
    Json json = to_json(static_cast<const Effect&>(estimate.effects[i]));
    json["kind"] = estimate.effects[i].disjunction ? "or" : "and";
    put_error(json, estimate.standard_errors[i], widths[i], ErrorOf::drawing);
    effects.push(std::move(json));
  }
  return Json::object({{"effects", std::move(effects)},
                       {"constant", estimate.constant},
                       {"evaluations", estimate.evaluations},
                       {"stopped", to_string(estimate.stop)},
                       {"held_out", held_out_json(estimate.held_out)},
                       {"and_alone", Json::object({{"effects", estimate.and_alone_terms},
                                                   {"held_out", held_out_json(estimate.and_alone)}})}});
}

}  // namespace

Json decomposed_json(const std::string& model, const RowQuestion& question) {
  return Json::object({{"model", model},
                       {"input", question.source},
                       {"target", target_json(question)},
                       {"explains", question.explains},
                       {"players", question.players.names},
                       {"grouping", question.players.description},
                       {"baseline", question.baseline},
                       {"baselines", question.baseline_count()},
                       {"absence", absence_text(question)}});
}

Json effects_json(const EffectSummary& summary, bool exact) {
  return Json::object({{"order", summary.order},
                       {"exact", exact},
                       {"output", summary.output},
                       {"baseline_output", summary.baseline_output},
                       {"effects", summary.strongest},
                       {"effects_in_all", summary.count},
                       {"remainder", summary.remainder},
                       {"orders", orders_json(summary)}});
}

Json to_json(const DecomposeResult& result) {
  const EffectSummary& summary = result.summary;
  Json json = decomposed_json(result.model, result.question);
  json.update(effects_json(summary, result.exact.has_value() || result.every_order));
  if (result.index_values) {
    json["index"] = Json::object({{"name", result.index->name},
                                  {"order", result.index_values->order},
                                  {"effects", result.index_values->effects}});
  }
  if (result.estimate) {
    json["index"] = Json::object({{"name", result.index->name},
                                  {"order", 2},
                                  {"samples", result.estimate->samples},
                                  {"effects", result.estimate->effects.effects},
                                  {"standard_errors", result.estimate->standard_errors},
                                  {"intervals_95", result.estimate_intervals()},
                                  {"degrees_of_freedom", result.estimate->degrees_of_freedom}});
    json.erase("effects");  // they are the index's, not the decomposition's
  }
  if (result.sparse) {
    json["effects"] = strongest_json(*result.sparse, summary.strongest.size());
    json["estimated"] = estimated_json(result);
  }
  if (result.taylor) json["taylor"] = taylor_json(*result.taylor);
  if (result.and_or) json["and_or"] = and_or_json(result);
  if (result.and_or_estimate) json["and_or_estimated"] = and_or_estimate_json(*result.and_or_estimate);
  json["evaluations"] = summary.evaluations;
  json["seconds"] = result.seconds;
  json["notes"] = result.notes;
  return json;
}

std::vector<std::pair<std::string, Tensor>> arrays_of(const DecomposeResult& result) {
  std::vector<std::pair<std::string, Tensor>> arrays;
  const auto add = [&](const char* name, Tensor tensor) { arrays.emplace_back(name, std::move(tensor)); };
  if (result.exact) {
    add("dividends", line(result.exact->values));
  } else if (result.estimate) {
    add("index_support", padded(result.estimate->effects.effects, &Effect::support));
    add("index_value", values_of(result.estimate->effects.effects));
    add("index_standard_error", line(result.estimate->standard_errors));
  } else if (result.sparse) {
    const SparseEstimate& estimate = result.sparse->estimate;
    add("support", padded(estimate.effects.effects, &Effect::support));
    add("value", values_of(estimate.effects.effects));
    add("standard_error", line(result.sparse->standard_errors()));
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> exact, company, company_error;
    for (const auto& value : result.sparse->verified.alone) exact.push_back(value.value_or(kUnknown));
    for (const auto& value : result.sparse->verified.in_company) {
      company.push_back(value ? value->value : kUnknown);
      company_error.push_back(value ? value->standard_error : kUnknown);
    }
    add("exact", line(exact));
    add("in_company", line(company));
    add("in_company_standard_error", line(company_error));
    add("beside_support", padded(result.sparse->verified.beside, &Effect::support));
    add("beside_exact", values_of(result.sparse->verified.beside));
    for (const SparseIndex& one : result.sparse->indices) {
      const std::string name = one.index->name;
      add((name + "_support").c_str(), padded(one.effects.effects, &Effect::support));
      add((name + "_value").c_str(), values_of(one.effects.effects));
      add((name + "_drawing_error").c_str(), line(one.standard_errors));
    }
  } else {
    add("support", padded(result.truncated->effects, &Effect::support));
    add("value", values_of(result.truncated->effects));
  }
  if (result.index_values) {
    add("index_support", padded(result.index_values->effects, &Effect::support));
    add("index_value", values_of(result.index_values->effects));
  }
  if (result.taylor) {
    const std::vector<Effect>& terms = result.taylor->effects.effects;
    add("taylor_support", padded(terms, &Effect::support));
    add("taylor_degree", padded(terms, &Effect::degree));
    add("taylor_value", values_of(terms));
  }
  if (result.and_or_estimate) {
    std::vector<Effect> kinds[2];
    for (const AndOrEffect& one : result.and_or_estimate->effects) kinds[one.disjunction ? 1 : 0].push_back(one);
    add("and_support", padded(kinds[0], &Effect::support));
    add("and_value", values_of(kinds[0]));
    add("or_support", padded(kinds[1], &Effect::support));
    add("or_value", values_of(kinds[1]));
  }
  if (result.and_or) {
    add("and_effects", line(result.and_or->and_effects));
    add("or_effects", line(result.and_or->or_effects));
  }
  if (!result.estimate) add("independent", line(result.summary.independent));
  const RowQuestion& question = result.question;
  const std::vector<int64_t> owner(question.players.owner.begin(), question.players.owner.end());
  add("owner", Tensor::of<int64_t>(question.row, owner));
  add("x", question.x().reshaped(question.row));
  add("baselines", question.baselines);
  return arrays;
}

}  // namespace study
}  // namespace ascribe::core
