#include "metrics/removal.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "game/coalition_plan.h"
#include "methods/question_game.h"
#include "methods/spread.h"
#include "metrics/shares.h"

namespace ascribe::core {

Question question_of_pixels(const Question& question) {
  if (!question.players.image) return question;
  const ImageShape& image = *question.players.image;
  Question result = question;
  result.players.description = "pixels";
  result.players.names.assign(static_cast<size_t>(image.height * image.width), "");
  for (int64_t pixel = 0; pixel < image.height * image.width; ++pixel) {
    for (int64_t c = 0; c < image.channels; ++c) {
      int32_t& owner =
          result.players.owner[static_cast<size_t>(element_of(image, c, pixel / image.width, pixel % image.width))];
      if (owner >= 0) owner = static_cast<int32_t>(pixel);
    }
  }
  return result;
}

std::vector<double> lost_without(ExplainedModel& model, const Question& question, std::span<const PlayerSet> sets,
                                 const Progress& progress) {
  const int64_t players = question.players.count();
  const std::vector<uint64_t> all = everyone(players);
  Coalitions present(players);
  present.add(std::span<const uint64_t>(all));
  for (const PlayerSet& set : sets) {
    std::vector<uint64_t> rest = all;
    for (const int64_t p : set) rest[static_cast<size_t>(p / 64)] &= ~(uint64_t{1} << (p % 64));
    present.add(std::span<const uint64_t>(rest));
  }
  const std::vector<double> values = question_game(model, question).values(present, progress);
  std::vector<double> losses;
  for (size_t i = 1; i < values.size(); ++i) losses.push_back(values[0] - values[i]);
  return losses;
}

std::vector<double> input_changes(const ExplainedModel& model, const Question& question) {
  const Tensor x = question.point[model.input()].cast(DType::f64), baselines = question.baselines.cast(DType::f64);
  const auto count = static_cast<double>(question.baseline_count());
  const auto from = x.data<double>(), b = baselines.data<double>();
  std::vector<double> result(from.begin(), from.end());
  for (size_t i = 0; i < b.size(); ++i) result[i % from.size()] -= b[i] / count;
  return result;
}

std::vector<double> claimed_losses(const ExplainedModel& model, const Question& question, const Players& players,
                                   const Method& method, const Attribution& attribution) {
  const Tensor shares = element_shares(method, question, attribution);
  const auto data = shares.data<double>();
  if (method.kind == AttributionKind::contribution) return sums_of_players(players, data);
  std::vector<double> changes = input_changes(model, question);
  std::transform(data.begin(), data.end(), changes.begin(), changes.begin(), std::multiplies<>());
  return sums_of_players(players, changes);
}

double rounding_of(const ExplainedModel& model, double size) {
  return size * (model.real() == DType::f32 ? 1e-6 : 1e-13);
}

double sum_over(const PlayerSet& set, std::span<const double> values) {
  double sum = 0;
  for (const int64_t p : set) sum += values[static_cast<size_t>(p)];
  return sum;
}

Random draws_of(const MetricInput& input, size_t question, std::string_view metric) {
  uint64_t tag = 0xcbf29ce484222325;  // FNV-1a, so that no two metrics share their draws
  for (const char c : metric) tag = (tag ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  const auto mixed = Random(tag, input.streams[question]).block(0);
  return Random(input.seed, uint64_t{mixed[0]} << 32 | mixed[1]);
}

PlayerSet drawn_set(const Random& random, uint64_t index, int64_t players, int64_t size) {
  // The first steps of Fisher and Yates' shuffle; who was moved is noted.
  std::unordered_map<int64_t, int64_t> moved;
  const auto at = [&](int64_t i) { return moved.contains(i) ? moved[i] : i; };
  PlayerSet set;
  for (int64_t i = 0; i < size; ++i) {
    const auto bound = static_cast<uint64_t>(players - i);
    const int64_t j = i + static_cast<int64_t>(
                              random.below(index * static_cast<uint64_t>(players) + static_cast<uint64_t>(i), bound));
    set.push_back(at(j));
    moved[j] = at(i);
  }
  std::sort(set.begin(), set.end());
  return set;
}

int64_t set_size(std::string_view metric, double given, int64_t players) {
  const double size = given < 1 ? given * static_cast<double>(players) : given;
  const int64_t rounded = std::max<int64_t>(1, std::llround(size));
  if (rounded > players) fail(ErrorKind::argument, metric, "got sets of {} players; there are {}", rounded, players);
  return rounded;
}

Scores question_by_question(const MetricInput& input, const std::function<std::vector<Score>(size_t question)>& work) {
  Scores scores(input.methods.size());
  const auto count = std::ssize(input.questions);
  for (size_t q = 0; q < input.questions.size(); ++q) {
    std::vector<Score> of_question = work(q);
    require(of_question.size() == scores.size(), "metric", "a score for each method");
    for (size_t m = 0; m < scores.size(); ++m) scores[m].push_back(std::move(of_question[m]));
    report(input.progress, "scoring", static_cast<int64_t>(q) + 1, count);
  }
  return scores;
}

}  // namespace ascribe::core
