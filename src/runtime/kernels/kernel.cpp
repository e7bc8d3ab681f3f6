#include "runtime/kernels/kernel.h"

#include <algorithm>
#include <new>

#include <oneapi/dnnl/dnnl.hpp>

#include "runtime/kernels/reference.h"

namespace ascribe::core {

bool rounds_one_way(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Node& node) { return node.op->name == "secant"; });
}

namespace {

// Kernels compute reals; integers (a matrix product of them, say) are the reference's. So are operands without
// elements, of which a sum is 0: oneDNN has nothing to do there, and leaves what was in memory before. Joined
// operations have no reference, but a graph with such values is not joined.
bool suits_kernels(const KernelRequest& request, DType real) {
  const bool joined = request.op.name == "row_program" || request.op.name == "moves";
  for (const Operand& input : request.inputs) {
    if (input.dtype != real || (input.size() == 0 && !joined)) return false;
  }
  return request.output.dtype == real;
}

// oneDNN does not survive every lack of memory, so that it is asked for some first; what kernels need beside their
// weights and scratch, which are ours, is far less.
void check_headroom() {
  constexpr size_t kHeadroom = size_t{8} << 20;
  void* volatile block = ::operator new(kHeadroom);  // volatile: or the compiler leaves both out
  ::operator delete(block);
}

}  // namespace

std::unique_ptr<Kernel> make_kernel(const KernelRequest& request, DType real) {
  const KernelFactory* factory =
      KernelRegistry::instance().find(fmt::format("{} {}", request.op.name, to_string(real)));
  if (factory != nullptr && suits_kernels(request, real)) {
    check_headroom();
    try {
      auto kernel = (*factory)(request);
      if (kernel && !(request.careful && kernel->careless)) return kernel;
    } catch (const dnnl::error& error) {
      if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
      // oneDNN has no primitive for this case on this machine; the reference always does.
    }
  }
  return make_reference_kernel(request);
}

RegisterKernel::RegisterKernel(std::string_view op, DType real, KernelFactory factory) {
  require(!op.empty() && factory != nullptr, op, "a kernel needs the name of an operation and a function");
  KernelRegistry::instance().add(fmt::format("{} {}", op, to_string(real)), factory);
}

}  // namespace ascribe::core
