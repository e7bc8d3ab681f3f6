#include "graph/tree_ensemble.h"

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace ascribe::core {

namespace {

class Settler {
 public:
  Settler(TreeEnsemble& trees, std::string_view where)
      : trees_(trees), where_(where), reached_(trees.nodes.size(), false) {}

  void run() {
    check_weights();
    for (int32_t& root : trees_.roots) root = walk(root);
    trees_.nodes = std::move(ordered_);
    trees_.nodes.shrink_to_fit();
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    fail(ErrorKind::model, where_, "{}", fmt::format(format, std::forward<Args>(args)...));
  }

  void check_weights() const {
    if (trees_.targets < 1) refuse("the trees have {} targets; expected at least one", trees_.targets);
    if (std::ssize(trees_.base) != trees_.targets) {
      refuse("got {} base values for {} targets", trees_.base.size(), trees_.targets);
    }
    for (const int32_t target : trees_.weight_target) {
      if (target < 0 || target >= trees_.targets) {
        refuse("a leaf has a weight for target {}; expected 0 to {}", target, trees_.targets - 1);
      }
    }
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!std::all_of(trees_.weight.begin(), trees_.weight.end(), finite) ||
        !std::all_of(trees_.base.begin(), trees_.base.end(), finite)) {
      refuse("a weight of a leaf or a base value is not finite");
    }
  }

  struct Step {
    int32_t child;   // as the file names it
    int32_t parent;  // in the new order; -1: a root
    bool yes;
    int depth;
  };

  // From one root, without recursion: the file decides on the depth.
  int32_t walk(int32_t root) {
    int32_t result = 0;
    std::vector<Step> open = {{root, -1, false, 1}};
    while (!open.empty()) {
      const Step step = open.back();
      open.pop_back();
      const int32_t placed = place(step, open);
      if (step.parent < 0) result = placed;
      else
        (step.yes ? ordered_[static_cast<size_t>(step.parent)].yes : ordered_[static_cast<size_t>(step.parent)].no) =
            placed;
    }
    return result;
  }

  int32_t place(const Step& step, std::vector<Step>& open) {
    if (step.child < 0) {
      if (~step.child >= trees_.leaves()) refuse("there is no leaf {}; got {} of them", ~step.child, trees_.leaves());
      return step.child;
    }
    const auto old = static_cast<size_t>(step.child);
    if (old >= trees_.nodes.size()) refuse("there is no node {}; got {} of them", step.child, trees_.nodes.size());
    if (reached_[old]) refuse("node {} is reached twice; expected trees", step.child);
    if (step.depth > kDeepestTree) refuse("a tree is deeper than {} nodes", kDeepestTree);
    reached_[old] = true;
    const TreeNode& node = trees_.nodes[old];
    if (node.column < 0) refuse("node {} compares column {}", step.child, node.column);
    trees_.columns = std::max<int64_t>(trees_.columns, int64_t{node.column} + 1);
    const auto own = static_cast<int32_t>(ordered_.size());
    ordered_.push_back(node);
    open.push_back({node.no, own, false, step.depth + 1});
    open.push_back({node.yes, own, true, step.depth + 1});
    return own;
  }

  TreeEnsemble& trees_;
  std::string_view where_;
  std::vector<bool> reached_;
  std::vector<TreeNode> ordered_;
};

}  // namespace

void settle(TreeEnsemble& trees, std::string_view where) {
  constexpr auto kMost = static_cast<size_t>(std::numeric_limits<int32_t>::max());
  if (trees.nodes.size() >= kMost || trees.first_weight.size() >= kMost) {
    fail(ErrorKind::unsupported, where, "got {} nodes and {} leaves; expected less than 2^31", trees.nodes.size(),
         trees.leaves());
  }
  Settler(trees, where).run();
}

}  // namespace ascribe::core
