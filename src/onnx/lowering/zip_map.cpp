// ZipMap: a row of scores as a map from classes to numbers. The row is the output here, and the classes its labels.
#include "onnx/lowering/tables.h"

namespace ascribe::core::lowering_zip_map {
namespace {

void lower(NodeContext& c) {
  Builder& b = c.b();
  const Classes classes = classes_of(c, "classlabels_int64s", "classlabels_strings");
  const Value x = c.in(0);
  if (b.rank(x) < 1 || b.shape(x).back() != Dim(classes.count())) {
    c.refuse("the operand has shape {}; expected rows of {} classes", to_string(b.shape(x)), classes.count());
  }
  c.name_classes(x, classes.labels);
  c.out(0, x, "float32");
}

const RegisterLowering zip_map({"ai.onnx.ml.ZipMap", 1, "classlabels_int64s classlabels_strings"}, lower,
                               "the output is the row of numbers, not a map");

}  // namespace
}  // namespace ascribe::core::lowering_zip_map
