// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss, which training graphs end in: minus
// the entry of the target class, weighted; targets equal to ignore_index count for nothing.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_loss {
namespace {

Value sum_of_all(Builder& b, Value x) {
  return b.rank(x) == 0 ? x : b.reduce("reduce_sum", x, axes_from(0, b.rank(x)), false);
}

// log_likelihood [N, C, ...], target [N, ...]
Value loss(NodeContext& c, Value log_likelihood) {
  Builder& b = c.b();
  if (b.rank(log_likelihood) < 2) c.refuse("the input has rank {}; expected [N, C, ...]", b.rank(log_likelihood));
  Value target = c.in(1);
  Value weight = c.has(2) ? c.in(2) : b.scalar(1);
  Value ignored;
  if (c.has_attribute("ignore_index")) {
    ignored = b.op("equal", {target, b.integer(c.integer("ignore_index"))});
    target = b.op("where", {ignored, b.integer(0), target});
  }
  weight = c.has(2) ? b.op("gather", {weight, target}, {{"axis", ints({0})}}) : b.expand(weight, b.shape(target));
  if (ignored.valid()) weight = b.op("where", {ignored, b.scalar(0), weight});
  const Value picked = b.op("gather_elements", {log_likelihood, unsqueeze(b, target, {1})}, {{"axis", ints({1})}});
  const Value losses = b.mul(b.op("neg", {squeeze(b, picked, {1})}), weight);
  const std::string reduction = c.text("reduction", "mean");
  if (reduction == "none") return losses;
  if (reduction == "sum") return sum_of_all(b, losses);
  if (reduction != "mean") c.refuse("reduction is \"{}\"; expected none, sum or mean", reduction);
  return b.div(sum_of_all(b, losses), sum_of_all(b, weight));
}

const RegisterLowering nll({"NegativeLogLikelihoodLoss", 22, "ignore_index reduction"},
                           [](NodeContext& c) { c.out(0, loss(c, c.in(0))); });

const RegisterLowering cross_entropy({"SoftmaxCrossEntropyLoss", 13, "ignore_index reduction"}, [](NodeContext& c) {
  if (c.b().rank(c.in(0)) < 2) c.refuse("the scores have rank {}; expected [N, C, ...]", c.b().rank(c.in(0)));
  const Value log_likelihood = c.b().op("log_softmax", {c.in(0)}, {{"axis", ints({1})}});
  if (c.wants(0)) c.out(0, loss(c, log_likelihood));
  if (c.wants(1)) c.out(1, log_likelihood);
});

}  // namespace
}  // namespace ascribe::core::lowering_loss
