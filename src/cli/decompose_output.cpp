// The answer of ascribe decompose as text, as JSON and as files.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "cli/decompose.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "data/png.h"
#include "report/effect_pictures.h"
#include "tensor/npy.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::vector<std::string>>;
using Options = DecomposeOptions;
using Answer = DecomposeAnswer;

constexpr int64_t kShownEffects = 20;

bool into_folder(const Options& options) { return !options.file.path.empty() && !options.file.path.ends_with(".npz"); }

// J(S), if it was computed.
std::optional<double> dividend_of(const Answer& answer, const std::vector<int>& support) {
  if (answer.exact) {
    uint64_t set = 0;
    for (const int player : support) set |= uint64_t{1} << player;
    return answer.exact->values[set];
  }
  // By size and then in the order of their players, as truncated_effects lists them.
  const std::vector<Effect>& effects = answer.truncated->effects;
  const auto found = std::lower_bound(
      effects.begin(), effects.end(), support, [](const Effect& effect, const std::vector<int>& wanted) {
        return std::pair(effect.support.size(), effect.support) < std::pair(wanted.size(), wanted);
      });
  return found != effects.end() && found->support == support ? std::optional(found->value) : std::nullopt;
}

// ---- as text ----

std::string number(double value) { return fmt::format("{:.6g}", value); }
std::string signed_number(double value) { return fmt::format("{:+.6g}", value); }
std::string share(double value, double change) {
  return change == 0 ? "" : fmt::format("{:.1f}%", 100 * value / change);
}

void print_effects(const std::vector<Effect>& effects, int64_t count, const RowQuestion& question, double change,
                   std::string_view heading) {
  fmt::print("\n");
  Lines lines = {{std::string(heading), "value", "share"}};
  for (const Effect& effect : effects) {
    lines.push_back(
        {printable(names_of(effect, question.players)), signed_number(effect.value), share(effect.value, change)});
  }
  print_columns(lines, 2);
  if (const int64_t rest = count - std::ssize(effects); rest > 0) {
    fmt::print("  and {} smaller\n", with_thousands(rest));
  }
}

void print_estimate(const RowQuestion& question, const Answer& answer, int64_t most) {
  const std::vector<Effect>& effects = answer.estimate->effects.effects;
  std::vector<size_t> ranking(effects.size());
  std::iota(ranking.begin(), ranking.end(), 0);
  std::stable_sort(ranking.begin(), ranking.end(),
                   [&](size_t a, size_t b) { return std::abs(effects[a].value) > std::abs(effects[b].value); });
  fmt::print("\n  {}: {}\n  {}\n\n", answer.index->title, answer.index->formula, answer.index->source);
  Lines lines = {{answer.index->name, "value", "standard error", "share"}};
  const size_t shown = std::min(ranking.size(), static_cast<size_t>(most));
  for (size_t i = 0; i < shown; ++i) {
    const Effect& effect = effects[ranking[i]];
    lines.push_back({printable(names_of(effect, question.players)), signed_number(effect.value),
                     fmt::format("{:.2g}", answer.estimate->standard_errors[ranking[i]]),
                     share(effect.value, answer.summary.change())});
  }
  print_columns(lines, 2);
  if (ranking.size() > shown)
    fmt::print("  and {} smaller\n", with_thousands(std::ssize(ranking) - std::ssize(lines) + 1));
}

void print_orders(const EffectSummary& summary) {
  fmt::print("\n");
  Lines lines = {{"players in the set", "effects", "sum", "share", "sum of magnitudes", "beyond rounding"}};
  for (const OrderSummary& order : summary.orders) {
    lines.push_back({fmt::format("{}", order.order), with_thousands(order.count), signed_number(order.sum),
                     share(order.sum, summary.change()), number(order.absolute),
                     with_thousands(order.beyond_rounding)});
  }
  print_columns(lines, 2);
}

std::vector<Effect> sorted_by_magnitude(const Effects& effects, int64_t most) {
  std::vector<Effect> sorted = effects.effects;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Effect& a, const Effect& b) { return std::abs(a.value) > std::abs(b.value); });
  sorted.resize(std::min<size_t>(sorted.size(), static_cast<size_t>(most)));
  return sorted;
}

// How the Taylor terms of a set add up to its J(S), degree by degree.
void print_supports(const RowQuestion& question, const Answer& answer, int64_t most) {
  std::vector<std::pair<double, SupportSum>> sets;
  for (SupportSum& sum : sums_by_support(*answer.taylor)) {
    sets.emplace_back(std::abs(dividend_of(answer, sum.support).value_or(sum.by_order.back())), std::move(sum));
  }
  std::stable_sort(sets.begin(), sets.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  Lines lines = {{"set"}};
  for (int k = 1; k <= answer.taylor->effects.order; ++k) lines[0].push_back(fmt::format("to degree {}", k));
  lines[0].push_back("J(S)");
  for (size_t i = 0; i < std::min<size_t>(sets.size(), static_cast<size_t>(most)); ++i) {
    const SupportSum& sum = sets[i].second;
    std::vector<std::string> line = {printable(names_of({sum.support, {}, 0}, question.players))};
    for (size_t k = 1; k < sum.by_order.size(); ++k) line.push_back(signed_number(sum.by_order[k]));
    const auto dividend = dividend_of(answer, sum.support);
    line.push_back(dividend ? signed_number(*dividend) : "");
    lines.push_back(line);
  }
  print_columns(lines, 2);
}

void print_taylor(const RowQuestion& question, const Answer& answer, int64_t most) {
  const TaylorEffects& taylor = *answer.taylor;
  fmt::print("\n  Taylor effects at the baseline to degree {}, added up by set\n", taylor.effects.order);
  if (taylor.piecewise_linear) {
    fmt::print(
        "  The network is piecewise linear where the baseline lies: all terms beyond degree 1 vanish, and the\n"
        "  interactions come from its kinks, which no Taylor series sees. J(S) is the thing to read.\n");
  } else if (!taylor.converging) {
    fmt::print("  The sums do not shrink with the degree: the input lies too far from the baseline for the series.\n");
  }
  fmt::print("\n");
  print_supports(question, answer, most);
  fmt::print("\n");
  Lines lines = {{"degree", "sum of its terms", "share", "error at most"}};
  for (const Conditioning& order : taylor.conditioning) {
    lines.push_back({fmt::format("{}", order.order), signed_number(order.sum),
                     share(order.sum, taylor.effects.change()), fmt::format("{:.1e}", order.error_bound)});
  }
  print_columns(lines, 2);
  fmt::print("  remainder {}: change - sum of all terms\n", signed_number(taylor.effects.remainder));
}

// ---- as JSON ----

Json effects_as_json(const std::vector<Effect>& effects) {
  Json list = Json::array();
  for (const Effect& effect : effects) {
    Json one = {{"support", effect.support}};
    if (!effect.degree.empty()) one["degree"] = effect.degree;
    one["value"] = effect.value;
    list.push_back(one);
  }
  return list;
}

Json taylor_as_json(const TaylorEffects& taylor) {
  Json json = {{"order", taylor.effects.order},
               {"effects", effects_as_json(taylor.effects.effects)},
               {"remainder", taylor.effects.remainder},
               {"piecewise_linear", taylor.piecewise_linear},
               {"converging", taylor.converging}};
  json["degrees"] = Json::array();
  for (const Conditioning& order : taylor.conditioning) {
    json["degrees"].push_back({{"degree", order.order}, {"sum", order.sum}, {"error_bound", order.error_bound}});
  }
  return json;
}

// ---- as files ----

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

Tensor values_of(const std::vector<Effect>& effects) {
  std::vector<double> values;
  for (const Effect& effect : effects) values.push_back(effect.value);
  return Tensor::of<double>({std::ssize(values)}, values);
}

std::string arrays_of(const RowQuestion& question, const Answer& answer) {
  std::vector<std::pair<std::string, Tensor>> arrays;
  if (answer.exact) {
    arrays.emplace_back("dividends", Tensor::of<double>({std::ssize(answer.exact->values)}, answer.exact->values));
  } else if (answer.estimate) {
    const std::vector<Effect>& effects = answer.estimate->effects.effects;
    const std::vector<double>& errors = answer.estimate->standard_errors;
    arrays.emplace_back("index_support", padded(effects, &Effect::support));
    arrays.emplace_back("index_value", values_of(effects));
    arrays.emplace_back("index_standard_error", Tensor::of<double>({std::ssize(errors)}, errors));
  } else {
    arrays.emplace_back("support", padded(answer.truncated->effects, &Effect::support));
    arrays.emplace_back("value", values_of(answer.truncated->effects));
  }
  if (answer.index_values) {
    arrays.emplace_back("index_support", padded(answer.index_values->effects, &Effect::support));
    arrays.emplace_back("index_value", values_of(answer.index_values->effects));
  }
  if (answer.taylor) {
    const std::vector<Effect>& terms = answer.taylor->effects.effects;
    arrays.emplace_back("taylor_support", padded(terms, &Effect::support));
    arrays.emplace_back("taylor_degree", padded(terms, &Effect::degree));
    arrays.emplace_back("taylor_value", values_of(terms));
  }
  if (!answer.estimate) {
    const auto& psi = answer.summary.independent;
    arrays.emplace_back("independent", Tensor::of<double>({std::ssize(psi)}, psi));
  }
  const std::vector<int64_t> owner(question.players.owner.begin(), question.players.owner.end());
  arrays.emplace_back("owner", Tensor::of<int64_t>(question.row, owner));
  arrays.emplace_back("x", question.point[question.input].reshaped(question.row));
  arrays.emplace_back("baselines", question.baselines);
  return format_npz(arrays);
}

std::vector<Effect> independent_effects(const EffectSummary& summary, size_t most) {
  Effects singles;
  for (size_t p = 0; p < summary.independent.size(); ++p) {
    singles.effects.push_back({{static_cast<int>(p)}, {}, summary.independent[p]});
  }
  return sorted_by_magnitude(singles, static_cast<int64_t>(most));
}

std::vector<NamedBytes> pictures_of(const RowQuestion& question, const Answer& answer, const Options& options) {
  EffectPictures pictures{answer.summary, question.players, std::nullopt, question.title(options.model.path)};
  std::vector<NamedBytes> files = {{"orders.svg", orders_svg(pictures)}};
  if (question.players.image && question.picture) {
    pictures.input = picture_of(question.point[question.input], *question.players.image, question.picture->preprocess);
    files.push_back({"independent.svg", independent_svg(pictures)});
    files.push_back({"independent.png", encode_png(independent_map(pictures))});
    if (answer.summary.order >= 2) files.push_back({"pairs.svg", pairs_svg(pictures)});
    if (answer.summary.order >= 3) files.push_back({"triples.svg", triples_svg(pictures)});
    return files;
  }
  constexpr size_t kMostBars = 30;
  files.push_back({"independent.svg", effect_bars_svg(pictures, independent_effects(answer.summary, kMostBars),
                                                      "Independent effects ψ(i)")});
  Effects together;
  together.effects = answer.summary.pairs;
  together.effects.insert(together.effects.end(), answer.summary.triples.begin(), answer.summary.triples.end());
  if (answer.summary.order >= 2) {
    files.push_back({"interactions.svg", effect_bars_svg(pictures, sorted_by_magnitude(together, kMostBars),
                                                         "The strongest interactions J(S) of pairs and triples")});
  }
  return files;
}

}  // namespace

void print_decomposition(const RowQuestion& question, const Answer& answer, const Options& options) {
  const EffectSummary& summary = answer.summary;
  const double change = summary.change();
  fmt::print("{}\n", question.title(options.model.path));
  Lines lines;
  lines.push_back(
      {"players", fmt::format("{} ({})", question.players.count(), printable(question.players.description))});
  lines.push_back({"baseline b", question.baselines_text(options.question.baseline)});
  lines.push_back({"f(x)", number(summary.output)});
  lines.push_back({"f(b)", number(summary.baseline_output)});
  lines.push_back({"change", signed_number(change)});
  if (answer.estimate) {
    lines.push_back(
        {"not shared", fmt::format("{} = change - sum of the values below", signed_number(summary.remainder))});
  } else if (answer.truncated && summary.order < summary.players) {
    const std::string part = change == 0 ? "" : fmt::format(" ({} of the change)", share(summary.remainder, change));
    lines.push_back(
        {"left out", fmt::format("{}{}: all effects of more than {}", signed_number(summary.remainder), part,
                                 summary.order == 1 ? "one player" : fmt::format("{} players", summary.order))});
  } else {
    lines.push_back({"residual", fmt::format("{:.2g} = change - sum of all effects", summary.remainder)});
  }
  const std::string each =
      question.baseline_count() == 1 ? "" : fmt::format(" of {} rows each", question.baseline_count());
  lines.push_back(
      {"work", fmt::format("{} evaluations{} in {:.2f} s", with_thousands(summary.evaluations), each, answer.seconds)});
  print_columns(lines, 2);
  const int64_t most = options.top > 0 ? options.top : kShownEffects;
  if (answer.estimate) {
    print_estimate(question, answer, most);
    return;
  }
  if (answer.index_values) {
    fmt::print("\n  {}: {}\n  {}\n", answer.index->title, answer.index->formula, answer.index->source);
    const std::vector<Effect> largest = sorted_by_magnitude(*answer.index_values, most);
    print_effects(largest, std::ssize(answer.index_values->effects), question, change, answer.index->name);
  } else {
    const auto shown = std::min(most, std::ssize(summary.strongest));
    print_effects({summary.strongest.begin(), summary.strongest.begin() + shown}, summary.count, question, change,
                  "effect");
  }
  print_orders(summary);
  if (answer.taylor) print_taylor(question, answer, most);
}

Json decomposition_as_json(const RowQuestion& question, const Answer& answer, const Options& options) {
  const EffectSummary& summary = answer.summary;
  Json json = {{"model", options.model.path},
               {"input", question.source},
               {"target", question.target_as_json()},
               {"explains", question.explains},
               {"players", question.players.names},
               {"grouping", question.players.description},
               {"baseline", options.question.baseline},
               {"baselines", question.baseline_count()},
               {"order", summary.order},
               {"exact", answer.exact.has_value()},
               {"output", summary.output},
               {"baseline_output", summary.baseline_output},
               {"effects", effects_as_json(summary.strongest)},
               {"effects_in_all", summary.count},
               {"remainder", summary.remainder}};
  json["orders"] = Json::array();
  for (const OrderSummary& order : summary.orders) {
    json["orders"].push_back({{"players", order.order},
                              {"effects", order.count},
                              {"sum", order.sum},
                              {"sum_of_magnitudes", order.absolute},
                              {"beyond_rounding", order.beyond_rounding}});
  }
  if (answer.index_values) {
    json["index"] = {{"name", answer.index->name},
                     {"order", answer.index_values->order},
                     {"effects", effects_as_json(answer.index_values->effects)}};
  }
  if (answer.estimate) {
    json["index"] = {{"name", answer.index->name},
                     {"order", 2},
                     {"samples", answer.estimate->samples},
                     {"effects", effects_as_json(answer.estimate->effects.effects)},
                     {"standard_errors", answer.estimate->standard_errors}};
    json.erase("effects");  // they are the index's, not the decomposition's
  }
  if (answer.taylor) json["taylor"] = taylor_as_json(*answer.taylor);
  json["evaluations"] = summary.evaluations;
  json["seconds"] = answer.seconds;
  json["notes"] = answer.notes;
  return json;
}

void check_decomposition_files(const Options& options) {
  if (options.file.path.empty()) return;
  if (!into_folder(options)) {
    check_output(options.file, {".npz"});
    return;
  }
  const std::string suffix = std::filesystem::path(options.file.path).extension().string();
  for (const std::string_view known : {".npy", ".json", ".png", ".svg", ".html", ".csv"}) {
    if (suffix == known) fail(ErrorKind::argument, options.file.path, "expected a folder, or a name that ends in .npz");
  }
  check_output_folder(options.file, {"effects.npz", "effects.json", "independent.svg", "independent.png", "pairs.svg",
                                     "triples.svg", "interactions.svg", "orders.svg"});
}

void write_decomposition(const RowQuestion& question, const Answer& answer, const Options& options) {
  if (options.file.path.empty()) return;
  if (!into_folder(options)) {
    write_output(options.file, arrays_of(question, answer));
    return;
  }
  std::vector<NamedBytes> files = pictures_of(question, answer, options);
  files.push_back({"effects.npz", arrays_of(question, answer)});
  const std::string json =
      decomposition_as_json(question, answer, options).dump(2, ' ', false, Json::error_handler_t::replace);
  files.push_back({"effects.json", json + "\n"});
  write_output_folder(options.file, files);
}

}  // namespace ascribe::core
