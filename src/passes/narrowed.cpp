#include "passes/narrowed.h"

#include "graph/builder.h"
#include "passes/needed_places.h"

namespace ascribe::core {

Graph narrowed(const Graph& graph, size_t output, int64_t axis, int64_t place) {
  Graph narrow = graph;
  narrow.outputs = {graph.outputs[output]};
  narrow.outputs[0].value = Builder(narrow).slice(narrow.outputs[0].value, axis, place, 1);
  return only_needed_places(narrow);
}

}  // namespace ascribe::core
