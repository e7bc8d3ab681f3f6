#include "theory/probes.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "theory/probes_support.h"
#include "theory/windows.h"

namespace ascribe::core {

namespace {

constexpr uint64_t kSeed = 20240;

const Probe& probe_of(const ProbeSubject& subject) {
  switch (subject.rule.level) {
    case AllocationLevel::baseline: return kMonomialProbe;
    // What starts from f(x) has nothing to hand out where monomials vanish.
    case AllocationLevel::point: return subject.method.total == Total::output ? kReluProbe : kMonomialProbe;
    case AllocationLevel::module: return kModuleProbe;
    case AllocationLevel::layer: break;
  }
  return kLayerProbe;
}

bool declares(const Method& method, std::string_view parameter) {
  return std::any_of(method.parameters.begin(), method.parameters.end(),
                     [&](const Parameter& p) { return p.name == parameter; });
}

}  // namespace

std::vector<ProbedQuestion> ask_method(const ProbeSubject& subject) { return probe_of(subject).ask_method(subject); }

std::vector<ProbedQuestion> ask_rule(const ProbeSubject& subject) { return probe_of(subject).ask_rule(subject); }

PrincipleFigures principles_of(std::span<const ProbedQuestion> questions) {
  PrincipleAccount account;
  for (const ProbedQuestion& question : questions) {
    for (const AllocatedEffect& effect : question.effects) account.add(effect);
    account.close(question.change);
  }
  return account.figures();
}

AllocationContext context_of(const ProbeSubject& subject, const Players& players) {
  AllocationContext context;
  const Parameters& parameters = subject.parameters;
  if (declares(subject.method, "size") && declares(subject.method, "stride")) {
    const int64_t given = parameters.integer("size"), stride = parameters.integer("stride");
    const int64_t size = given > 0 ? given : 2;  // what the method takes for images of less than 42 pixels
    const auto windows = player_windows(players, size, stride == 0 ? size : stride);
    require(windows.has_value(), "probe", "a window cuts through a player");
    context.windows = *windows;
  }
  if (declares(subject.method, "alpha") && declares(subject.method, "beta")) {
    context.alpha = parameters.real("alpha");
    context.beta = parameters.real("beta");
  }
  return context;
}

// ---- what the probes share ----

ExplainedModel probe_model(const Graph& graph) { return ExplainedModel(graph, {.real = DType::f64}); }

Players players_of_row(const Shape& row) {
  PlayersRequest request;
  request.row = row;
  request.text = "elements";
  if (row.size() == 3) request.image = ImageShape{PixelLayout::chw, row[0], row[1], row[2]};
  if (request.image) request.text = "pixels";
  return make_players(request);
}

std::vector<double> generic_numbers(uint64_t stream, int64_t count, double least, double most) {
  const Random random(kSeed, stream);
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i) {
    const double size = least + (most - least) * random.uniform(static_cast<uint64_t>(2 * i));
    numbers.push_back(random.uniform(static_cast<uint64_t>(2 * i + 1)) < 0.5 ? -size : size);
  }
  return numbers;
}

Question probe_question(const Shape& row, const std::vector<double>& x, const std::vector<double>& baseline) {
  Shape shape = row;
  shape.insert(shape.begin(), 1);
  return {{Tensor::of<double>(shape, x)}, 0, Tensor::of<double>(shape, baseline), players_of_row(row)};
}

std::vector<Attribution> answers_of(const ProbeSubject& subject, ExplainedModel& model,
                                    const std::vector<Question>& questions) {
  return attribute(subject.method, model, questions, subject.parameters);
}

Value append_monomials(Builder& b, Value x, std::span<const std::vector<int>> degrees,
                       std::span<const double> factors) {
  std::vector<Value> monomials;
  for (size_t k = 0; k < degrees.size(); ++k) {
    Value product = {};
    for (size_t i = 0; i < degrees[k].size(); ++i) {
      for (int times = 0; times < degrees[k][i]; ++times) {
        const Value column = b.slice(x, 1, static_cast<int64_t>(i), 1);
        product = product.valid() ? b.mul(product, column) : column;
      }
    }
    monomials.push_back(b.mul(product, factors[k]));
  }
  return b.concat(std::move(monomials), 1);
}

double power_of(std::span<const double> x, std::span<const int> degree) {
  double product = 1;
  for (size_t i = 0; i < x.size(); ++i) product *= std::pow(x[i], degree[i]);
  return product;
}

uint64_t support_of(std::span<const int> degree) {
  uint64_t support = 0;
  for (size_t i = 0; i < degree.size(); ++i) support |= degree[i] > 0 ? uint64_t{1} << i : 0;
  return support;
}

}  // namespace ascribe::core
