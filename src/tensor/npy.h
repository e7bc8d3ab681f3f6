// NumPy files: .npy (format 1 to 3) and .npz (a zip archive of them). All integer types
// become int64, float16 becomes float32; Fortran order and foreign byte order are undone.
// The files are hostile input: whatever is wrong is an error of kind io naming the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace ascribe::core {

struct Array {
  std::string name;          // its name in a .npz; empty in a .npy
  Tensor values;             // row-major
  std::string element_type;  // as the file has it: "float32", "uint8", "bool", ...
};

bool is_npy(std::string_view bytes);
bool is_npz(std::string_view bytes);

Array parse_npy(std::string_view bytes, const std::string& where);
std::vector<Array> parse_npz(std::string_view bytes, const std::string& where);  // in the order of the archive

// What stands before the elements, for files that are read in parts.
struct NpyHeader {
  Shape shape;
  bool fortran = false;      // the first index varies fastest
  std::string descr;         // NumPy's code of the elements, with the byte order
  std::string element_type;  // as in Array
  size_t element_size = 0;   // in bytes
  size_t start = 0;          // where the elements begin
};
NpyHeader parse_npy_header(std::string_view beginning, const std::string& where);
// Elements that lie in the file one behind the other, as an array of this shape.
Array parse_npy_elements(const NpyHeader& header, const Shape& shape, std::string_view bytes, const std::string& where);

// What stands before the elements; `code`: of an element, as NumPy has it.
std::string npy_preamble(std::string_view code, const Shape& shape);
std::string format_npy(const Tensor& tensor);
std::string format_npz(const std::vector<std::pair<std::string, Tensor>>& arrays);

}  // namespace ascribe::core
