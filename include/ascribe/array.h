// Numbers that somebody else owns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <ascribe/export.h>

namespace ascribe {
inline namespace v1 {

// A row-major array of float or double that is only looked at. Given to the library, it must live until the call
// returns and is not copied where the network computes in its type; got from a result, it lives as long as the result.
class Array {
 public:
  Array() = default;
  Array(const float* data, std::vector<int64_t> shape) : data_(data), is_double_(false), shape_(std::move(shape)) {}
  Array(const double* data, std::vector<int64_t> shape) : data_(data), is_double_(true), shape_(std::move(shape)) {}
  // In one line, as long as the numbers are.
  Array(std::span<const float> numbers) : Array(numbers.data(), {static_cast<int64_t>(numbers.size())}) {}
  Array(std::span<const double> numbers) : Array(numbers.data(), {static_cast<int64_t>(numbers.size())}) {}
  Array(const std::vector<float>& numbers) : Array(std::span<const float>(numbers)) {}
  Array(const std::vector<double>& numbers) : Array(std::span<const double>(numbers)) {}

  const void* data() const { return data_; }
  bool is_double() const { return is_double_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t size() const {
    int64_t count = data_ == nullptr ? 0 : 1;
    for (const int64_t extent : shape_) count *= extent;
    return count;
  }
  double operator[](int64_t i) const {
    return is_double_ ? static_cast<const double*>(data_)[i] : static_cast<double>(static_cast<const float*>(data_)[i]);
  }

 private:
  const void* data_ = nullptr;
  bool is_double_ = true;
  std::vector<int64_t> shape_;
};

}  // namespace v1
}  // namespace ascribe
