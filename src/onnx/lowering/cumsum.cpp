// CumSum and Trilu.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_cumsum {
namespace {

void lower_cumsum(NodeContext& c) {
  const int64_t axis = normal_axis(one_integer(c, 1, "axis"), c.b().rank(c.in(0)), c.where());
  const int64_t exclusive = c.integer("exclusive", 0) != 0, reverse = c.integer("reverse", 0) != 0;
  c.out(0, c.b().op("cumsum", {c.in(0)},
                    {{"axis", ints({axis})}, {"exclusive", ints({exclusive})}, {"reverse", ints({reverse})}}));
}

// Keeps column - row >= k (upper) or <= k (lower), zero elsewhere.
void lower_trilu(NodeContext& c) {
  Builder& b = c.b();
  const Value x = c.in(0);
  const int64_t rank = b.rank(x);
  if (rank < 2) c.refuse("the input has rank {}; expected matrices", rank);
  const int64_t rows = fixed_size(c, b.shape(x)[rank - 2], "the number of rows");
  const int64_t columns = fixed_size(c, b.shape(x)[rank - 1], "the number of columns");
  table_size(c, {rows});
  table_size(c, {columns});
  int64_t k = c.has(1) ? one_integer(c, 1, "k") : 0;
  k = std::clamp(k, -rows, columns);
  const Value row = b.reshape(b.add(integer_range(b, rows), b.integer(k)), {rows, 1});
  const Value column = integer_range(b, columns);
  const Value kept = c.integer("upper", 1) != 0 ? b.op("less_equal", {row, column}) : b.op("less_equal", {column, row});
  c.out(0, b.op("where", {kept, x, number(b, b.kind(x), 0)}));
}

const RegisterLowering cumsum({"CumSum", 14, "exclusive reverse"}, lower_cumsum);
const RegisterLowering trilu({"Trilu", 14, "upper"}, lower_trilu);

}  // namespace
}  // namespace ascribe::core::lowering_cumsum
