#include "runtime/kernels/kernel.h"

#include <algorithm>

#include <oneapi/dnnl/dnnl.hpp>

#include "runtime/kernels/reference.h"

namespace ascribe::core {

bool rounds_one_way(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Node& node) { return node.op->name == "secant"; });
}

namespace {

// Kernels compute reals; integers (a matrix product of them, say) are the reference's.
bool all_real(const KernelRequest& request, DType real) {
  for (const Operand& input : request.inputs) {
    if (input.dtype != real) return false;
  }
  return request.output.dtype == real;
}

}  // namespace

std::unique_ptr<Kernel> make_kernel(const KernelRequest& request, DType real) {
  const KernelFactory* factory =
      KernelRegistry::instance().find(fmt::format("{} {}", request.op.name, to_string(real)));
  if (factory != nullptr && all_real(request, real)) {
    try {
      auto kernel = (*factory)(request);
      if (kernel && !(request.careful && kernel->careless)) return kernel;
    } catch (const dnnl::error&) {
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
