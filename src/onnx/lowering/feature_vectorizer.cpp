// FeatureVectorizer: operands side by side as rows of features, each cut or filled with zeros to its given size.
#include "onnx/lowering/tables.h"

namespace ascribe::core::lowering_feature_vectorizer {
namespace {

Value part(NodeContext& c, size_t input, int64_t size) {
  Builder& b = c.b();
  Value x = b.cast(c.in(input), Kind::real);
  if (c.is_text(input)) c.refuse("operand {} holds texts; expected numbers", input);
  if (b.rank(x) < 1) c.refuse("operand {} is one number; expected features", input);
  if (b.rank(x) == 1) x = unsqueeze(b, x, {0});
  const Dims shape = b.shape(x);
  const int64_t features = fixed_size(c, product(Dims(shape.begin() + 1, shape.end())), "the number of features");
  if (b.rank(x) > 2) x = b.reshape(x, {shape[0], features});
  if (size < features) x = b.slice(x, 1, 0, size);
  if (size > features) x = b.concat({x, b.expand(b.scalar(0), {shape[0], size - features})}, 1);
  return x;
}

void lower(NodeContext& c) {
  const std::vector<int64_t> sizes = c.integers("inputdimensions", {});
  if (sizes.size() != c.input_count() || sizes.empty()) {
    c.refuse("inputdimensions has {} numbers; expected {}, one for each operand", sizes.size(), c.input_count());
  }
  std::vector<Value> parts;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 1 || sizes[i] > kLargestTable) c.refuse("inputdimensions holds {}; expected a size", sizes[i]);
    parts.push_back(part(c, i, sizes[i]));
  }
  c.out(0, parts.size() == 1 ? parts[0] : c.b().concat(parts, 1), "float32");
}

const RegisterLowering vectorizer({"ai.onnx.ml.FeatureVectorizer", 1, "inputdimensions"}, lower);

}  // namespace
}  // namespace ascribe::core::lowering_feature_vectorizer
