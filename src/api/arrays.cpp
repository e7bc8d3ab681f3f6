#include "api/state.h"

namespace ascribe {

core::Tensor borrowed(const Array& array) {
  if (array.data() == nullptr) core::fail(core::ErrorKind::argument, "array", "there are no numbers");
  for (const int64_t extent : array.shape()) {
    if (extent < 0) core::fail(core::ErrorKind::shape, "array", "an extent is {}", extent);
  }
  const std::shared_ptr<const void> owner(std::shared_ptr<const void>(), array.data());
  return core::Tensor::borrow(array.is_double() ? core::DType::f64 : core::DType::f32, array.shape(), owner,
                              array.data());
}

Array seen(const core::Tensor& tensor) {
  std::vector<int64_t> shape(tensor.shape().begin(), tensor.shape().end());
  if (tensor.dtype() == core::DType::f64) return {tensor.data<double>().data(), std::move(shape)};
  return {tensor.data<float>().data(), std::move(shape)};
}

std::vector<LeftOut> seen(const std::vector<core::study::LeftOut>& left_out) {
  std::vector<LeftOut> list;
  for (const auto& one : left_out) list.push_back({one.method, one.reason});
  return list;
}

}  // namespace ascribe
