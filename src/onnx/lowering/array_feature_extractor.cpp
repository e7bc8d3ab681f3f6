// ArrayFeatureExtractor: elements of the last axis, by their places. Classifiers name the class of the largest score
// so.
#include "onnx/lowering/tables.h"

namespace ascribe::core::lowering_array_feature_extractor {
namespace {

// If the places are those of the largest scores, what they pick names the classes.
void name_scores(NodeContext& c, Value places) {
  Builder& b = c.b();
  const auto known = b.known(c.in(0));
  if (!known || c.is_text(0)) return;
  while (b.graph().is(places, "reshape") || b.graph().is(places, "cast")) places = b.graph()[places].inputs[0];
  if (!b.graph().is(places, "arg_max")) return;
  const Value scores = b.graph()[places].inputs[0];
  if (b.rank(scores) != 2 || b.shape(scores)[1] != Dim(known->size())) return;
  std::vector<std::string> labels;
  for (int64_t i = 0; i < known->size(); ++i) labels.push_back(fmt::format("{}", known->at(i)));
  c.name_classes(scores, std::move(labels));
}

void lower(NodeContext& c) {
  Builder& b = c.b();
  Value x = c.in(0);
  const Value given = c.in(1);
  if (b.rank(x) < 1) c.refuse("the operand is one number; expected features");
  if (b.kind(given) != Kind::integer) c.refuse("the places are not integers");
  if (b.rank(x) == 1) x = unsqueeze(b, x, {0});
  const Value places = b.reshape(given, {product(b.shape(given))});
  name_scores(c, given);
  c.out(0, b.op("gather", {x, places}, {{"axis", ints({b.rank(x) - 1})}}));
}

const RegisterLowering extractor({"ai.onnx.ml.ArrayFeatureExtractor", 1, ""}, lower);

}  // namespace
}  // namespace ascribe::core::lowering_array_feature_extractor
