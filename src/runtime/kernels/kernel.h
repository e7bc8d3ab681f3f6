// What a plan is made of: kernels bound to fixed memory. A factory looks at one
// operation with concrete shapes and says how it wants its operands to lie in memory;
// the plan inserts reorders. Without a factory the operation's reference `apply` runs.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/registry.h"
#include "graph/graph.h"

namespace ascribe::core {

// How a value lies in memory; null means plain row-major. oneDNN's blocked formats
// hide behind it, so that only this folder knows them.
struct Layout;
using LayoutPtr = std::shared_ptr<const Layout>;

bool same_layout(const LayoutPtr& a, const LayoutPtr& b);

struct Operand {
  Value value;
  DType dtype = DType::f32;
  Shape shape;
  LayoutPtr layout;
  bool constant = false;

  int64_t size() const { return element_count(shape); }
  size_t plain_bytes() const { return static_cast<size_t>(size()) * size_of(dtype); }
};

// An operation that follows the kernel's own and has no other reader: the kernel may
// absorb it. `other` is the second operand of a binary operation, invalid for a unary one.
struct Follower {
  const Op* op = nullptr;
  Attributes attributes;
  Operand other;
};

class ConstantStore;

struct KernelRequest {
  const Op& op;
  const Attributes& attributes;  // resolved for the batch
  std::span<const Operand> inputs;
  const Operand& output;                // its layout is the kernel's to choose
  std::span<const Follower> followers;  // in order; a kernel absorbs a prefix
  ConstantStore& constants;
  // The graph divides differences of a function at near points (secant), so that a function must be rounded in one way
  // wherever it is computed: alone as well as behind a matrix product.
  bool one_way = false;
  // NaN came up: only kernels that are not careless will do, and nothing is absorbed.
  bool careful = false;
};

bool rounds_one_way(const Graph& graph);

class Kernel {
 public:
  virtual ~Kernel() = default;
  // Called whenever the arena moves. Pointers of `held` inputs are null.
  virtual void bind(std::span<void* const> inputs, void* output, void* scratch) = 0;
  virtual void run() = 0;

  std::vector<LayoutPtr> input_layouts;  // what it reads, one per input
  std::vector<bool> held;                // constants it keeps itself, packed
  LayoutPtr output_layout;
  size_t output_bytes = 0;  // 0: plain size
  size_t scratch_bytes = 0;
  size_t own_bytes = size_t{2} << 10;  // that it holds beside weights, roughly: a plan has many kernels
  int in_place = -1;                   // an input whose memory the output may take over
  size_t absorbed = 0;                 // followers it computes too
  // Where an operand holds NaN or infinities, the result may differ from the reference's: a number instead of NaN, or
  // NaN at more places. Whoever runs it must find that out (Plan::run).
  bool careless = false;
  std::vector<Operand> extra_inputs;  // second operands of absorbed followers, after the inputs
  std::vector<LayoutPtr> extra_layouts;
};

// For requests whose operands and result are all real; null: not a case for it.
using KernelFactory = std::unique_ptr<Kernel> (*)(const KernelRequest&);

using KernelRegistry = Registry<KernelFactory>;  // by "operation precision"

struct RegisterKernel {
  RegisterKernel(std::string_view op, DType real, KernelFactory factory);
};

// The best kernel for a request; falls back to the reference.
std::unique_ptr<Kernel> make_kernel(const KernelRequest& request, DType real);
// Copies between layouts.
std::unique_ptr<Kernel> make_reorder(const Operand& from, const LayoutPtr& to);
// Bytes that a value of this type takes in a layout, padding included.
size_t bytes_in(const LayoutPtr& layout, size_t plain_bytes);

}  // namespace ascribe::core
