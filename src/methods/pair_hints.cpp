#include "methods/pair_hints.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "derivatives/derivatives.h"
#include "passes/choices.h"
#include "passes/receptive_fields.h"
#include "passes/select_element.h"

namespace ascribe::core {

namespace {

// On the way from b to x, where the Hessian is looked at: effects with everybody else absent, and in company.
constexpr double kPlaces[] = {0, 0.75};
constexpr int64_t kCandidatesPerPlayer = 8, kLeastCandidates = 1000;
constexpr int64_t kMostPaired = 4096;  // of whom every pair has a number

// What is known of every pair, [players, players].
using Pairs = std::vector<double>;

// x, the mean of the baselines, and whose every element is.
struct Ends {
  Tensor x, b;  // one row each, in double
  const Players& players;
  int64_t size = 0;

  double step(int64_t i) const { return x.at(i) - b.at(i); }
};

Ends ends_of(const ExplainedModel& model, const Question& question) {
  const Tensor rows = effective_baselines(model, question).cast(DType::f64);
  const int64_t count = question.baseline_count(), size = rows.size() / count;
  Ends ends{question.point[model.input()].cast(DType::f64), Tensor(DType::f64, {1, size}), question.players, size};
  const auto mean = ends.b.mutable_data<double>();
  for (int64_t i = 0; i < rows.size(); ++i) mean[i % size] += rows.at(i) / static_cast<double>(count);
  return ends;
}

Shape rows_of_input(const ExplainedModel& model, int64_t count) {
  Shape shape = model.row();
  shape.insert(shape.begin(), count);
  return shape;
}

// Adds |row . d_q| of each player q to row p of the pairs.
void add_slopes(Pairs& pairs, const Ends& ends, int64_t p, const double* row, const double* reference) {
  const int64_t players = ends.players.count();
  std::vector<double> sums(static_cast<size_t>(players), 0.0);
  for (int64_t i = 0; i < ends.size; ++i) {
    const int32_t q = ends.players.owner[static_cast<size_t>(i)];
    if (q >= 0) sums[static_cast<size_t>(q)] += (row[i] - (reference == nullptr ? 0 : reference[i])) * ends.step(i);
  }
  for (int64_t q = 0; q < players; ++q) pairs[p * players + q] += std::abs(sums[static_cast<size_t>(q)]);
}

// d_p' H d_q at places between b and x.
int64_t add_hessian(Pairs& pairs, ExplainedModel& model, const Question& question, const Ends& ends,
                    const Progress& progress) {
  const int64_t players = ends.players.count();
  Derivatives f(model.graph(), {1, question.target}, model.model().session_options(DType::f64),
                model.graph().inputs[model.input()].name);
  const int64_t together = std::clamp<int64_t>(model.row_bytes() / (8 * ends.size), 1, players);
  int64_t done = 0;
  for (const double place : kPlaces) {
    std::vector<Tensor> point = question.point;
    Tensor at(DType::f64, question.point[model.input()].shape());
    for (int64_t i = 0; i < ends.size; ++i) at.mutable_data<double>()[i] = ends.b.at(i) + place * ends.step(i);
    point[model.input()] = at;
    for (int64_t first = 0; first < players; first += together) {
      const int64_t some = std::min(together, players - first);
      Tensor directions(DType::f64, rows_of_input(model, some));
      const auto values = directions.mutable_data<double>();
      for (int64_t i = 0; i < ends.size; ++i) {
        const int64_t p = ends.players.owner[static_cast<size_t>(i)] - first;
        if (p >= 0 && p < some) values[p * ends.size + i] = ends.step(i);
      }
      const Tensor products = f.hessian_product(point, directions).cast(DType::f64);
      for (int64_t p = 0; p < some; ++p) {
        add_slopes(pairs, ends, first + p, products.data<double>().data() + p * ends.size, nullptr);
      }
      report(progress, "second derivatives", done += some, 2 * players);
    }
  }
  return 2 * players;
}

// (g(x) - g(x without p)) d_q, and the same at b with p alone.
int64_t add_gradients(Pairs& pairs, ExplainedModel& model, const Question& question, const Ends& ends,
                      const Progress& progress) {
  const int64_t players = ends.players.count();
  const int64_t together = std::clamp<int64_t>(model.row_bytes() / (8 * ends.size), 1, players + 1);
  int64_t done = 0;
  for (const bool at_x : {true, false}) {
    const Tensor &here = at_x ? ends.x : ends.b, &other = at_x ? ends.b : ends.x;
    std::vector<double> reference;
    for (int64_t first = -1; first < players; first += together) {  // -1: nobody is exchanged
      const int64_t some = std::min(together, players - first);
      Tensor rows(DType::f64, rows_of_input(model, some));
      const auto values = rows.mutable_data<double>();
      for (int64_t r = 0; r < some; ++r) {
        for (int64_t i = 0; i < ends.size; ++i) {
          const bool exchanged = first + r >= 0 && ends.players.owner[static_cast<size_t>(i)] == first + r;
          values[r * ends.size + i] = (exchanged ? other : here).at(i);
        }
      }
      std::vector<Tensor> inputs = question.point;
      inputs[model.input()] = rows.cast(model.real());
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (i == model.input() || some == 1) continue;
        const std::vector<Tensor> copies(static_cast<size_t>(some), question.point[i]);
        inputs[i] = stacked_rows(copies);
      }
      const Tensor gradients = model.gradients(inputs, std::array{question.target}).gradient.cast(DType::f64);
      const double* slopes = gradients.data<double>().data();
      if (first < 0) reference.assign(slopes, slopes + ends.size);
      for (int64_t r = first < 0 ? 1 : 0; r < some; ++r) {
        add_slopes(pairs, ends, first + r, slopes + r * ends.size, reference.data());
      }
      report(progress, "gradients", done += some, 2 * (players + 1));
    }
  }
  return 2 * (players + 1);
}

// The largest first, of both directions the mean.
std::vector<SparseHints::Candidate> candidates_of(const Pairs& pairs, int64_t players) {
  std::vector<SparseHints::Candidate> found;
  for (int64_t p = 0; p < players; ++p) {
    for (int64_t q = p + 1; q < players; ++q) {
      const double weight = (pairs[p * players + q] + pairs[q * players + p]) / 2;
      if (weight > 0) found.push_back({{static_cast<int>(p), static_cast<int>(q)}, weight});
    }
  }
  const size_t most =
      std::min(found.size(), static_cast<size_t>(std::max(kCandidatesPerPlayer * players, kLeastCandidates)));
  std::partial_sort(
      found.begin(), found.begin() + static_cast<int64_t>(most), found.end(),
      [](const auto& a, const auto& b) { return a.weight != b.weight ? a.weight > b.weight : a.set < b.set; });
  found.resize(most);
  return found;
}

bool is_opaque(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Node& node) { return node.op->op_class == OpClass::opaque; });
}

// Whether the output is affine in the value of an input.
bool is_affine_in(const Graph& graph, Value input) {
  std::vector<bool> depends(graph.nodes.size());
  depends[static_cast<size_t>(input.index)] = true;
  for (size_t i = static_cast<size_t>(input.index) + 1; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    int dependent = 0;
    for (const Value operand : node.inputs) dependent += depends[static_cast<size_t>(operand.index)] ? 1 : 0;
    if (dependent == 0) continue;
    const bool divides = node.op->name == "div" && depends[static_cast<size_t>(node.inputs[1].index)];
    const bool linear = node.op->op_class == OpClass::linear;
    if (!linear && (node.op->op_class != OpClass::bilinear || dependent > 1 || divides)) return false;
    depends[i] = true;
  }
  return true;
}

}  // namespace

std::optional<std::vector<uint8_t>> players_that_never_meet(const ExplainedModel& model, const Question& question) {
  const int64_t players = question.players.count();
  const auto& image = question.players.image;
  if (!image || image->layout != PixelLayout::chw || players > kMostPaired) return std::nullopt;
  const Graph scalar = select_element(model.graph(), 1, question.target);
  const auto part = split_local_part(scalar, model.input());
  if (!part || !is_affine_in(part->suffix, part->suffix.inputs[model.input()].value)) return std::nullopt;
  std::vector<uint8_t> apart(static_cast<size_t>(players * players), 1);
  for (const Field& rows : part->rows) {
    for (const Field& columns : part->columns) {
      std::vector<int32_t> seen;
      for (int64_t y = rows.begin; y < rows.end; ++y) {
        for (int64_t x = columns.begin; x < columns.end; ++x) {
          for (int64_t c = 0; c < image->channels; ++c) {
            const int32_t owner = question.players.owner[static_cast<size_t>(element_of(*image, c, y, x))];
            if (owner >= 0) seen.push_back(owner);
          }
        }
      }
      std::sort(seen.begin(), seen.end());
      seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      for (const int32_t p : seen) {
        for (const int32_t q : seen) apart[static_cast<size_t>(p) * players + q] = 0;
      }
    }
  }
  return apart;
}

PairHints pair_hints(ExplainedModel& model, const Question& question, int64_t most_passes, const Progress& progress) {
  PairHints found;
  const int64_t players = question.players.count();
  if (question.absence.conditional() || players > kMostPaired || is_opaque(model.graph())) return found;
  if (auto apart = players_that_never_meet(model, question)) {
    for (int64_t p = 0; p < players; ++p) {
      for (int64_t q = p + 1; q < players; ++q) found.never_meet += (*apart)[p * players + q];
    }
    if (found.never_meet > 0) {
      found.hints.never_meet = [table = std::move(*apart), players](int p, int q) {
        return table[static_cast<size_t>(p * players + q)] != 0;
      };
    }
  }
  if (2 * (players + 1) > most_passes || !model.batched()) return found;
  Pairs pairs(static_cast<size_t>(players * players), 0.0);
  const Ends ends = ends_of(model, question);
  try {
    const bool smooth = !has_kinks(model.graph());
    found.passes = smooth ? add_hessian(pairs, model, question, ends, progress)
                          : add_gradients(pairs, model, question, ends, progress);
    found.candidates = smooth ? "second derivatives" : "gradients with each player absent";
  } catch (const Error& error) {
    // Without derivatives there is less to begin with, and the estimate is the same.
    if (error.kind() != ErrorKind::unsupported && error.kind() != ErrorKind::numeric) throw;
    found.candidates.clear();
    return found;
  }
  found.hints.candidates = candidates_of(pairs, players);
  return found;
}

}  // namespace ascribe::core
