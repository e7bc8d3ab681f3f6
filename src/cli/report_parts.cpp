// The sections of a report about few players, of which every set is masked: the output taken apart, the three
// principles on this question, why methods differ.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/ranges.h>

#include "cli/audit_words.h"
#include "cli/few_players.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "game/effect_summary.h"
#include "game/subsets.h"
#include "methods/question_game.h"
#include "theory/comparison.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;

// Images are cut into the first of these grids that is affordable.
constexpr std::array kGrids = {"grid:3x3", "grid:2x3", "grid:2x2"};
constexpr int64_t kPassesPerMask = 400;      // of all methods together, integrals shortened as below
constexpr double kAffordable = 2.8e12;       // multiply-adds: well below a minute
constexpr int64_t kOverhead = 5'000'000;     // of a small image on its way through a network, in multiply-adds
constexpr int64_t kWorkInDouble = 500'000;   // multiply-adds per row: what is larger is asked in float
constexpr int64_t kWorkOfModules = 100'000;  // the same, for Shapley values of every neuron
constexpr const char* kSteps = "32";         // nodes of integrals that are asked for every masked input
constexpr double kFloatTolerance = 1e-3;     // what rounding leaves of a figure in float
constexpr int64_t kMostParts = 12;           // whose effects are read one by one

double masks(int64_t players) { return std::exp2(static_cast<double>(players)); }

// Shapley values of every masked input look at all of its sets again.
double work_of_principles(int64_t work_per_row, int64_t players) {
  return static_cast<double>(work_per_row) * (masks(2 * players) + kPassesPerMask * masks(players));
}

double work_of_effects(int64_t work_per_row, int64_t players) {
  return static_cast<double>(work_per_row) * masks(players);
}

Players parts_named(const std::string& text, const RowQuestion& question) {
  std::optional<ImageShape> image;
  if (question.picture) image = question.picture->shape;
  std::vector<std::string> columns;
  if (!question.players.image && std::ssize(question.players.names) == element_count(question.row)) {
    columns = question.players.names;
  }
  return make_players({text, question.row, image, columns, &question.point[question.input]});
}

// The parts that --parts names, or the finest that are affordable. Nothing: there are none.
template <class Work>
std::optional<Players> choose_parts(const RowQuestion& question, const std::string& wanted, Work&& work) {
  if (!wanted.empty()) return parts_named(wanted, question);
  const auto fits = [&](const Players& players) {
    return players.count() <= kMostParts && work(players.count()) <= kAffordable;
  };
  if (fits(question.players)) return question.players;
  if (!question.players.image) return std::nullopt;
  for (const char* grid : kGrids) {
    if (Players players = parts_named(grid, question); fits(players)) return players;
  }
  return std::nullopt;
}

// ---- effects ----

Json effects_list(const std::vector<Effect>& effects) {
  Json list = Json::array();
  for (const Effect& effect : effects) list.push_back({{"players", effect.support}, {"value", number(effect.value)}});
  return list;
}

Json orders_as_json(const EffectSummary& summary) {
  double all = 0;
  for (const OrderSummary& order : summary.orders) all += order.absolute;
  Json list = Json::array();
  for (const OrderSummary& order : summary.orders) {
    list.push_back({{"order", order.order},
                    {"effects", order.count},
                    {"sum", number(order.sum)},
                    {"strength", number(order.absolute)},
                    {"share", number(all > 0 ? order.absolute / all : 0)}});
  }
  return list;
}

Json effects_as_json(const PartsModel& parts, const RowQuestion& row, Players players, const ReportRequest& request) {
  RowQuestion question = row;
  question.players = std::move(players);
  Game game = question_game(parts.model, question);
  const Dividends dividends = exact_dividends(game, parse_memory(request.general.memory), false,
                                              progress_of("decomposition", request.general.quiet));
  SummaryOptions options;
  options.epsilon = parts.model.real() == DType::f64 ? 0x1p-52 : 0x1p-23;
  const EffectSummary summary = summarize(dividends, options);
  return {{"players", players_as_json(question, question.players)},
          {"output", number(summary.output)},
          {"baseline_output", number(summary.baseline_output)},
          {"remainder", number(summary.remainder)},
          {"orders", orders_as_json(summary)},
          {"independent", numbers(summary.independent)},
          {"strongest", effects_list(summary.strongest)},
          {"pairs", effects_list(summary.pairs)},
          {"triples", effects_list(summary.triples)}};
}

// ---- principles ----

struct Allocated {
  const ChosenMethod& chosen;
  SetAllocation allocation;
};

// Integrals with few nodes, unless --set says otherwise: they are asked for every masked input.
Parameters shortened_parameters(const ChosenMethod& chosen) {
  std::map<std::string, std::string> given = chosen.given;
  for (const Parameter& parameter : chosen.method.parameters) {
    if (parameter.name == "steps") given.try_emplace("steps", kSteps);
  }
  return {chosen.method.name, chosen.method.parameters, given};
}

double tolerance_here(Principle principle, const ExplainedModel& model) {
  const double tolerance = tolerance_of(principle);
  return model.real() == DType::f64 ? tolerance : std::max(tolerance, kFloatTolerance);
}

// "low_error"
std::string key_of(Principle principle) {
  std::string key(to_string(principle));
  std::replace(key.begin(), key.end(), ' ', '_');
  return key;
}

Json principles_of_method(const Allocated& one, const Question& question, const ExplainedModel& model) {
  const QuestionAudit audit = audit_question(one.allocation);
  Json json = {{"name", one.chosen.method.name}};
  int held = 0;
  for (const Principle principle : kPrinciples) {
    const double figure = audit.figures[principle], tolerance = tolerance_here(principle, model);
    const bool holds = figure <= tolerance;
    held += holds ? 1 : 0;
    // A figure that an integral of few nodes or a sample may have caused decides nothing.
    json[key_of(principle)] = {{"figure", number(figure)},
                               {"tolerance", tolerance},
                               {"holds", holds || one.allocation.exact ? Json(holds) : Json()}};
  }
  json["held"] = held;
  json["given"] = number(audit.sum);
  json["exact"] = one.allocation.exact;
  const std::vector<std::string> sentences =
      audit_sentences({one.chosen.method, audit, one.allocation.exact}, question);
  json["sentence"] = fmt::format("{}", fmt::join(sentences, " "));
  return json;
}

std::string why_not(const ChosenMethod& chosen, const PartsModel& parts) {
  if (chosen.method.kind != AttributionKind::contribution) return "gives slopes, which are no shares of the change";
  const bool modules = chosen.method.name == "deep_shap" && chosen.parameters.text("granularity") == "module";
  if (!modules || parts.work_per_row <= kWorkOfModules) return "";
  return "Shapley values of every neuron for every masked input take long; ascribe audit computes them";
}

std::vector<Allocated> allocations_of(const PartsModel& parts, const Question& question,
                                      const std::vector<ChosenMethod>& methods, const ReportRequest& request,
                                      Json& left_out) {
  std::vector<Allocated> all;
  for (const ChosenMethod& chosen : methods) {
    if (const std::string reason = why_not(chosen, parts); !reason.empty()) {
      left_out.push_back({{"method", chosen.method.name}, {"reason", reason}});
      continue;
    }
    try {
      all.push_back(
          {chosen,
           allocation_per_set(chosen.method, parts.model, question, shortened_parameters(chosen), request.general.seed,
                              progress_of("principles, " + chosen.method.name, request.general.quiet))});
    } catch (const Error& error) {
      left_out.push_back({{"method", chosen.method.name}, {"reason", error.what()}});
    }
  }
  return all;
}

Json differences_as_json(const std::vector<Allocated>& all, const Players& players) {
  std::vector<std::pair<double, Json>> found;
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = i + 1; j < all.size(); ++j) {
      const Comparison comparison = compare_allocations(all[i].allocation, all[j].allocation);
      found.emplace_back(comparison.correlation, Json{{"first", all[i].chosen.method.name},
                                                      {"second", all[j].chosen.method.name},
                                                      {"cosine", number(comparison.correlation)},
                                                      {"difference", number(comparison.difference)},
                                                      {"sentence", difference_sentence(comparison, players)}});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Json list = Json::array();
  for (auto& [cosine, json] : found) list.push_back(std::move(json));
  return list;
}

void add_principles(PartsSections& sections, const PartsModel& parts, const RowQuestion& row, Players players,
                    const std::vector<ChosenMethod>& methods, const ReportRequest& request) {
  RowQuestion question = row;
  question.players = std::move(players);
  cost_of_allocation(question);
  Json left_out = Json::array(), list = Json::array();
  const std::vector<Allocated> all = allocations_of(parts, question, methods, request, left_out);
  if (all.empty()) return;
  for (const Allocated& one : all) list.push_back(principles_of_method(one, question, parts.model));
  sections.principles = {{"players", players_as_json(question, question.players)},
                         {"change", number(all[0].allocation.change())},
                         {"precision", to_string(parts.model.real())},
                         {"methods", list},
                         {"left_out", left_out}};
  sections.differences = differences_as_json(all, question.players);
}

}  // namespace

bool affords_double(int64_t work_per_row) { return work_per_row <= kWorkInDouble; }

PartsSections parts_sections(const PartsModel& parts, const RowQuestion& question,
                             const std::vector<ChosenMethod>& methods, const ReportRequest& request,
                             std::vector<std::string>& notes) {
  PartsSections sections;
  const int64_t work = parts.work_per_row + (question.players.image ? kOverhead : 0);
  const char* advice = "--parts names a coarser division, as groups:FILE.json makes it";
  const auto effects = [&](int64_t players) { return work_of_effects(work, players); };
  if (auto players = choose_parts(question, request.parts, effects)) {
    sections.effects = effects_as_json(parts, question, std::move(*players), request);
  } else {
    notes.push_back(fmt::format("no decomposition: every set of players would have to be masked; {}", advice));
  }
  const auto principles = [&](int64_t players) { return work_of_principles(work, players); };
  if (auto players = choose_parts(question, request.parts, principles)) {
    try {
      add_principles(sections, parts, question, std::move(*players), methods, request);
    } catch (const Error& error) {  // f(x) = f(b): nothing to share out
      if (error.kind() != ErrorKind::numeric && error.kind() != ErrorKind::argument) throw;
      notes.push_back(fmt::format("no principles: {}", error.what()));
    }
  } else {
    notes.push_back(fmt::format("no principles: every method would have to explain every masked input; {}", advice));
  }
  return sections;
}

}  // namespace ascribe::core
