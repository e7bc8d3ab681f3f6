#include "theory/verification.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/ranges.h>

#include "base/random.h"
#include "derivatives/kinks.h"
#include "derivatives/mixed_terms.h"
#include "methods/gauss_legendre.h"
#include "methods/question_game.h"
#include "theory/rule_by_order.h"
#include "theory/windows.h"

namespace ascribe::core {

namespace {

constexpr int kSeriesOrder = 32;  // to which a series is followed to see where it leads
constexpr int64_t kSeriesDirections = 8;
constexpr int64_t kQuadrature = 32;  // nodes of the path integrals: exact to degree 63

// What verification needs to know of a method besides its allocation rule.
struct Verified {
  std::string method;
  bool several_baselines = false;
  bool sums_a_series = true;
};

const std::vector<Verified>& verified_methods() {
  static const std::vector<Verified> methods = {
      {.method = "gradient_x_input", .sums_a_series = false},
      {.method = "occlusion"},
      {.method = "occlusion_patch"},
      {.method = "prediction_difference", .several_baselines = true},
      {.method = "integrated_gradients"},
      {.method = "expected_gradients", .several_baselines = true},
      {.method = "shapley"},
  };
  return methods;
}

ShapleyOrders shapley_orders(const VerificationOptions& options) {
  return {kExactPlayers, options.permutations / 2, options.seed};
}

// ---- one input ----

// x with N(0, sigma^2) added. The same noise for every sigma, so that only the distance differs.
Tensor noisy_rows(const Tensor& x, double sigma, int64_t rows, uint64_t seed, uint64_t input) {
  Shape shape = x.shape();
  shape[0] = rows;
  Tensor noisy(DType::f64, shape);
  const auto to = noisy.mutable_data<double>();
  const int64_t size = x.size();
  const Random random(seed, input);
  for (int64_t i = 0; i < rows * size; ++i) to[i] = x.at(i % size) + sigma * random.normal(static_cast<uint64_t>(i));
  return noisy;
}

struct Measured {
  std::vector<double> errors;  // for each of the options' orders
  int listed_order = 0;
  double listed_difference = 0;
  std::optional<double> dividends;
};

class InputCheck {
 public:
  InputCheck(ExplainedModel& model, OrderSums& sums, Kinks& kinks, const VerificationOptions& options,
             const std::map<std::string, std::map<std::string, std::string>>& parameters, Question question)
      : model_(model),
        sums_(sums),
        kinks_(kinks),
        options_(options),
        parameters_(parameters),
        several_(std::move(question)) {
    single_ = several_;
    Shape one = several_.baselines.shape();
    one[0] = 1;
    single_.baselines = Tensor(DType::f64, one);
    const auto first = several_.baselines.data<double>().first(static_cast<size_t>(single_.baselines.size()));
    std::copy(first.begin(), first.end(), single_.baselines.mutable_data<double>().begin());
    expansions_ = expansions_at_baselines(model_, several_);
  }

  // Of the first baseline, and the worst of all.
  std::pair<InputSeries, InputSeries> series() {
    const InputSeries first = series_from(expansions_[0]);
    InputSeries worst = first;
    for (size_t b = 1; b < expansions_.size(); ++b) {
      const InputSeries one = series_from(expansions_[b]);
      worst.radius = std::min(worst.radius, one.radius);
      worst.series = worse(worst.series, one.series);
    }
    return {first, worst};
  }

  Measured check(const Verified& verified) {
    const Question& question = verified.several_baselines ? several_ : single_;
    const Method& method = method_named(verified.method);
    const auto given = parameters_.find(verified.method);
    const Parameters parameters(method.name, method.parameters,
                                given == parameters_.end() ? std::map<std::string, std::string>{} : given->second);
    const std::vector<double> a_star =
        attribute(method, model_, std::span(&question, 1), parameters, options_.seed)[0].values;
    const ByOrder sums = cumulative(verified);
    Measured measured;
    for (const int order : options_.orders) {
      measured.errors.push_back(relative_error(sums[static_cast<size_t>(order)], a_star, a_star));
    }
    list_terms(verified, sums, measured);
    use_dividends(verified, question, a_star, measured);
    return measured;
  }

 private:
  InputSeries series_from(const Expansion& at) {
    const int64_t players = several_.players.count();
    const CoalitionPlan plan = shapley_plan(players, shapley_orders(options_));
    Coalitions some(players);
    for (int64_t i = 0; i < kSeriesDirections; ++i) {
      some.add(plan.sets.words(i * (plan.sets.size() - 1) / kSeriesDirections));
    }
    const auto coefficients = sums_.coefficients(at, some, std::max(kSeriesOrder, sums_.order()));
    InputSeries found{std::numeric_limits<double>::infinity()};
    for (const auto& of_set : coefficients) found.radius = std::min(found.radius, radius_of_convergence(of_set));
    // Set 0 is everyone: there the sum is known.
    const double output = model_.values(single_.point, std::array{single_.target})[0];
    double sum = 0, scale = std::abs(output);
    for (const double c : coefficients[0]) sum += c, scale = std::max(scale, std::abs(c));
    const bool kinks = kinks_.any() && (kinks_on_the_way(at) || kinks_before(at, leave_one_out(players).sets) ||
                                        kinks_before(at, plan.sets) || kinks_before_windows(at));
    found.series = worse(judge_radius(found.radius), judge_series(coefficients[0], output - sum, scale, kinks));
    return found;
  }

  bool kinks_before(const Expansion& at, const Coalitions& sets) {
    for (int64_t first = 0; first < sets.size(); first += kinks_.rows_at_once()) {
      const int64_t count = std::min(kinks_.rows_at_once(), sets.size() - first);
      if (kinks_.between(at.point, moved(at, directions_of(at, sets, first, count)))) return true;
    }
    return false;
  }

  bool kinks_before_windows(const Expansion& at) {
    const auto given = parameters_.find("occlusion_patch");
    if (given == parameters_.end() || given->second.empty()) return false;
    return kinks_before(at, window_plan(several_.players.count(), context("occlusion_patch").windows).sets);
  }

  // Where the path integrals look.
  bool kinks_on_the_way(const Expansion& at) {
    for (const double t : gauss_legendre(kQuadrature).nodes) {
      Tensor step = at.step;
      for (double& number : step.mutable_data<double>()) number *= t;
      if (kinks_.between(at.point, moved(at, std::move(step)))) return true;
    }
    return false;
  }

  // The point plus each row.
  Tensor moved(const Expansion& at, Tensor rows) const {
    const auto start = at.point[model_.input()].data<double>();
    const auto to = rows.mutable_data<double>();
    for (size_t i = 0; i < to.size(); ++i) to[i] += start[i % start.size()];
    return rows;
  }

  // Where the rule expands the model.
  std::vector<Expansion> expansions(const Verified& verified) const {
    if (!verified.sums_a_series) return {expansion_at_input(model_, single_)};
    return {expansions_.begin(), expansions_.begin() + (verified.several_baselines ? std::ssize(expansions_) : 1)};
  }

  ByOrder cumulative(const Verified& verified) {
    std::vector<ByOrder> all;
    for (const Expansion& at : expansions(verified)) {
      all.push_back(rule_by_order(verified.method, sums_, at, context(verified.method), shapley_orders(options_)));
    }
    return running_sum(all);
  }

  AllocationContext context(const std::string& method) const {
    AllocationContext context;
    if (method != "occlusion_patch") return context;
    const int64_t size = std::stoll(parameters_.at(method).at("size"));
    context.windows = *player_windows(several_.players, size, size);
    return context;
  }

  int listed_order() const {
    int order = 0;
    while (order < sums_.order() && cost_of_terms(several_.players.count(), order + 1).terms <= options_.most_terms) {
      ++order;
    }
    return several_.players.count() <= kExactPlayers ? order : 0;
  }

  // The rule's weights applied to every term by itself, against the sums.
  void list_terms(const Verified& verified, const ByOrder& sums, Measured& to) {
    to.listed_order = listed_order();
    if (to.listed_order == 0) return;
    const AllocationRule& rule = allocation_rule(verified.method);
    const AllocationContext known = context(verified.method);
    const std::vector<Expansion> all = expansions(verified);
    Listed listed;
    for (size_t e = 0; e < all.size(); ++e) {
      auto& effects = terms_[{verified.sums_a_series, e}];
      if (!effects) effects = sums_.enumerate(all[e], to.listed_order, options_.most_terms);
      listed.add(rule, known, *effects, 1 / static_cast<double>(all.size()));
    }
    to.listed_difference = relative_error(listed.values, sums[static_cast<size_t>(to.listed_order)], listed.sizes);
  }

  void use_dividends(const Verified& verified, const Question& question, const std::vector<double>& a_star,
                     Measured& to) {
    const AllocationRule& rule = allocation_rule(verified.method);
    if (!rule.depends_on_support_only || question.players.count() > kExactPlayers) return;
    Game game = question_game(model_, question);
    const Dividends dividends = exact_dividends(game, model_.memory());
    to.dividends = relative_error(allocate(rule, context(verified.method), dividends), a_star, a_star);
  }

  ExplainedModel& model_;
  OrderSums& sums_;
  Kinks& kinks_;
  const VerificationOptions& options_;
  const std::map<std::string, std::map<std::string, std::string>>& parameters_;
  Question several_, single_;  // with all baselines, and with the first alone
  std::vector<Expansion> expansions_;
  std::map<std::pair<bool, size_t>, std::optional<Effects>> terms_;  // at the baselines, and at x
};

// ---- all inputs ----

FittingError summarise(const Verified& verified, double sigma, const std::vector<Measured>& measured,
                       const std::vector<InputSeries>& series, const std::vector<int>& orders) {
  FittingError result;
  result.method = verified.method;
  result.sigma = sigma;
  result.sums_a_series = verified.sums_a_series;
  const auto counts = [&](size_t i) { return !verified.sums_a_series || series[i].series == Series::converges; };
  result.inputs = std::ssize(measured);
  for (size_t i = 0; i < measured.size(); ++i) {
    result.inside += counts(i) ? 1 : 0;
    if (verified.sums_a_series) ++result.series.of(series[i].series);
  }
  for (size_t k = 0; k < orders.size(); ++k) {
    std::vector<double> inside, all;
    for (size_t i = 0; i < measured.size(); ++i) {
      all.push_back(measured[i].errors[k]);
      if (counts(i)) inside.push_back(measured[i].errors[k]);
    }
    result.orders.push_back({orders[k], mean_of(inside), mean_of(all)});
  }
  for (const Measured& one : measured) {
    result.listed_order = one.listed_order;
    result.listed_difference = std::max(result.listed_difference, one.listed_difference);
    if (one.dividends) result.dividends = std::max(result.dividends.value_or(0), *one.dividends);
  }
  return result;
}

// The methods that were asked for, without those that the players do not allow; what they are told.
std::vector<Verified> choose(const VerificationOptions& options, const Players& players, VerificationResult& result) {
  const auto asked = [&](const std::string& name) {
    return options.methods.empty() || std::count(options.methods.begin(), options.methods.end(), name) > 0;
  };
  for (const std::string& name : options.methods) {
    const std::vector<std::string> known = verifiable_methods();
    if (std::count(known.begin(), known.end(), name) > 0) continue;
    fail(ErrorKind::argument, "method", "{} is not verified on whole models; expected one of {}", name,
         fmt::join(known, ", "));
  }
  std::vector<Verified> chosen;
  for (const Verified& verified : verified_methods()) {
    if (!asked(verified.method)) continue;
    auto& parameters = result.parameters[verified.method];
    if (verified.method == "occlusion_patch") {
      const auto size = fitting_window(players, options.window);
      if (!size) {
        result.notes.push_back("occlusion_patch is left out: every window would cut through players");
        continue;
      }
      parameters["size"] = std::to_string(*size);
    } else if (verified.method == "integrated_gradients" || verified.method == "expected_gradients") {
      parameters["steps"] = std::to_string(kQuadrature);
    } else if (verified.method == "shapley") {
      parameters["exact"] = std::to_string(kExactPlayers);
      parameters["samples"] = std::to_string(options.permutations);
    }
    chosen.push_back(verified);
  }
  return chosen;
}

void check_options(const ExplainedModel& model, const VerificationOptions& options) {
  require(model.real() == DType::f64, "verify", "methods are verified in double");
  for (const int order : options.orders) {
    if (order < 1 || order > 32) fail(ErrorKind::argument, "order", "got {}; expected 1 to 32", order);
  }
  for (const double sigma : options.sigmas) {
    if (!(sigma > 0 && std::isfinite(sigma)))
      fail(ErrorKind::argument, "sigma", "got {}; expected a number above 0", sigma);
  }
}

}  // namespace

std::string outcome(const FittingError& error) {
  if (error.inside > 0) return "";
  std::vector<std::string> words;
  if (error.series.diverges > 0) words.emplace_back("diverges");
  if (error.series.kinked > 0) words.emplace_back("kinks");
  if (error.series.undecided > 0) words.emplace_back("not decided");
  return fmt::format("{}", fmt::join(words, " or "));
}

std::vector<std::string> verifiable_methods() {
  std::vector<std::string> names;
  for (const Verified& verified : verified_methods()) names.push_back(verified.method);
  return names;
}

VerificationResult verify_methods(ExplainedModel& model, std::span<const Question> questions,
                                  const VerificationOptions& options, const Progress& progress) {
  check_options(model, options);
  VerificationResult result;
  result.players = questions[0].players.count();
  const std::vector<Verified> methods = choose(options, questions[0].players, result);
  OrderSums sums(model, *std::max_element(options.orders.begin(), options.orders.end()));
  Kinks kinks(model.graph(), model.input(), model.model().session_options(DType::f64));
  const auto total = static_cast<int64_t>(options.sigmas.size() * questions.size() * methods.size());
  int64_t done = 0;
  for (const double sigma : options.sigmas) {
    SigmaResult of_sigma;
    of_sigma.sigma = sigma;
    std::vector<std::vector<Measured>> measured(methods.size());
    for (size_t q = 0; q < questions.size(); ++q) {
      Question question = questions[q];
      question.baselines = noisy_rows(question.point[model.input()], sigma, options.draws, options.seed, q);
      InputCheck input(model, sums, kinks, options, result.parameters, std::move(question));
      const auto [first, worst] = input.series();
      of_sigma.inputs.push_back(first);
      of_sigma.all_baselines.push_back(worst);
      for (size_t m = 0; m < methods.size(); ++m) {
        measured[m].push_back(input.check(methods[m]));
        report(progress, methods[m].method, ++done, total);
      }
    }
    for (size_t m = 0; m < methods.size(); ++m) {
      const auto& series = methods[m].several_baselines ? of_sigma.all_baselines : of_sigma.inputs;
      of_sigma.methods.push_back(summarise(methods[m], sigma, measured[m], series, options.orders));
    }
    result.sigmas.push_back(std::move(of_sigma));
  }
  return result;
}

}  // namespace ascribe::core
