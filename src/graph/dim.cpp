#include "graph/dim.h"

#include "base/checked.h"

namespace ascribe::core {

int64_t Dim::at(int64_t batch) const { return checked_add(fixed, checked_multiply(per_row, batch, "dim"), "dim"); }

Dim operator+(Dim a, Dim b) { return {checked_add(a.fixed, b.fixed, "dim"), checked_add(a.per_row, b.per_row, "dim")}; }

Dim operator-(Dim a, Dim b) {
  return {checked_subtract(a.fixed, b.fixed, "dim"), checked_subtract(a.per_row, b.per_row, "dim")};
}

Dim operator*(Dim a, Dim b) {
  if (!a.is_fixed() && !b.is_fixed()) {
    fail(ErrorKind::unsupported, "dim", "a dimension grows with the square of the batch; got {} * {}", to_string(a),
         to_string(b));
  }
  return {checked_multiply(a.fixed, b.fixed, "dim"),
          checked_add(checked_multiply(a.per_row, b.fixed, "dim"), checked_multiply(a.fixed, b.per_row, "dim"), "dim")};
}

Dim product(const Dims& dims) {
  Dim result = 1;
  for (const Dim dim : dims) {
    if (dim == Dim(0)) return 0;
  }
  for (const Dim dim : dims) result = result * dim;
  return result;
}

Dim divide(Dim a, Dim b, std::string_view where) {
  if (b.is_fixed() && b.fixed > 0 && a.fixed % b.fixed == 0 && a.per_row % b.fixed == 0) {
    return {a.fixed / b.fixed, a.per_row / b.fixed};
  }
  if (b.per_row > 0 && a.per_row % b.per_row == 0) {
    const int64_t quotient = a.per_row / b.per_row;
    if (Dim(quotient) * b == a) return quotient;
  }
  fail(ErrorKind::model, where, "sizes do not divide; got {} / {}", to_string(a), to_string(b));
}

bool at_least(Dim a, Dim b) {
  const Dim excess = a - b;
  return excess.per_row >= 0 && excess.at(1) >= 0;
}

bool all_fixed(const Dims& dims) {
  for (const Dim dim : dims) {
    if (!dim.is_fixed()) return false;
  }
  return true;
}

Shape at(const Dims& dims, int64_t batch) {
  Shape shape;
  shape.reserve(dims.size());
  for (const Dim dim : dims) shape.push_back(dim.at(batch));
  return shape;
}

Dims to_dims(const Shape& shape) { return {shape.begin(), shape.end()}; }

RowsOf rows_in(const Dims& shape) {
  RowsOf rows;
  rows.row = at(shape, 1);
  rows.first = !rows.row.empty() && (!shape[0].is_fixed() || rows.row[0] == 1 || rows.row.size() == 4);
  if (rows.first) {
    rows.rows = shape[0].fixed;
    rows.row.erase(rows.row.begin());
  }
  return rows;
}

std::string to_string(Dim dim) {
  if (dim.is_fixed()) return std::to_string(dim.fixed);
  std::string text = dim.per_row == 1 ? "N" : fmt::format("{}N", dim.per_row);
  if (dim.fixed != 0) text += fmt::format("{:+}", dim.fixed);
  return text;
}

std::string to_string(const Dims& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i == 0 ? "" : ", ") + to_string(dims[i]);
  return text + "]";
}

}  // namespace ascribe::core
