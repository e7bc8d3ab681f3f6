#include "study/affordable.h"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "methods/foreign.h"

namespace ascribe::core::study {

namespace {

constexpr double kPassesOfGraphs = 3;  // of a method that goes through the network as a whole, in gradients
constexpr double kPassesPerDraw = 4;   // of a neuron
constexpr double kSmoothNodes = 32;    // that an integral takes where the network is smooth
constexpr int64_t kFewestNodes = 16, kFewestSamples = 4, kFewestWindows = 4;  // windows along a side
constexpr int64_t kFewestPerturbations = 25, kFewestSteps = 6;
constexpr const char* kGoodEnough = "0.01";  // of the change: what an integral may miss where its tolerance is too far

bool declares(std::span<const Parameter> parameters, std::string_view name) {
  return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == name; });
}

bool has_windows(const Method& method) {
  return declares(method.parameters, "size") && declares(method.parameters, "stride");
}

int64_t shorter_side(const Players& players) {
  if (const auto& plane = players.plane(); plane && players.image) return std::min(plane->height, plane->width);
  if (const auto& plane = players.plane()) return plane->width;
  return std::ssize(players.owner);
}

int64_t window_size(const Parameters& parameters, const Players& players) {
  const int64_t size = parameters.integer("size");
  return size > 0 ? size : std::max<int64_t>(2, shorter_side(players) / 14);
}

double windows_of(const Parameters& parameters, const Players& players) {
  const int64_t size = window_size(parameters, players), given = parameters.integer("stride");
  const int64_t stride = given == 0 ? size : given;
  const auto along = [&](int64_t extent) { return 1 + std::max<int64_t>(0, extent - size + stride - 1) / stride; };
  const auto& plane = players.plane();
  if (!plane || !players.image) return static_cast<double>(along(shorter_side(players)));
  return static_cast<double>(along(plane->height) * along(plane->width));
}

double forward_of(const Method& method, const Parameters& parameters, const Players& players) {
  const auto m = static_cast<double>(players.count());
  if (has_windows(method)) return 1 + windows_of(parameters, players);
  const bool samples = declares(method.parameters, "samples");
  if (declares(method.parameters, "exact") && samples) {
    if (players.count() <= parameters.integer("exact")) return std::exp2(m);
    return static_cast<double>(parameters.integer("samples")) * m;
  }
  if (!samples) return 1 + m;
  const auto draws = static_cast<double>(parameters.integer("samples"));
  if (!declares(method.parameters, "distribution")) return draws;
  return parameters.text("distribution") == "marginal" ? 1 + m : draws * (1 + m);
}

double nodes_of(const Parameters& parameters, bool kinks) {
  if (const int64_t steps = parameters.integer("steps"); steps > 0) return static_cast<double>(steps);
  const auto most = static_cast<double>(parameters.integer("most"));
  return 2 + (kinks ? most : std::min(most, kSmoothNodes));
}

void set_parameter(ChosenMethod& chosen, const std::string& key, const std::string& value) {
  std::map<std::string, std::string> all(chosen.parameters.all().begin(), chosen.parameters.all().end());
  all[key] = value;
  chosen.parameters = Parameters(chosen.method.name, chosen.method.parameters, all);
}

// What a number is after it was made smaller; nothing: it is small already, or the caller's.
std::optional<int64_t> halved(const std::map<std::string, std::string>& given, const std::string& key, int64_t now,
                              int64_t fewest) {
  if (given.contains(key) || now <= fewest) return std::nullopt;
  return std::max(fewest, now / 2);
}

bool has_own_nodes(const ChosenMethod& chosen) {
  return std::any_of(chosen.given.begin(), chosen.given.end(), [](const auto& setting) {
    return setting.first == "steps" || setting.first == "most" || setting.first == "tolerance" ||
           setting.first == "enough";
  });
}

// Those with the most nodes get half of them. Methods with the same nodes share their paths.
std::optional<std::string> lower_paths(std::span<ChosenMethod* const> paths) {
  int64_t most = 0;
  for (const ChosenMethod* one : paths) most = std::max(most, one->parameters.integer("most"));
  if (most <= kFewestNodes) return std::nullopt;
  most = std::max(kFewestNodes, most / 2);
  for (ChosenMethod* one : paths) {
    if (one->parameters.integer("most") < most) continue;
    set_parameter(*one, "most", std::to_string(most));
    set_parameter(*one, "enough", kGoodEnough);
  }
  return fmt::format("most={}, enough={}", most, kGoodEnough);
}

// Of methods with the same rule the paths are walked once.
double nodes_of_all(std::span<ChosenMethod* const> paths, const Asking& asking) {
  std::map<std::string, double> by_rule;
  for (const ChosenMethod* one : paths) {
    const Parameters& p = one->parameters;
    const bool drawn = declares(one->method.parameters, "distribution") && p.text("distribution") != "background";
    const std::string rule = fmt::format("{} {} {} {} {}", p.text("steps"), p.text("tolerance"), p.text("most"),
                                         p.text("enough"), drawn ? one->method.name : "");
    by_rule[rule] = passes_of(one->method, p, asking).gradient;
  }
  double sum = 0;
  for (const auto& [rule, nodes] : by_rule) sum += nodes;
  return sum;
}

// Half as many windows along a side.
std::optional<std::string> lower_windows(ChosenMethod& chosen, const Players& players) {
  if (chosen.given.contains("size") || chosen.given.contains("stride")) return std::nullopt;
  const int64_t size = window_size(chosen.parameters, players), shorter = shorter_side(players);
  if (shorter / size <= kFewestWindows) return std::nullopt;
  const int64_t larger = std::min(size * 2, (shorter + kFewestWindows - 1) / kFewestWindows);
  set_parameter(chosen, "size", std::to_string(larger));
  return fmt::format("size={}", larger);
}

std::optional<std::string> lower_samples(ChosenMethod& chosen, const Players& players) {
  if (declares(chosen.method.parameters, "exact") && players.count() <= chosen.parameters.integer("exact")) return {};
  const auto samples = halved(chosen.given, "samples", chosen.parameters.integer("samples"), kFewestSamples);
  if (!samples) return std::nullopt;
  set_parameter(chosen, "samples", std::to_string(*samples));
  return fmt::format("samples={}", *samples);
}

std::optional<std::string> lower_method(ChosenMethod& chosen, const Players& players) {
  const Method& method = chosen.method;
  if (has_windows(method)) return lower_windows(chosen, players);
  const bool estimates = declares(method.parameters, "exact") || !method.players;
  if (estimates && declares(method.parameters, "samples") && !declares(method.parameters, "granularity")) {
    return lower_samples(chosen, players);
  }
  return std::nullopt;
}

}  // namespace

bool integrates(const Method& method) {
  return declares(method.parameters, "steps") && declares(method.parameters, "most");
}

bool masks_players(const Method& method) { return method.players; }

Passes passes_of(const Method& method, const Parameters& parameters, const Asking& asking) {
  if (method.source == kForeignSource) return {};
  const auto baselines = static_cast<double>(method.baselines ? asking.baselines : 1);
  if (method.players) return {baselines * forward_of(method, parameters, asking.players), 0};
  if (integrates(method)) return {0, baselines * nodes_of(parameters, asking.kinks)};
  if (declares(method.parameters, "samples") && !method.baselines) {
    return {0, static_cast<double>(parameters.integer("samples"))};
  }
  // Shapley values of neurons take their draws forward.
  const bool neurons = declares(method.parameters, "granularity") && parameters.text("granularity") == "module";
  const double draws = neurons ? kPassesPerDraw * static_cast<double>(parameters.integer("samples")) : 0;
  return {baselines * draws, baselines * kPassesOfGraphs};
}

std::string Lowered::names() const { return fmt::format("{}", fmt::join(parts, ", ")); }

std::string Lowered::words() const {
  constexpr std::pair<const char*, const char*> kWords[] = {{"samples", "with fewer samples"},
                                                            {"most", "with fewer points along each path"},
                                                            {"size", "with larger windows"},
                                                            {"perturbations", "with fewer changed inputs"},
                                                            {"steps", "with fewer points on each curve"}};
  for (const auto& [key, text] : kWords) {
    if (setting.starts_with(std::string(key) + "=")) return fmt::format("{} ({})", text, setting);
  }
  return "with " + setting;
}

std::string setting_of(const std::vector<Lowered>& lowered, const std::string& part) {
  for (const Lowered& one : lowered) {
    if (std::find(one.parts.begin(), one.parts.end(), part) != one.parts.end()) return one.setting;
  }
  return "";
}

std::vector<Lowered> lower_to(double seconds, std::vector<Dial>& dials) {
  std::vector<Lowered> lowered;
  std::vector<bool> fixed(dials.size(), false);
  while (true) {
    double sum = 0, largest = -1;
    size_t worst = dials.size();
    for (size_t i = 0; i < dials.size(); ++i) {
      const double own = dials[i].seconds();
      sum += own;
      if (!fixed[i] && own > largest) largest = own, worst = i;
    }
    if (sum <= seconds || worst == dials.size()) return lowered;
    const std::optional<std::string> setting = dials[worst].lower();
    if (!setting) {
      fixed[worst] = true;
      continue;
    }
    const auto known = std::find_if(lowered.begin(), lowered.end(),
                                    [&](const Lowered& one) { return one.parts == dials[worst].parts; });
    if (known == lowered.end()) lowered.push_back({dials[worst].parts, *setting});
    else known->setting = *setting;
  }
}

std::vector<Dial> dials_of(std::vector<ChosenMethod>& methods, const Asking& asking, const Pace& pace, double rows) {
  std::vector<Dial> dials;
  std::vector<ChosenMethod*> paths;
  std::vector<std::string> names;
  for (ChosenMethod& chosen : methods) {
    if (!integrates(chosen.method) || has_own_nodes(chosen)) continue;
    paths.push_back(&chosen);
    names.push_back(chosen.method.name);
  }
  if (!paths.empty()) {
    dials.push_back({names, [paths, &asking, pace, rows] { return rows * nodes_of_all(paths, asking) * pace.gradient; },
                     [paths] { return lower_paths(paths); }});
  }
  for (ChosenMethod& chosen : methods) {
    if (std::find(paths.begin(), paths.end(), &chosen) != paths.end()) continue;
    dials.push_back({{chosen.method.name},
                     [&chosen, &asking, pace, rows] {
                       return rows * passes_of(chosen.method, chosen.parameters, asking).seconds(pace);
                     },
                     [&chosen, &asking] { return lower_method(chosen, asking.players); }});
  }
  return dials;
}

// ---- metrics ----

Passes passes_of_metric(const Metric& metric, const Parameters& parameters, const Players& players, int64_t methods,
                        int64_t baselines) {
  double rows = 0;
  if (declares(metric.parameters, "perturbations") && declares(metric.parameters, "size")) {
    rows = static_cast<double>(parameters.integer("perturbations"));
  } else if (declares(metric.parameters, "steps") && declares(metric.parameters, "scale")) {
    rows = static_cast<double>(methods * (std::min(players.count(), parameters.integer("steps")) - 1));
  }
  return {static_cast<double>(baselines) * rows, 0};
}

namespace {

// The parameter that makes a metric smaller; null: there is none.
const char* sizing_parameter(const Metric& metric) {
  if (declares(metric.parameters, "perturbations") && declares(metric.parameters, "size")) return "perturbations";
  return declares(metric.parameters, "steps") && declares(metric.parameters, "scale") ? "steps" : nullptr;
}

std::optional<std::string> lower_metrics(std::span<ChosenMetric* const> metrics, const Players& players) {
  const std::string key = sizing_parameter(metrics[0]->metric);
  const bool curve = key == "steps";
  int64_t now = 0;
  for (const ChosenMetric* one : metrics) now = std::max(now, one->parameters.integer(key));
  if (curve) now = std::min(now, players.count());
  const auto fewer = halved({}, key, now, curve ? kFewestSteps : kFewestPerturbations);
  if (!fewer) return std::nullopt;
  for (ChosenMetric* one : metrics) {
    std::map<std::string, std::string> all(one->parameters.all().begin(), one->parameters.all().end());
    all[key] = std::to_string(std::min(*fewer, one->parameters.integer(key)));
    one->parameters = Parameters(one->metric.name, one->metric.parameters, all);
  }
  return fmt::format("{}={}", key, *fewer);
}

}  // namespace

std::vector<Dial> dials_of(std::vector<ChosenMetric>& metrics, const Players& players, int64_t methods,
                           int64_t baselines, const Pace& pace) {
  std::vector<Dial> dials;
  for (const char* key : {"perturbations", "steps"}) {
    std::vector<ChosenMetric*> alike;
    std::vector<std::string> names;
    for (ChosenMetric& chosen : metrics) {
      const char* size = sizing_parameter(chosen.metric);
      if (size == nullptr || std::string_view(size) != key) continue;
      alike.push_back(&chosen);
      names.push_back(chosen.metric.name);
    }
    if (alike.empty()) continue;
    const bool same_inputs = std::string_view(key) == "perturbations";  // for all of them
    const auto seconds = [alike, same_inputs, &players, methods, baselines, pace] {
      double sum = 0;
      for (const ChosenMetric* one : alike) {
        const double own = passes_of_metric(one->metric, one->parameters, players, methods, baselines).seconds(pace);
        sum = same_inputs ? std::max(sum, own) : sum + own;
      }
      return sum;
    };
    dials.push_back({names, seconds, [alike, &players] { return lower_metrics(alike, players); }});
  }
  return dials;
}

int64_t evaluations_again(int64_t few, double seconds, double each, double available, int64_t most) {
  const auto count = static_cast<double>(few);
  const double looking = std::max(0.0, seconds - each * count) / (count * count);
  const double root = std::sqrt(each * each + 4 * looking * std::max(0.0, available));
  const double fit = each + root > 0 ? 2 * available / (each + root) : 0;
  int64_t many = few;
  while (2 * many <= most && static_cast<double>(2 * many) <= fit) many *= 2;
  return many;
}

}  // namespace ascribe::core::study
