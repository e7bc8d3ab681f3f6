// A dense row-major array with shared storage. Copies are cheap; writing to a
// shared or borrowed buffer makes a private copy first.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "tensor/shape.h"

namespace ascribe::core {

enum class DType : uint8_t { f32, f64, i64, boolean };  // boolean: one byte, 0 or 1

std::string_view to_string(DType dtype);
size_t size_of(DType dtype);

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>) return DType::f32;
  else if constexpr (std::is_same_v<T, double>) return DType::f64;
  else if constexpr (std::is_same_v<T, int64_t>) return DType::i64;
  else {
    static_assert(std::is_same_v<T, uint8_t>, "tensors hold float, double, int64_t or uint8_t (boolean)");
    return DType::boolean;
  }
}

// Calls f with a value of the element type: visit(dtype, [&]<class T>(T) { ... }).
template <class F>
decltype(auto) visit(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f32: return f(float{});
    case DType::f64: return f(double{});
    case DType::i64: return f(int64_t{});
    default: return f(uint8_t{});
  }
}

// One element in another type. To boolean: != 0. From float to integer: truncated, and saturated
// where C++ leaves the result undefined; NaN becomes the smallest integer.
template <class To, class From>
To convert_element(From value) {
  if constexpr (std::is_same_v<To, uint8_t>) {
    return value != From{0} ? 1 : 0;
  } else if constexpr (std::is_same_v<To, int64_t> && std::is_floating_point_v<From>) {
    if (std::isnan(value)) return std::numeric_limits<int64_t>::min();
    if (value >= static_cast<From>(0x1.0p63)) return std::numeric_limits<int64_t>::max();
    if (value < static_cast<From>(-0x1.0p63)) return std::numeric_limits<int64_t>::min();
    return static_cast<int64_t>(value);
  } else {
    return static_cast<To>(value);
  }
}

// Borrowed memory with a type and a shape: what kernels read and write.
struct TensorRef {
  DType dtype = DType::f32;
  Shape shape;
  void* memory = nullptr;

  int64_t size() const { return element_count(shape); }

  template <class T>
  std::span<T> data() const {
    require(dtype == dtype_of<std::remove_const_t<T>>(), "tensor", "element type mismatch");
    return {static_cast<T*>(memory), static_cast<size_t>(size())};
  }
};

class Tensor {
 public:
  Tensor() = default;
  Tensor(DType dtype, Shape shape);  // zero-filled, 64-byte aligned

  // Borrows read-only memory that `owner` keeps alive.
  static Tensor borrow(DType dtype, Shape shape, std::shared_ptr<const void> owner, const void* memory);

  template <class T>
  static Tensor of(Shape shape, std::span<const T> values) {
    Tensor tensor(dtype_of<T>(), std::move(shape));
    auto out = tensor.mutable_data<T>();
    require(out.size() == values.size(), "tensor", "value count does not fit the shape");
    std::copy(values.begin(), values.end(), out.begin());
    return tensor;
  }
  template <class T>
  static Tensor of(Shape shape, std::initializer_list<T> values) {
    return of<T>(std::move(shape), std::span<const T>(values.begin(), values.size()));
  }
  template <class T>
  static Tensor of(Shape shape, const std::vector<T>& values) {
    return of<T>(std::move(shape), std::span<const T>(values));
  }
  template <class T>
  static Tensor scalar(T value) {
    return of<T>({}, {value});
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
  int64_t size() const { return size_; }
  size_t bytes() const { return static_cast<size_t>(size_) * size_of(dtype_); }
  bool empty() const { return !memory_; }  // true for a default-constructed tensor only

  template <class T>
  std::span<const T> data() const {
    require(dtype_ == dtype_of<T>(), "tensor", "element type mismatch");
    return {static_cast<const T*>(memory_), static_cast<size_t>(size_)};
  }
  template <class T>
  std::span<T> mutable_data() {
    require(dtype_ == dtype_of<T>(), "tensor", "element type mismatch");
    make_private();
    return {static_cast<T*>(const_cast<void*>(memory_)), static_cast<size_t>(size_)};
  }
  const void* memory() const { return memory_; }
  const std::shared_ptr<const void>& storage() const { return owner_; }  // what tensors with shared elements share
  void* mutable_memory() {
    make_private();
    return const_cast<void*>(memory_);
  }

  TensorRef ref() { return {dtype_, shape_, mutable_memory()}; }
  // For readers that take a TensorRef; they must not write through it.
  TensorRef view() const { return {dtype_, shape_, const_cast<void*>(memory_)}; }

  Tensor reshaped(Shape shape) const;  // same elements, shared storage
  Tensor cast(DType dtype) const;      // float to integer truncates; to boolean: != 0
  double at(int64_t index) const;      // any type, widened

 private:
  void make_private();

  DType dtype_ = DType::f32;
  Shape shape_;
  int64_t size_ = 0;
  std::shared_ptr<const void> owner_;
  const void* memory_ = nullptr;
  bool borrowed_ = false;
};

}  // namespace ascribe::core
