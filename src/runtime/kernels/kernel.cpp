#include "runtime/kernels/kernel.h"

#include <oneapi/dnnl/dnnl.hpp>

#include "runtime/kernels/reference.h"

namespace ascribe {

std::unique_ptr<Kernel> make_kernel(const KernelRequest& request, DType real) {
  const KernelFactory* factory =
      KernelRegistry::instance().find(fmt::format("{} {}", request.op.name, to_string(real)));
  if (factory != nullptr) {
    try {
      if (auto kernel = (*factory)(request)) return kernel;
    } catch (const dnnl::error&) {
      // oneDNN has no primitive for this case on this machine; the reference always does.
    }
  }
  return make_reference_kernel(request);
}

}  // namespace ascribe
