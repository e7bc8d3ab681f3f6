// The probe of level `layer` (probes.h): Grad-CAM at its layer, against y. A 1 x 1 convolution makes maps A^k, their
// means F_k go into monomials c (F - F(x))^kappa, a target for each; players are the positions of the maps. Grad-CAM is
// linear in y, so it shows what it gives of each monomial; for those of order 1, F_k is the sum of effects A^k(i, j) c
// / (H W) of single positions, which are separated by changing one pixel at a time.
#include <cmath>

#include "theory/probes_support.h"

namespace ascribe::core {

namespace {

constexpr int64_t kSide = 3, kPositions = kSide * kSide, kChannels = 2;
constexpr double kStep = 0.25;
const Shape kRow = {1, kSide, kSide};
const std::vector<double> kWeights = {0.9, -0.6}, kBiases = {0.4, 0.7};  // of the convolution, per channel
const std::vector<std::vector<int>> kDegrees = {{1, 0}, {0, 1}, {2, 0}, {1, 1}, {1, 2}, {0, 3}};
const std::vector<double> kFactors = {1.2, -0.8, 0.7, 1.1, -0.5, 0.6};

std::vector<double> pixels() { return generic_numbers(30, kPositions, 0.5, 1.5); }

double map_at(size_t channel, double pixel) { return kWeights[channel] * pixel + kBiases[channel]; }

std::vector<double> means_at_x() {
  std::vector<double> means(kChannels, 0.0);
  for (const double pixel : pixels()) {
    for (size_t k = 0; k < kChannels; ++k) means[k] += map_at(k, pixel) / kPositions;
  }
  return means;
}

Graph network() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 1, kSide, kSide}});
  b.set_name("maps");
  const Value maps = b.op(
      "conv",
      {x, b.constant(Tensor::of<double>({kChannels, 1, 1, 1}, kWeights)),
       b.constant(Tensor::of<double>({kChannels}, kBiases))},
      {{"strides", ints({1, 1})}, {"pads", ints({0, 0, 0, 0})}, {"dilations", ints({1, 1})}, {"group", ints({1})}});
  b.set_name("");
  const Value means = b.reduce("reduce_mean", maps, {2, 3}, false);
  const Value centred = b.sub(means, b.constant(Tensor::of<double>({1, kChannels}, means_at_x())));
  b.output("y", append_monomials(b, centred, kDegrees, kFactors));
  return graph;
}

bool is_slope(size_t k) { return total_degree(kDegrees[k]) == 1; }
size_t channel_of(size_t slope) { return kDegrees[slope][0] == 1 ? 0 : 1; }

// The effects of the expansion at A towards 0: of single positions for a monomial of order 1, as a whole otherwise.
ProbedQuestion effects_of_head() {
  ProbedQuestion probed;
  std::vector<double> towards_zero = means_at_x();
  for (double& mean : towards_zero) mean = -mean;
  for (size_t k = 0; k < kDegrees.size(); ++k) {
    const double whole = -kFactors[k] * power_of(towards_zero, kDegrees[k]);
    probed.change += whole;
    if (!is_slope(k)) {
      probed.effects.push_back({(uint64_t{1} << kPositions) - 1, whole, std::vector<double>(kPositions, 0.0)});
      continue;
    }
    for (size_t at = 0; at < kPositions; ++at) {
      const double value = kFactors[k] * map_at(channel_of(k), pixels()[at]) / kPositions;
      probed.effects.push_back({uint64_t{1} << at, value, std::vector<double>(kPositions, 0.0)});
    }
  }
  return probed;
}

std::vector<double> map_of(const Attribution& answer) {
  require(answer.layer_map && answer.layer_map->size() == kPositions, "probe", "expected a map of the layer");
  const Tensor map = answer.layer_map->cast(DType::f64);
  return {map.data<double>().begin(), map.data<double>().end()};
}

// For every monomial: at x, and if it is of order 1 with every pixel moved.
std::vector<Question> questions_of_head() {
  std::vector<Question> questions;
  const std::vector<double> x = pixels(), zero(kPositions, 0.0);
  for (size_t k = 0; k < kDegrees.size(); ++k) {
    for (size_t at = 0; at <= (is_slope(k) ? kPositions : 0); ++at) {
      std::vector<double> moved = x;
      if (at > 0) moved[at - 1] += kStep;
      questions.push_back(probe_question(kRow, moved, zero));
      questions.back().target = static_cast<int64_t>(k);
    }
  }
  return questions;
}

std::vector<ProbedQuestion> ask_the_method(const ProbeSubject& subject) {
  ExplainedModel model = probe_model(network());
  const std::vector<Attribution> answers = answers_of(subject, model, questions_of_head());
  ProbedQuestion probed = effects_of_head();
  auto effect = probed.effects.begin();
  auto answer = answers.begin();
  AllocatedEffect of_nothing{0, 0, std::vector<double>(kPositions, 0.0)};
  for (size_t k = 0; k < kDegrees.size(); ++k) {
    const std::vector<double> at_x = map_of(*answer++);
    if (!is_slope(k)) {
      (effect++)->given = at_x;
      continue;
    }
    for (size_t i = 0; i < kPositions; ++i) of_nothing.given[i] += at_x[i];
    for (size_t at = 0; at < kPositions; ++at, ++effect) {
      const std::vector<double> moved = map_of(*answer++);
      // What a step of this A gives, for all of it.
      const double steps = map_at(channel_of(k), pixels()[at]) / (kWeights[channel_of(k)] * kStep);
      for (size_t i = 0; i < kPositions; ++i) {
        effect->given[i] = (moved[i] - at_x[i]) * steps;
        of_nothing.given[i] -= effect->given[i];
      }
    }
  }
  probed.effects.push_back(std::move(of_nothing));
  return {probed};
}

// The effects of a monomial in the means, position by position: its factors are sums over all positions.
void add_products(const ProbeSubject& subject, const std::vector<int>& channels, std::vector<int>& degree, double value,
                  std::vector<double>& given) {
  const auto done = static_cast<size_t>(total_degree(degree));
  if (done == channels.size()) {
    const std::vector<double> of_players = weights(subject.rule, {}, degree);
    for (size_t i = 0; i < given.size(); ++i) given[i] += of_players[i] * value;
    return;
  }
  for (size_t at = 0; at < kPositions; ++at) {
    ++degree[at];
    const double next = -map_at(static_cast<size_t>(channels[done]), pixels()[at]) / kPositions;
    add_products(subject, channels, degree, value * next, given);
    --degree[at];
  }
}

std::vector<ProbedQuestion> ask_the_rule(const ProbeSubject& subject) {
  ProbedQuestion probed = effects_of_head();
  auto effect = probed.effects.begin();
  for (size_t k = 0; k < kDegrees.size(); ++k) {
    std::vector<int> degree(kPositions, 0), channels;
    for (int channel = 0; channel < kChannels; ++channel) {
      channels.insert(channels.end(), static_cast<size_t>(kDegrees[k][static_cast<size_t>(channel)]), channel);
    }
    if (!is_slope(k)) {
      add_products(subject, channels, degree, -kFactors[k], (effect++)->given);
      continue;
    }
    for (size_t at = 0; at < kPositions; ++at, ++effect) {
      degree.assign(kPositions, 0);
      degree[at] = 1;
      effect->given = weights(subject.rule, {}, degree);
      for (double& given : effect->given) given *= effect->value;
    }
  }
  probed.effects.push_back({0, 0, std::vector<double>(kPositions, 0.0)});
  return {probed};
}

}  // namespace

const Probe kLayerProbe = {ask_the_method, ask_the_rule};

}  // namespace ascribe::core
