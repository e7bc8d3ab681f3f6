#include "study/output_form.h"

#include <algorithm>
#include <numeric>

#include <fmt/ranges.h>

#include "base/ascii.h"
#include "methods/compile.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kFewestNumbersOfABox = 5;
constexpr int64_t kFewestOfAVocabulary = 2048;

Shape row_of(const Graph& graph, const Port& port) { return rows_in(graph[port.value].type.shape).row; }

bool holds(const std::string& name, std::initializer_list<const char*> words) {
  const std::string text = ascii_lower(name);
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return text.find(word) != text.npos; });
}

int64_t long_axes(const Shape& row) {
  return std::count_if(row.begin(), row.end(), [](int64_t extent) { return extent > 1; });
}

// Inputs as rows of this many axes.
std::vector<Port> inputs_with(const Graph& graph, Kind kind, size_t axes) {
  std::vector<Port> found;
  for (const Port& port : graph.inputs) {
    if (graph[port.value].type.kind == kind && row_of(graph, port).size() == axes) found.push_back(port);
  }
  return found;
}

bool reads_ids(const Graph& graph, int64_t positions) {
  const auto ids = inputs_with(graph, Kind::integer, 1);
  return std::any_of(ids.begin(), ids.end(), [&](const Port& port) { return row_of(graph, port)[0] == positions; });
}

// [T, V] of a model that reads [T] ids or [T, D] numbers. [T, D] from [T, D] could have either axis first.
bool is_sequence(const Graph& graph, const Shape& row) {
  if (reads_ids(graph, row[0])) return true;
  const auto series = inputs_with(graph, Kind::real, 2);
  return std::any_of(series.begin(), series.end(), [&](const Port& port) {
    const Shape input = row_of(graph, port);
    return input[0] == row[0] && input[1] != row[1];
  });
}

// As many as a table has rows from which the model takes embeddings; or more than anybody has classes for.
bool is_vocabulary(const Graph& graph, int64_t count) {
  if (count >= kFewestOfAVocabulary) return true;
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    if (node.op->name != "gather" || !graph.is(node.inputs[0], "constant")) return false;
    const Dims& table = graph[node.inputs[0]].type.shape;
    return table.size() == 2 && table[0] == Dim(count);
  });
}

// [C, L] of a model that reads [D, L].
bool is_series_map(const Graph& graph, const Shape& row) {
  const auto series = inputs_with(graph, Kind::real, 2);
  return std::any_of(series.begin(), series.end(), [&](const Port& port) {
    const Shape input = row_of(graph, port);
    return input[1] == row[1] && input[0] != row[0];
  });
}

// Where the classes of a map are: on the axis of a final softmax; last, if only then the picture that is read has the
// map's proportions; otherwise first.
size_t class_axis_of(const Graph& graph, const Port& port, const Shape& row) {
  const Node& last = graph[port.value];
  const size_t rank = last.type.shape.size();
  if (final_head(graph, port) == &last && last.op->name != "sigmoid") {
    const auto axis = static_cast<size_t>(last.attributes.integer("axis"));
    if (const size_t skipped = rank - row.size(); axis >= skipped) return axis - skipped;
  }
  if (row.size() != 3) return 0;
  const auto fits = [&](int64_t height, int64_t width) {
    const auto pictures = inputs_with(graph, Kind::real, 3);
    return std::any_of(pictures.begin(), pictures.end(), [&](const Port& picture) {
      const Shape in = row_of(graph, picture);
      const bool first = in[0] <= 4 || in[2] > 4;
      const int64_t h = first ? in[1] : in[0], w = first ? in[2] : in[1];
      return h * width == w * height && height > 1;
    });
  };
  return !fits(row[1], row[2]) && fits(row[0], row[1]) ? 2 : 0;
}

// The output with the four numbers of as many boxes.
std::string corners_of(const Graph& graph, const Port& port, int64_t boxes) {
  for (const Port& other : graph.outputs) {
    if (other.name == port.name || graph[other.value].type.kind != Kind::real) continue;
    if (row_of(graph, other) == Shape{boxes, kBoxCorners}) return other.name;
  }
  return {};
}

// By the shape alone: the longer axis counts boxes. [box, number] has objectness, [number, box] has none, as the
// usual detectors write them; as many labels as there are numbers less four or five decide it.
bool take_boxes_by_shape(OutputForm& form, const Graph& graph, int64_t labels) {
  const Shape& row = form.row;
  const size_t box_axis = row[0] > row[1] ? 0 : 1;
  const int64_t numbers = row[1 - box_axis];
  if (inputs_with(graph, Kind::real, 3).empty() || row[0] == row[1] || numbers < kFewestNumbersOfABox) return false;
  form.box_axis = box_axis;
  form.first_class = box_axis == 0 && numbers > kFewestNumbersOfABox ? kBoxCorners + 1 : kBoxCorners;
  form.sure = labels > 0 && (numbers - labels == kBoxCorners || numbers - labels == kBoxCorners + 1);
  if (form.sure) form.first_class = numbers - labels;
  return true;
}

OutputKind two_axes(OutputForm& form, const Graph& graph, const Port& port, int64_t labels) {
  if (is_sequence(graph, form.row)) {
    form.has_tokens = is_vocabulary(graph, form.row[1]);
    return OutputKind::sequence;
  }
  if (is_series_map(graph, form.row)) return OutputKind::map;
  form.corners = corners_of(graph, port, form.row[0]);
  if (!form.corners.empty()) return OutputKind::boxes;
  return take_boxes_by_shape(form, graph, labels) ? OutputKind::boxes : OutputKind::other;
}

}  // namespace

OutputForm output_form(const Graph& graph, const Port& port, int64_t labels) {
  OutputForm form;
  form.name = port.name;
  form.row = row_of(graph, port);
  // A file for several rows at once is explained as one row of all their numbers.
  if (form.size() != target_count(graph, port)) form.row = at(graph[port.value].type.shape, 1);
  if (const Node* head = final_head(graph, port)) form.head = head->op->name;
  form.logits = !form.head.empty() || labels > 0 || holds(port.name, {"logit", "class"});
  form.classes = form.logits || holds(port.name, {"prob"});
  if (form.row.size() == 2 && form.row[0] > 1 && form.row[1] == 1) {
    form.corners = corners_of(graph, port, form.row[0]);
    if (!form.corners.empty()) return form.kind = OutputKind::boxes, form;
  }
  if (form.size() == 1) form.kind = OutputKind::number;
  else if (long_axes(form.row) == 1) form.kind = OutputKind::vector;
  else if (form.row.size() == 2) form.kind = two_axes(form, graph, port, labels);
  else if (form.row.size() > 2) form.kind = OutputKind::map, form.class_axis = class_axis_of(graph, port, form.row);
  return form;
}

// ---- its axes ----

int64_t OutputForm::class_count() const {
  switch (kind) {
    case OutputKind::sequence: return row[1];
    case OutputKind::map: return row[class_axis];
    case OutputKind::boxes: return row[1 - box_axis] - first_class;
    default: return size();
  }
}

std::vector<std::string> OutputForm::axis_names() const {
  if (kind == OutputKind::sequence) return {"position", has_tokens ? "token" : classes ? "class" : "number"};
  std::vector<std::string> names(row.size());
  if (kind == OutputKind::boxes) {
    names[box_axis] = "box";
    names[1 - box_axis] = first_class == 0 ? "class" : "number";
    return names;
  }
  for (size_t axis = 0; axis < row.size(); ++axis) names[axis] = fmt::format("axis {}", axis);
  if (kind != OutputKind::map) return names;
  names[class_axis] = classes ? "class" : "channel";
  std::vector<size_t> places;
  for (size_t axis = 0; axis < row.size(); ++axis) {
    if (axis != class_axis) places.push_back(axis);
  }
  if (places.size() == 1) names[places[0]] = "step";
  if (places.size() == 2) names[places[0]] = "row", names[places[1]] = "column";
  return names;
}

std::string OutputForm::axes_text() const {
  std::vector<std::string> texts;
  const std::vector<std::string> names = axis_names();
  for (size_t axis = 0; axis < row.size(); ++axis) texts.push_back(fmt::format("{} ({})", names[axis], row[axis]));
  if (kind == OutputKind::boxes && first_class > 0) {
    texts[1 - box_axis] = fmt::format("number ({}: 4 of the box, {}{} classes)", row[1 - box_axis],
                                      first_class > kBoxCorners ? "objectness, " : "", class_count());
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

int64_t OutputForm::flat(std::span<const int64_t> place) const {
  int64_t index = 0;
  for (size_t axis = 0; axis < row.size(); ++axis) index = index * row[axis] + place[axis];
  return index;
}

std::vector<int64_t> OutputForm::place(int64_t element) const {
  std::vector<int64_t> place(row.size());
  for (size_t axis = row.size(); axis-- > 0;) {
    place[axis] = element % row[axis];
    element /= row[axis];
  }
  return place;
}

Shape OutputForm::place_shape() const {
  Shape shape = row;
  shape.erase(shape.begin() + static_cast<int64_t>(class_axis));
  return shape;
}

int64_t OutputForm::at_place(int64_t class_index, int64_t place) const {
  const int64_t inner = element_count(Shape(row.begin() + static_cast<int64_t>(class_axis) + 1, row.end()));
  return (place / inner * row[class_axis] + class_index) * inner + place % inner;
}

int64_t OutputForm::box_element(int64_t box, int64_t number) const {
  return box_axis == 0 ? box * row[1] + number : number * row[1] + box;
}

// ---- its numbers ----

bool may_be_boxes(const OutputForm& form, const OutputRow& row) {
  if (form.sure) return true;
  for (int64_t box = 0; box < form.boxes(); ++box) {
    for (int64_t number = kBoxCorners; number < form.row[1 - form.box_axis]; ++number) {
      const double value = row[form.box_element(box, number)];
      if (!(value >= 0 && value <= 1)) return false;
    }
  }
  return true;
}

double box_score(const OutputForm& form, const OutputRow& row, int64_t box, int64_t class_index) {
  const double score = row[form.box_element(box, form.first_class + class_index)];
  return form.first_class > kBoxCorners ? score * row[form.box_element(box, kBoxCorners)] : score;
}

std::vector<ScoredBox> ranked_boxes(const OutputForm& form, const OutputRow& row, std::optional<int64_t> class_index) {
  std::vector<ScoredBox> scored;
  for (int64_t box = 0; box < form.boxes(); ++box) {
    const int64_t first = class_index.value_or(0);
    ScoredBox best{box, first, box_score(form, row, box, first)};
    for (int64_t c = first + 1; !class_index && c < form.class_count(); ++c) {
      if (const double score = box_score(form, row, box, c); score > best.score) best = {box, c, score};
    }
    scored.push_back(best);
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const ScoredBox& a, const ScoredBox& b) { return a.score > b.score; });
  return scored;
}

std::vector<int64_t> top_per_place(const OutputForm& form, const OutputRow& row) {
  std::vector<int64_t> tops(static_cast<size_t>(form.places()), 0);
  for (int64_t place = 0; place < form.places(); ++place) {
    int64_t& top = tops[static_cast<size_t>(place)];
    for (int64_t c = 1; c < form.class_count(); ++c) {
      if (row[form.at_place(c, place)] > row[form.at_place(top, place)]) top = c;
    }
  }
  return tops;
}

std::vector<int64_t> last_positions(const OutputForm& form, const Graph& model, std::span<const Tensor> inputs,
                                    int64_t rows) {
  const int64_t positions = form.row[0];
  std::vector<int64_t> last(static_cast<size_t>(rows), positions - 1);
  for (size_t i = 0; i < model.inputs.size() && i < inputs.size(); ++i) {
    const Tensor& mask = inputs[i];
    if (!holds(model.inputs[i].name, {"mask"}) || mask.size() != rows * positions) continue;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t p = 0; p < positions; ++p) {
        if (mask.at(r * positions + p) != 0) last[static_cast<size_t>(r)] = p;
      }
    }
    break;
  }
  return last;
}

}  // namespace ascribe::core::study
