// Numbers between numpy and the library.
#pragma once

#include <cstring>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <ascribe/ascribe.h>

namespace ascribe_python {

namespace nb = nanobind;

// What Python hands over: row-major, in memory, float or double. The Python side has seen to that, without a copy where
// the numbers lie so already.
using Given = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

inline std::vector<int64_t> shape_of(const Given& given) {
  std::vector<int64_t> shape(given.ndim());
  for (size_t axis = 0; axis < given.ndim(); ++axis) shape[axis] = static_cast<int64_t>(given.shape(axis));
  return shape;
}

// The library looks at the numbers; whoever gave them keeps them.
inline ascribe::Array looked_at(const Given& given) {
  if (given.dtype() == nb::dtype<float>()) return {static_cast<const float*>(given.data()), shape_of(given)};
  if (given.dtype() == nb::dtype<double>()) return {static_cast<const double*>(given.data()), shape_of(given)};
  throw nb::type_error("expected an array of float32 or float64");
}

// A numpy array, by its name in signatures and so for type checkers.
class Numpy : public nb::object {
 public:
  NB_OBJECT_DEFAULT(Numpy, nb::object, "numpy.ndarray", PyObject_CheckBuffer)
};

// A new numpy array and where its numbers go.
template <class T>
Numpy new_array(const std::vector<size_t>& shape, T*& numbers) {
  size_t count = 1;
  for (const size_t extent : shape) count *= extent;
  numbers = new T[count]();
  nb::capsule owner(numbers, [](void* data) noexcept { delete[] static_cast<T*>(data); });
  return nb::steal<Numpy>(nb::cast(nb::ndarray<nb::numpy, T>(numbers, shape.size(), shape.data(), owner)).release());
}

template <class T>
Numpy copied(const T* data, const std::vector<size_t>& shape) {
  T* numbers = nullptr;
  Numpy array = new_array<T>(shape, numbers);
  size_t count = 1;
  for (const size_t extent : shape) count *= extent;
  if (count > 0) std::memcpy(numbers, data, count * sizeof(T));
  return array;
}

inline Numpy copied(const ascribe::Array& array) {
  const std::vector<size_t> shape(array.shape().begin(), array.shape().end());
  if (array.is_double()) return copied(static_cast<const double*>(array.data()), shape);
  return copied(static_cast<const float*>(array.data()), shape);
}

inline Numpy copied(const std::vector<double>& numbers) { return copied(numbers.data(), {numbers.size()}); }

// The same number of every row, one behind another.
template <class T, class F>
Numpy per_row(size_t rows, F&& number) {
  T* numbers = nullptr;
  Numpy array = new_array<T>({rows}, numbers);
  for (size_t row = 0; row < rows; ++row) numbers[row] = number(row);
  return array;
}

// Rows of one shape as one array [rows, row...].
template <class F>
Numpy stacked(size_t rows, F&& row_array) {
  const ascribe::Array first = row_array(0);
  std::vector<size_t> shape = {rows};
  shape.insert(shape.end(), first.shape().begin(), first.shape().end());
  const auto fill = [&]<class T>(T*) {
    T* numbers = nullptr;
    Numpy array = new_array<T>(shape, numbers);
    for (size_t row = 0; row < rows; ++row) {
      const ascribe::Array one = row_array(row);
      if (one.shape() != first.shape() || one.is_double() != first.is_double()) {
        throw nb::value_error("rows of different shapes cannot be one array");
      }
      const size_t count = static_cast<size_t>(one.size());
      if (count > 0) std::memcpy(numbers + row * count, one.data(), count * sizeof(T));
    }
    return array;
  };
  return first.is_double() ? fill(static_cast<double*>(nullptr)) : fill(static_cast<float*>(nullptr));
}

}  // namespace ascribe_python
