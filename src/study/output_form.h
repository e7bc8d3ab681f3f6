// What the axes of an output are, told from the graph: classes, positions of a sequence, a map of classes, boxes.
// docs/howto/targets.md has the rules.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace ascribe::core::study {

inline constexpr int64_t kBoxCorners = 4;  // numbers that say where a box is

enum class OutputKind {
  number,    // one
  vector,    // one axis of two or more
  sequence,  // [position, token]
  map,       // [class, row, column], [row, column, class], [class, step] ...
  boxes,     // [box, number] or [number, box]: scores of classes, perhaps behind four numbers of the box and objectness
  other,
};

struct OutputForm {
  std::string name;  // of the output
  Shape row;
  OutputKind kind = OutputKind::other;
  bool classes = false;      // the numbers are of classes: a softmax or sigmoid, or the output's name, says so
  bool logits = false;       // ... and a softmax of them would be probabilities; a name that promises these is no proof
  std::string head = {};     // softmax, log_softmax or sigmoid, in which it ends
  bool has_tokens = false;   // sequence: the numbers of a position are of a vocabulary
  size_t class_axis = 0;     // of a map
  size_t box_axis = 0;       // of boxes
  int64_t first_class = 0;   // numbers of a box before its classes: 0, 4 or 5, the fifth being objectness
  bool sure = true;          // boxes: told by more than the shape
  std::string corners = {};  // boxes: the output that has their four numbers; empty: none

  int64_t size() const { return element_count(row); }
  int64_t class_count() const;  // how many labels it takes
  std::vector<std::string> axis_names() const;
  std::string axes_text() const;  // "class (3), row (48), column (64)"
  int64_t flat(std::span<const int64_t> place) const;
  std::vector<int64_t> place(int64_t element) const;
  // Of a map: how many places, their shape, and the number of a class at one of them.
  int64_t places() const { return size() / row[class_axis]; }
  Shape place_shape() const;
  int64_t at_place(int64_t class_index, int64_t place) const;
  // Of boxes.
  int64_t boxes() const { return row[box_axis]; }
  int64_t box_element(int64_t box, int64_t number) const;
};

// `labels`: how many names of classes are given; 0: none.
OutputForm output_form(const Graph& model, const Port& output, int64_t labels = 0);

// A row of an output's numbers.
struct OutputRow {
  const Tensor& values;
  int64_t first = 0;  // where the row begins
  double operator[](int64_t element) const { return values.at(first + element); }
};

// Whether what should be scores of boxes could be: all of it between 0 and 1.
bool may_be_boxes(const OutputForm& form, const OutputRow& row);

// Of box and class (counted from 0): objectness times the class's number, if there is objectness.
double box_score(const OutputForm& form, const OutputRow& row, int64_t box, int64_t class_index);

struct ScoredBox {
  int64_t box = 0, class_index = 0;
  double score = 0;
};
// Every box with its best class, or with this one; the highest score first.
std::vector<ScoredBox> ranked_boxes(const OutputForm& form, const OutputRow& row,
                                    std::optional<int64_t> class_index = std::nullopt);

// Of a map: the class with the largest number at each place.
std::vector<int64_t> top_per_place(const OutputForm& form, const OutputRow& row);

// The last position that is not padding, of every row: told by an input whose name holds "mask" and that has a number
// per position; the last position where there is none.
std::vector<int64_t> last_positions(const OutputForm& form, const Graph& model, std::span<const Tensor> inputs,
                                    int64_t rows);

}  // namespace ascribe::core::study
