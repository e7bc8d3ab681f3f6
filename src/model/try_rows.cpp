#include "model/try_rows.h"

#include "base/random.h"

namespace ascribe::core {

void try_two_rows(Model& model) {
  if (!model.batched()) return;
  constexpr int64_t kRows = 2;
  std::vector<Tensor> inputs;
  for (const Port& port : model.graph().inputs) {
    const Type& type = model.graph()[port.value].type;
    Tensor rows(storage(type.kind, DType::f64), at(type.shape, kRows));
    if (type.kind == Kind::real) {
      const Random random(20240, inputs.size());
      auto values = rows.mutable_data<double>();
      for (size_t i = 0; i < values.size(); ++i) values[i] = random.normal(i);
    }
    inputs.push_back(rows.cast(storage(type.kind, model.precision())));
  }
  model.run(inputs);
}

}  // namespace ascribe::core
