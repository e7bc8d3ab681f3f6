// OneHotEncoder: 1 at the place of the category along a new last axis, 0 elsewhere. Real operands lose what is behind
// the point. Of a category that is listed twice, the last place counts.
#include <limits>
#include <unordered_set>

#include "onnx/lowering/tables.h"

namespace ascribe::core::lowering_one_hot_encoder {
namespace {

std::vector<int64_t> without_repeats(std::vector<int64_t> codes, int64_t nothing) {
  std::unordered_set<int64_t> behind;
  for (size_t i = codes.size(); i-- > 0;) {
    if (!behind.insert(codes[i]).second) codes[i] = nothing;
  }
  return codes;
}

void lower(NodeContext& c) {
  Builder& b = c.b();
  const Classes categories = classes_of(c, "cats_int64s", "cats_strings");
  if (categories.texts != c.is_text(0)) {
    c.refuse("the categories are {} and the operand is not", categories.texts ? "texts" : "integers");
  }
  table_size(c, {categories.count()});
  const bool unknown = c.integer("zeros", 1) != 0;
  if (categories.texts) c.reads_texts(0, categories.labels, unknown);
  const Value x = b.cast(c.in(0), Kind::integer);
  constexpr int64_t kNothing = std::numeric_limits<int64_t>::min();
  const Value places =
      b.constant(Tensor::of<int64_t>({categories.count()}, without_repeats(categories.codes, kNothing)));
  const Value hit = b.op("equal", {unsqueeze(b, x, {b.rank(x)}), places});
  c.out(0, b.cast(hit, Kind::real), "float32");
}

const RegisterLowering encoder({"ai.onnx.ml.OneHotEncoder", 1, "cats_int64s cats_strings zeros"}, lower,
                               "a number that is no category gives zeros, also where zeros = 0");

}  // namespace
}  // namespace ascribe::core::lowering_one_hot_encoder
