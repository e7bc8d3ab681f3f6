// If, Loop and Scan where what decides is known when the model is loaded: the branch that is taken, the turns of a
// loop one after the other, the steps of a scan. The bodies become part of the graph.
#include <onnx/onnx_pb.h>

#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_control_flow {
namespace {

constexpr int64_t kMostTurns = 4096;

std::optional<bool> known_condition(const NodeContext& c, Value condition) {
  const auto known = c.b().known(condition);
  if (!known) return std::nullopt;
  if (known->size() != 1) c.refuse("a condition has {} elements; expected 1", known->size());
  return known->at(0) != 0;
}

void lower_if(NodeContext& c) {
  const auto condition = known_condition(c, c.in(0));
  if (!condition) {
    c.unsupported("the condition must be known when the model is loaded; it is computed from an input");
  }
  const auto results = c.run_body(*condition ? "then_branch" : "else_branch", {});
  if (results.size() != c.output_count()) {
    c.refuse("a branch has {} outputs; expected {}", results.size(), c.output_count());
  }
  for (size_t i = 0; i < results.size(); ++i) c.out(i, results[i]);
}

// Values of all turns, one after the other along a new axis.
Value stacked(Builder& b, const std::vector<Value>& parts, int64_t axis) {
  std::vector<Value> wide;
  for (const Value part : parts) wide.push_back(unsqueeze(b, part, {axis}));
  return b.concat(wide, axis);
}

// How often at most; kMostTurns + 1 if only the condition ends it.
int64_t turns_of(const NodeContext& c) {
  if (!c.has(0)) return kMostTurns + 1;
  const int64_t turns = one_integer(c, 0, "the number of turns");
  return std::max<int64_t>(turns, 0);
}

[[noreturn]] void refuse_turns(const NodeContext& c) {
  c.unsupported("the loop takes more than {} turns; it would be unrolled", kMostTurns);
}

void lower_loop(NodeContext& c) {
  Builder& b = c.b();
  const int64_t turns = turns_of(c);
  if (turns > kMostTurns && (c.has(0) || !c.has(1))) refuse_turns(c);
  std::vector<Value> carried;
  for (size_t i = 2; i < c.input_count(); ++i) carried.push_back(c.in(i));
  if (c.output_count() < carried.size()) c.refuse("there are fewer outputs than values that are carried along");
  std::vector<std::vector<Value>> collected(c.output_count() - carried.size());
  Value condition = c.has(1) ? c.in(1) : b.cast(b.integer(1), Kind::boolean);
  int64_t turn = 0;
  for (; turn < turns; ++turn) {
    const auto goes_on = known_condition(c, condition);
    if (!goes_on) c.unsupported("whether the loop goes on must be known when the model is loaded");
    if (!*goes_on) break;
    if (turn == kMostTurns) refuse_turns(c);
    std::vector<Value> inputs = {b.integer(turn), condition};
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    const auto results = c.run_body("body", inputs);
    if (results.size() != 1 + c.output_count()) {
      c.refuse("the body has {} outputs; expected {}", results.size(), 1 + c.output_count());
    }
    condition = results[0];
    for (size_t i = 0; i < carried.size(); ++i) carried[i] = results[i + 1];
    for (size_t i = 0; i < collected.size(); ++i) collected[i].push_back(results[1 + carried.size() + i]);
  }
  for (size_t i = 0; i < carried.size(); ++i) c.out(i, carried[i]);
  for (size_t i = 0; i < collected.size(); ++i) {
    if (collected[i].empty()) c.unsupported("a loop of no turns that collects values");
    c.out(carried.size() + i, stacked(b, collected[i], 0));
  }
}

int64_t entry(const NodeContext& c, std::string_view name, size_t i) {
  const auto list = c.integers(name, {});
  if (list.empty()) return 0;
  if (i >= list.size()) c.refuse("{} has {} entries; expected more", name, list.size());
  return list[i];
}

struct Scanned {
  Value value;
  int64_t axis = 0;
  bool backwards = false;
};

void lower_scan(NodeContext& c) {
  if (c.opset() < 9) c.unsupported("Scan of opset 8");
  Builder& b = c.b();
  const int64_t scans = c.integer("num_scan_inputs");
  const auto count = static_cast<int64_t>(c.input_count());
  if (scans < 1 || scans > count) c.refuse("num_scan_inputs is {} of {} inputs", scans, count);
  std::vector<Value> carried;
  std::vector<Scanned> scanned;
  int64_t steps = -1;
  for (size_t i = 0; i < c.input_count(); ++i) {
    if (static_cast<int64_t>(i) < count - scans) {
      carried.push_back(c.in(i));
      continue;
    }
    const size_t own = scanned.size();
    const int64_t axis = normal_axis(entry(c, "scan_input_axes", own), b.rank(c.in(i)), c.where());
    scanned.push_back({c.in(i), axis, entry(c, "scan_input_directions", own) != 0});
    const int64_t size = fixed_size(c, b.shape(c.in(i))[axis], "the number of steps");
    if (steps >= 0 && size != steps) c.refuse("the inputs have {} and {} steps", steps, size);
    steps = size;
  }
  if (steps > kMostTurns) refuse_turns(c);
  if (c.output_count() < carried.size()) c.refuse("there are fewer outputs than values that are carried along");
  std::vector<std::vector<Value>> collected(c.output_count() - carried.size());
  for (int64_t step = 0; step < steps; ++step) {
    std::vector<Value> inputs = carried;
    for (const Scanned& s : scanned) {
      const int64_t at = s.backwards ? steps - 1 - step : step;
      inputs.push_back(squeeze(b, b.slice(s.value, s.axis, at, 1), {s.axis}));
    }
    const auto results = c.run_body("body", inputs);
    if (results.size() != c.output_count()) {
      c.refuse("the body has {} outputs; expected {}", results.size(), c.output_count());
    }
    for (size_t i = 0; i < carried.size(); ++i) carried[i] = results[i];
    for (size_t i = 0; i < collected.size(); ++i) collected[i].push_back(results[carried.size() + i]);
  }
  for (size_t i = 0; i < carried.size(); ++i) c.out(i, carried[i]);
  for (size_t i = 0; i < collected.size(); ++i) {
    if (collected[i].empty()) c.unsupported("a scan of no steps");
    if (entry(c, "scan_output_directions", i) != 0) std::reverse(collected[i].begin(), collected[i].end());
    const int64_t rank = b.rank(collected[i][0]) + 1;
    c.out(carried.size() + i, stacked(b, collected[i], normal_axis(entry(c, "scan_output_axes", i), rank, c.where())));
  }
}

const RegisterLowering conditional({"If", 25, "else_branch then_branch"}, lower_if,
                                   "the condition must be known when the model is loaded");
const RegisterLowering loop({"Loop", 25, "body"}, lower_loop,
                            "unrolled: at most 4096 turns, known when the model is loaded");
const RegisterLowering scan({"Scan", 25,
                             "body directions:8-8 num_scan_inputs scan_input_axes:9 scan_input_directions:9 "
                             "scan_output_axes:9 scan_output_directions:9"},
                            lower_scan, "unrolled: at most 4096 steps; opset 9 and later");

}  // namespace
}  // namespace ascribe::core::lowering_control_flow
