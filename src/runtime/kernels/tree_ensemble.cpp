// tree_ensemble in either precision. A block of rows goes through one tree after the other, so that a tree stays in the
// cache; sums are kept in double, in the order of the trees.
#include "graph/tree_ensemble.h"

#include <algorithm>

#include "base/parallel.h"
#include "runtime/kernels/kernel.h"

namespace ascribe::core::kernel_tree_ensemble {
namespace {

constexpr int64_t kBlock = 64;  // rows

template <class T>
class TreeKernel : public Kernel {
 public:
  TreeKernel(std::shared_ptr<const TreeEnsemble> trees, const Operand& x) : trees_(std::move(trees)) {
    input_layouts.resize(1);
    held.assign(1, false);
    rows_ = x.shape[0];
    columns_ = x.shape[1];
    plain_ = std::all_of(trees_->nodes.begin(), trees_->nodes.end(),
                         [](const TreeNode& node) { return node.test == TreeTest::leq && !node.missing_yes; });
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    x_ = static_cast<const T*>(inputs[0]);
    y_ = static_cast<T*>(output);
  }

  void run() override {
    parallel_for(rows_, kBlock, [this](int64_t begin, int64_t end) {
      if (plain_) block(begin, end, [](const TreeNode& node, double x) { return x <= node.threshold; });
      else block(begin, end, [this](const TreeNode& node, double x) { return trees_->goes_yes(node, x); });
    });
  }

 private:
  // In double, and as the file's comparisons see them.
  std::vector<double> rows_seen(int64_t begin, int64_t end) const {
    std::vector<double> rows(static_cast<size_t>((end - begin) * columns_));
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i] = trees_->seen(static_cast<double>(x_[static_cast<size_t>(begin * columns_) + i]));
    }
    return rows;
  }

  template <class Test>
  void block(int64_t begin, int64_t end, Test&& yes) const {
    const std::vector<double> rows = rows_seen(begin, end);
    const int64_t count = end - begin, targets = trees_->targets;
    std::vector<double> scores(static_cast<size_t>(count * targets), 0.0);
    std::vector<uint8_t> has(scores.size(), 0);
    const TreeNode* nodes = trees_->nodes.data();
    for (const int32_t root : trees_->roots) {
      for (int64_t r = 0; r < count; ++r) {
        const double* x = rows.data() + r * columns_;
        int32_t at = root;
        while (at >= 0) at = yes(nodes[at], x[nodes[at].column]) ? nodes[at].yes : nodes[at].no;
        add_leaf(~at, scores.data() + r * targets, has.data() + r * targets);
      }
    }
    const double trees = trees_->aggregate == TreeAggregate::average ? static_cast<double>(trees_->roots.size()) : 1.0;
    for (int64_t i = 0; i < count * targets; ++i) {
      const double score = scores[static_cast<size_t>(i)] / trees;
      y_[begin * targets + i] = static_cast<T>(score + trees_->base[static_cast<size_t>(i % targets)]);
    }
  }

  void add_leaf(int32_t leaf, double* score, uint8_t* has) const {
    const int64_t end = trees_->first_weight[static_cast<size_t>(leaf) + 1];
    for (int64_t w = trees_->first_weight[static_cast<size_t>(leaf)]; w < end; ++w) {
      const int32_t target = trees_->weight_target[static_cast<size_t>(w)];
      const double value = trees_->weight[static_cast<size_t>(w)];
      if (trees_->aggregate <= TreeAggregate::sum) {
        score[target] += value;
        continue;
      }
      const bool least = trees_->aggregate == TreeAggregate::min;
      if (has[target] == 0 || (least ? value < score[target] : value > score[target])) score[target] = value;
      has[target] = 1;
    }
  }

  std::shared_ptr<const TreeEnsemble> trees_;
  int64_t rows_ = 0, columns_ = 0;
  bool plain_ = false;
  const T* x_ = nullptr;
  T* y_ = nullptr;
};

template <class T>
std::unique_ptr<Kernel> make(const KernelRequest& request) {
  return std::make_unique<TreeKernel<T>>(trees_of(request.attributes), request.inputs[0]);
}

const RegisterKernel single("tree_ensemble", DType::f32, make<float>);
const RegisterKernel twofold("tree_ensemble", DType::f64, make<double>);

}  // namespace
}  // namespace ascribe::core::kernel_tree_ensemble
