#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "runtime/row_program.h"

namespace ascribe::core::fuse_rows_pass {
namespace {

constexpr size_t kMostInstructions = 48;
constexpr size_t kMostInputs = 16;

constexpr std::pair<std::string_view, RowOp> kRowOps[] = {
    {"add", RowOp::add},         {"sub", RowOp::sub},          {"mul", RowOp::mul},
    {"div", RowOp::div},         {"gate", RowOp::gate},        {"where", RowOp::gate},  // of something or 0
    {"less", RowOp::less},                                                              // 1 or 0
    {"logical_and", RowOp::mul},                                                        // of these
    {"clip", RowOp::at_most},                                                           // of what is at least something
    {"neg", RowOp::neg},         {"exp", RowOp::exp},          {"erf", RowOp::erf},
    {"tanh", RowOp::tanh},       {"sqrt", RowOp::sqrt},        {"reciprocal", RowOp::reciprocal},
    {"sigmoid", RowOp::sigmoid}, {"relu", RowOp::relu},        {"expand", RowOp::copy},
    {"reduce_sum", RowOp::sum},  {"reduce_mean", RowOp::mean}, {"normalize", RowOp::normalize},
    {"softmax", RowOp::softmax},
};

std::optional<RowOp> row_op(std::string_view name) {
  for (const auto& [known, op] : kRowOps) {
    if (known == name) return op;
  }
  return std::nullopt;
}

bool walks_rows(RowOp op) { return op >= RowOp::sum; }
// Worth a program of their own between convolutions, whose kernels absorb sums, factors and gates themselves.
bool is_costly(RowOp op) { return op == RowOp::div || op == RowOp::less || (op >= RowOp::exp && op <= RowOp::sigmoid); }

// How an operand meets whole values.
enum class Meets { whole, row_by_row, not_at_all };

// The number of trailing axes that a node takes together; 0: it takes none, -1: not the trailing ones.
int64_t trailing_axes(const Node& node, RowOp op, int64_t rank) {
  if (!walks_rows(op)) return 0;
  std::vector<int64_t> axes;
  if (op == RowOp::softmax) axes = {node.attributes.integer("axis")};
  else axes = node.attributes.integers("axes");
  if (axes.empty()) return -1;
  if ((op == RowOp::sum || op == RowOp::mean) && !node.attributes.flag("keepdims")) return -1;
  std::sort(axes.begin(), axes.end());
  const auto count = static_cast<int64_t>(axes.size());
  for (int64_t i = 0; i < count; ++i) {
    if (axes[i] != rank - count + i) return -1;
  }
  return count;
}

class RowFusion {
 public:
  explicit RowFusion(Graph& graph) : g_(graph) {}

  void run() {
    find_readers();
    find_candidates();
    find_bases();
    for (int32_t i = size() - 1; i >= 0; --i) {
      if (!needed_[i]) continue;
      if (!candidate_[i] || !fuse(i)) {
        for (const Value input : g_.nodes[i].inputs) needed_[input.index] = true;
      }
    }
  }

 private:
  // A group under construction: whole values have one shape, rows one number of trailing axes.
  struct Group {
    Dims shape;
    int64_t row_axes = 0;  // 0: not known yet
    bool row_walk = false, costly = false;
    std::set<int32_t> members;
    std::vector<int32_t> leaves;
  };

  int32_t size() const { return static_cast<int32_t>(g_.nodes.size()); }
  RowOp op_of(int32_t i) const { return *row_op(g_.nodes[i].op->name); }
  const Dims& shape_of(int32_t i) const { return g_.nodes[i].type.shape; }
  bool is_constant(int32_t i) const { return g_.nodes[i].op->name == "constant"; }
  bool is_number(int32_t i) const { return is_constant(i) && g_.nodes[i].constant.size() == 1; }

  void find_readers() {
    needed_.assign(size(), false);
    readers_.resize(size());
    for (const Port& port : g_.outputs) needed_[port.value.index] = true;
    std::vector<bool> live = needed_;
    for (int32_t i = size() - 1; i >= 0; --i) {
      if (!live[i]) continue;
      for (const Value input : g_.nodes[i].inputs) {
        live[input.index] = true;
        readers_[input.index].push_back(i);
      }
    }
  }

  void find_candidates() {
    candidate_.assign(size(), false);
    std::vector<bool> claimed(size(), false);
    for (int32_t i = 0; i < size(); ++i) {
      const Node& node = g_.nodes[i];
      if (node.op->name == "conv") conv_rank_ = std::max<size_t>(conv_rank_, node.type.shape.size());
      claim_followers(i, claimed);
      const auto found = row_op(node.op->name);
      if (!found || claimed[i] || node.type.kind == Kind::integer || node.type.shape.empty()) continue;
      const auto rank = static_cast<int64_t>(g_[node.inputs[0]].type.shape.size());
      candidate_[i] = takes_operands(node) && trailing_axes(node, *found, rank) >= 0;
    }
  }

  // Real numbers, or truths that are computed on the way: as 1 and 0.
  bool takes_operands(const Node& node) const {
    if (node.op->name == "where" && !(is_number(node.inputs[2].index) && g_[node.inputs[2]].constant.at(0) == 0)) {
      return false;
    }
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](Value input) {
      const Kind kind = g_[input].type.kind;
      return kind == Kind::real || (kind == Kind::boolean && candidate_[input.index]);
    });
  }

  // What the kernels of matrix products and convolutions compute on the way: a bias, an activation.
  void claim_followers(int32_t i, std::vector<bool>& claimed) const {
    const std::string& op = g_.nodes[i].op->name;
    if (op != "matmul" && op != "conv" && op != "conv_transpose") return;
    int32_t last = i;
    if (op == "matmul" && readers_[i].size() == 1 && !needed_[i]) {
      const int32_t next = readers_[i][0];
      const Node& node = g_.nodes[next];
      const Dims& shape = shape_of(i);
      if (node.op->name == "add" && node.type.shape == shape) {
        const Value other = node.inputs[node.inputs[0].index == i ? 1 : 0];
        const Dims& bias = g_[other].type.shape;
        if (is_constant(other.index) && !bias.empty() && bias.back() == shape.back() && product(bias) == shape.back()) {
          claimed[next] = true;
          last = next;
        }
      }
    }
    if (readers_[last].size() != 1 || needed_[last]) return;
    const int32_t next = readers_[last][0];
    const std::string& name = g_.nodes[next].op->name;
    if (name == "relu" || name == "sigmoid" || name == "tanh" || name == "exp" || name == "sqrt") claimed[next] = true;
  }

  // The one value of which a candidate is a function, constants aside; itself if there are several.
  void find_bases() {
    base_.resize(size());
    for (int32_t i = 0; i < size(); ++i) {
      base_[i] = i;
      if (!candidate_[i]) continue;
      int32_t common = -1;
      for (const Value input : g_.nodes[i].inputs) {
        if (is_constant(input.index)) continue;
        const int32_t base = base_[input.index];
        if (common >= 0 && common != base) common = i;
        else if (common < 0) common = base;
      }
      if (common >= 0) base_[i] = common;
    }
  }

  static Meets meets(const Dims& shape, const Dims& whole, int64_t row_axes) {
    if (shape == whole) return Meets::whole;
    if (shape.size() > whole.size()) return Meets::not_at_all;
    const size_t missing = whole.size() - shape.size();
    const auto first_of_row = static_cast<int64_t>(whole.size()) - row_axes;
    bool all_one = true, all_whole = true;
    for (size_t axis = 0; axis < whole.size(); ++axis) {
      const Dim extent = axis < missing ? Dim(1) : shape[axis - missing];
      if (extent != Dim(1) && extent != whole[axis]) return Meets::not_at_all;
      if (static_cast<int64_t>(axis) < first_of_row) continue;
      all_one = all_one && extent == Dim(1);
      all_whole = all_whole && extent == whole[axis];
    }
    return all_one || all_whole ? Meets::row_by_row : Meets::not_at_all;
  }

  // Whether a node can join; fixes the number of row axes if it must.
  bool fits(Group& group, int32_t i) const {
    const Node& node = g_.nodes[i];
    const RowOp op = op_of(i);
    int64_t row_axes = group.row_axes;
    if (walks_rows(op)) {
      const Dims& from = g_[node.inputs[0]].type.shape;
      if (from != group.shape) return false;
      const int64_t own = trailing_axes(node, op, static_cast<int64_t>(from.size()));
      if (row_axes != 0 && row_axes != own) return false;
      row_axes = own;
    }
    std::vector<const Dims*> shapes = {&node.type.shape};
    for (const Value input : node.inputs) {
      if (!is_number(input.index)) shapes.push_back(&g_[input].type.shape);
    }
    for (const Dims* shape : shapes) {
      if (*shape == group.shape) continue;
      if (row_axes == 0) row_axes = 1;
      if (meets(*shape, group.shape, row_axes) == Meets::not_at_all) return false;
    }
    // What is computed is whole or one number for each row.
    if (node.type.shape != group.shape) {
      Dims numbers = group.shape;
      for (int64_t k = 0; k < row_axes; ++k) numbers[numbers.size() - 1 - k] = 1;
      if (node.type.shape != numbers) return false;
    }
    group.row_axes = row_axes;
    return true;
  }

  bool is_interior(const Group& group, int32_t u, int32_t root) const {
    if (needed_[u]) return false;
    return std::all_of(readers_[u].begin(), readers_[u].end(),
                       [&](int32_t reader) { return reader > root || group.members.contains(reader); });
  }

  bool may_repeat(int32_t u) const {
    if (needed_[u] || base_[u] == u) return false;
    return std::all_of(readers_[u].begin(), readers_[u].end(), [&](int32_t reader) { return candidate_[reader]; });
  }

  bool fuse(int32_t root) {
    Group group;
    const RowOp op = op_of(root);
    if (op == RowOp::copy || g_.nodes[root].type.kind != Kind::real) return false;
    group.shape = walks_rows(op) ? g_[g_.nodes[root].inputs[0]].type.shape : shape_of(root);
    if (!fits(group, root)) return false;
    std::set<int32_t, std::greater<>> waiting;
    const auto join = [&](int32_t i) {
      group.members.insert(i);
      group.row_walk = group.row_walk || walks_rows(op_of(i));
      group.costly = group.costly || is_costly(op_of(i));
      for (const Value input : g_.nodes[i].inputs) waiting.insert(input.index);
    };
    join(root);
    while (!waiting.empty()) {
      const int32_t u = *waiting.begin();
      waiting.erase(waiting.begin());
      if (is_number(u)) continue;
      const bool joins = candidate_[u] && group.members.size() < kMostInstructions &&
                         (is_interior(group, u, root) || may_repeat(u)) && fits(group, u);
      if (!joins && g_.nodes[u].type.kind != Kind::real) return false;
      if (joins) join(u);
      else group.leaves.push_back(u);
    }
    if (group.members.size() < 2 || group.leaves.empty() || group.leaves.size() > kMostInputs) return false;
    if (between_convolutions(group) && !pays_between_convolutions(group)) return false;
    for (const int32_t leaf : group.leaves) needed_[leaf] = true;
    replace(root, group);
    return true;
  }

  bool between_convolutions(const Group& group) const {
    return conv_rank_ > 0 && group.shape.size() == conv_rank_ && !group.row_walk;
  }

  // There values lie as convolutions like them, which a program follows only if all are alike.
  bool pays_between_convolutions(const Group& group) const {
    return group.costly && group.row_axes == 0 && group.members.size() > 2;
  }

  void replace(int32_t root, const Group& group) {
    RowProgram program;
    program.shape = group.shape;
    program.row_axes = group.row_axes;
    std::map<int32_t, int> position;
    std::vector<Value> inputs;
    for (const int32_t leaf : group.leaves) {
      position[leaf] = static_cast<int>(inputs.size());
      inputs.push_back({leaf});
    }
    const auto number = [&](double value) -> RowOperand {
      program.numbers.push_back(value);
      return {RowOperand::From::number, static_cast<int>(program.numbers.size()) - 1};
    };
    const auto operand_of = [&](Value value) -> RowOperand {
      if (group.members.contains(value.index)) return {RowOperand::From::instruction, position.at(value.index)};
      if (!is_number(value.index)) return {RowOperand::From::input, position.at(value.index)};
      return number(g_[value].constant.at(0));
    };
    for (const int32_t i : group.members) {
      const Node& node = g_.nodes[i];
      RowInstruction instruction;
      instruction.op = op_of(i);
      instruction.a = operand_of(node.inputs[0]);
      instruction.b = node.inputs.size() > 1 ? operand_of(node.inputs[1]) : instruction.a;
      if (node.op->name == "where") std::swap(instruction.a, instruction.b);
      if (instruction.op == RowOp::normalize) instruction.b = number(node.attributes.real("epsilon"));
      if (node.op->name == "clip") {
        program.code.push_back({RowOp::at_least, instruction.a, number(node.attributes.real("min"))});
        instruction.a = {RowOperand::From::instruction, static_cast<int>(program.code.size()) - 1};
        instruction.b = number(node.attributes.real("max"));
      }
      position[i] = static_cast<int>(program.code.size());
      program.code.push_back(instruction);
    }
    recognise(program);
    Node& node = g_.nodes[root];
    node.op = &row_program_op();
    node.inputs = std::move(inputs);
    node.attributes = to_attributes(program);
  }

  Graph& g_;
  size_t conv_rank_ = 0;
  std::vector<bool> needed_, candidate_;
  std::vector<std::vector<int32_t>> readers_;  // that some output needs
  std::vector<int32_t> base_;
};

}  // namespace
}  // namespace ascribe::core::fuse_rows_pass

namespace ascribe::core {

void fuse_rows(Graph& graph) { fuse_rows_pass::RowFusion(graph).run(); }

}  // namespace ascribe::core
