#include "methods/game_graph.h"

#include "methods/question_game.h"

namespace ascribe::core {

namespace {

constexpr int64_t kMostMaskNumbers = int64_t{1} << 27;  // what runtimes unfold; files hold much less

int64_t row_size(const Builder& b, Value x) { return element_count(at({b.shape(x).begin() + 1, b.shape(x).end()}, 1)); }

// [coalitions, elements]: whether the element is at x.
Tensor masks_of(const Players& players, const Coalitions& sets, std::string_view where) {
  const auto size = std::ssize(players.owner);
  if (sets.size() > kMostMaskNumbers / std::max<int64_t>(1, size)) {
    fail(ErrorKind::unsupported, where,
         "{} masks of {} elements are too many for a graph; expected fewer players or samples; the method can be run "
         "instead of compiled",
         sets.size(), size);
  }
  Tensor masks(DType::boolean, {sets.size(), size});
  const auto to = masks.mutable_data<uint8_t>();
  for (int64_t s = 0; s < sets.size(); ++s) {
    for (int64_t i = 0; i < size; ++i) {
      const int32_t owner = players.owner[static_cast<size_t>(i)];
      to[s * size + i] = owner < 0 || sets.has(s, owner) ? 1 : 0;
    }
  }
  return masks;
}

// x where the mask says so and b elsewhere: [rows * coalitions, row...].
Value masked_rows(Builder& b, Value x, Value baseline, const Tensor& masks) {
  const Dims shape = b.shape(x);
  const int64_t sets = masks.shape()[0], size = masks.shape()[1];
  const Dims flat = {shape[0], 1, size};
  const Value chosen = b.op("where", {b.constant(masks), b.reshape(x, flat), b.reshape(baseline, flat)});
  Dims joined = shape;
  joined[0] = shape[0] * Dim(sets);
  return b.reshape(chosen, joined);
}

// The explained number of each masked row: [rows, coalitions].
Value values_of_sets(const AttributionRequest& r, Value rows, int64_t sets) {
  Builder& b = r.b;
  std::vector<Value> inputs;
  for (const Port& port : r.model.inputs) {
    if (r.at_x(port.value) == r.inputs[0]) {
      inputs.push_back(rows);
      continue;
    }
    const bool grows = !all_fixed(r.model[port.value].type.shape);
    inputs.push_back(grows ? repeat_rows(b, r.at_x(port.value), sets) : port.value);
  }
  const Value explained = r.model.outputs[0].value;
  const Placed copy = append_copy(b, r.model, inputs, std::span(&explained, 1), r.rows_per_input * sets);
  b.set_name("values");
  const Value outputs = copy(explained);
  const Dims shape = b.shape(outputs);
  const Dim targets = divide(product(shape), shape[0], b.where()), each = divide(shape[0], sets, b.where());
  const Value apart = b.reshape(outputs, {each, sets, targets});
  const Value weights = b.reshape(r.seed, {each, 1, targets});
  return b.reduce("reduce_sum", b.mul(apart, weights), {2}, false);
}

// [rows, values] -> [rows, elements]; a column of zeros stands for nobody.
Value shown_at_elements(Builder& b, Value values, const Players& players) {
  const Dim rows = b.shape(values)[0];
  std::vector<int64_t> column;
  for (const int32_t owner : players.owner) column.push_back(owner < 0 ? players.count() : owner);
  const Value nobody = b.expand(b.scalar(0), {rows, 1});
  return b.op("gather", {b.concat({values, nobody}, 1), b.constant(Tensor::of<int64_t>({std::ssize(column)}, column))},
              {{"axis", ints({1})}});
}

}  // namespace

Players players_of(const AttributionRequest& r) {
  if (r.inputs.size() != 1) {
    fail(ErrorKind::unsupported, r.b.where(), "the method needs a model with one real input; got {}", r.inputs.size());
  }
  const Dims& shape = r.b.shape(r.inputs[0]);
  if (all_fixed(shape)) {
    fail(ErrorKind::unsupported, r.b.where(), "the model takes a single row, but masking needs several; got input {}",
         to_string(shape));
  }
  const int64_t size = row_size(r.b, r.inputs[0]);
  if (r.players != nullptr && !r.players->owner.empty()) {
    require(std::ssize(r.players->owner) == size, r.b.where(), "the players do not fit the input");
    return *r.players;
  }
  const Shape row = at({shape.begin() + 1, shape.end()}, 1);
  std::optional<ImageShape> image;
  if (row.size() == 3) image = ImageShape{PixelLayout::chw, row[0], row[1], row[2]};
  return make_players({"elements", row, image, {}, nullptr});
}

std::vector<Value> append_plan(const AttributionRequest& r, const Players& players, const CoalitionPlan& plan) {
  Builder& b = r.b;
  const std::string where = b.where();
  const Value x = r.inputs[0];
  const int64_t sets = plan.sets.size();
  const Value rows = masked_rows(b, x, r.baselines[0], masks_of(players, plan.sets, where));
  const Value v = values_of_sets(r, rows, sets);
  b.set_where(where);
  const Tensor weights = Tensor::of<double>({sets, plan.values}, plan.matrix());
  const Value values = b.matmul(v, b.constant(weights));
  return {b.reshape(shown_at_elements(b, values, players), b.shape(x))};
}

Attribution attribution_of_plan(ExplainedModel& model, const Question& question, const CoalitionPlan& plan,
                                const MethodRun& run) {
  Game game = question_game(model, question);
  const std::vector<double> v = game.values(plan.sets, run.progress);
  Attribution answer = attribution_of_players(question, plan.apply(v), v[0], model.baseline_output(question));
  answer.evaluations = rows_of(game, question);
  answer.notes = masking_notes(model);
  return answer;
}

}  // namespace ascribe::core
