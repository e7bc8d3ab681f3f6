#include "passes/select_element.h"

#include "graph/builder.h"

namespace ascribe::core {

Graph select_element(const Graph& graph, size_t output, int64_t element) {
  require(output < graph.outputs.size(), "select", "there is no such output");
  Graph selected = graph;
  Builder b(selected);
  const Port port = graph.outputs[output];
  const Dims& shape = b.shape(port.value);
  const bool has_rows = !shape.empty() && !shape[0].is_fixed();
  const Dim rows = has_rows ? shape[0] : Dim(1);
  const Dim columns = product(has_rows ? Dims(shape.begin() + 1, shape.end()) : shape);
  if (b.kind(port.value) != Kind::real || !columns.is_fixed()) {
    fail(ErrorKind::unsupported, port.name, "expected a real output with rows first; got {}",
         to_string(b.type(port.value)));
  }
  if (element < 0 || element >= columns.fixed) {
    fail(ErrorKind::argument, port.name, "there is no such element in a row; got {}; expected 0 to {}", element,
         columns.fixed - 1);
  }
  const bool alone = columns.fixed == 1;
  const Value chosen =
      b.reshape(alone ? port.value : b.slice(b.reshape(port.value, {rows, columns}), 1, element, 1), {rows});
  selected.outputs.clear();
  b.output(port.name, chosen, port.element_type);
  selected.drop_unread();
  return selected;
}

}  // namespace ascribe::core
