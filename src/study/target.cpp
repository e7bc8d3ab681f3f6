#include "study/target.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/ranges.h>

#include "base/file.h"
#include "base/sha256.h"
#include "data/image.h"
#include "study/labels.h"
#include "tensor/npy.h"

namespace ascribe::core::study {

namespace {

constexpr size_t kLargestFile = size_t{1} << 31;
constexpr int64_t kMostWeights = int64_t{1} << 28;  // of all parts of a readout

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::optional<int64_t> whole(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

[[noreturn]] void unreadable(const std::string& text, const std::string& part) {
  fail(ErrorKind::argument, "target",
       "got '{}', of which '{}' cannot be read; expected numbers as 2,38,15, or of class=C, sum, mean, mask=FILE, "
       "box=x0:y0:x1:y1, weights=FILE.npy, rank=R, box=B, objectness=no, position=P, token=T, tokens=T,T,T",
       text, part);
}

// One part of the list after another.
class Parser {
 public:
  Parser(const std::string& text, TargetText& target) : text_(text), target_(target) {}

  void read() {
    for (const std::string& part : parts_of(text_, ',')) read(part);
    if (target_.place.empty() || !named_) return;
    fail(ErrorKind::argument, "target", "got '{}'; expected numbers of all axes, or names with values, not both",
         text_);
  }

 private:
  void read(const std::string& part) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos) return bare(part);
    const std::string name = part.substr(0, equals), value = part.substr(equals + 1);
    named_ = true;
    in_tokens_ = name == "tokens";
    if (std::find(seen_.begin(), seen_.end(), name) != seen_.end()) unreadable(text_, part);
    seen_.push_back(name);
    if (name == "class" && !value.empty()) target_.of_class = value;
    else if (name == "mask" && !value.empty()) target_.mask = value;
    else if (name == "weights" && !value.empty()) target_.weights = value;
    else if (name == "box" && value.find(':') != std::string::npos) target_.region = region(part, value);
    else if (name == "box" || name == "anchor") target_.box = number(part, value);
    else if (name == "rank") target_.rank = number(part, value);
    else if (name == "position") target_.position = number(part, value);
    else if (name == "token") target_.token = number(part, value);
    else if (name == "tokens") target_.tokens.push_back(number(part, value));
    else if (name == "objectness" && (value == "no" || value == "yes")) target_.objectness = value == "yes";
    else unreadable(text_, part);
  }

  void bare(const std::string& part) {
    if (part == "sum" || part == "mean") {
      if (target_.sum || target_.mean) unreadable(text_, part);
      (part == "sum" ? target_.sum : target_.mean) = named_ = true;
      in_tokens_ = false;
    } else if (in_tokens_) {
      target_.tokens.push_back(number(part, part));
    } else {
      target_.place.push_back(number(part, part));
    }
  }

  int64_t number(const std::string& part, const std::string& value) const {
    const std::optional<int64_t> number = whole(value);
    if (!number) unreadable(text_, part);
    return *number;
  }

  std::array<int64_t, 4> region(const std::string& part, const std::string& value) const {
    const std::vector<std::string> sides = parts_of(value, ':');
    if (sides.size() != 4) unreadable(text_, part);
    std::array<int64_t, 4> region{};
    for (size_t i = 0; i < 4; ++i) region[i] = number(part, sides[i]);
    return region;
  }

  const std::string& text_;
  TargetText& target_;
  std::vector<std::string> seen_;
  bool named_ = false, in_tokens_ = false;
};

// Shapes are compared without axes of one.
Shape without_ones(Shape shape) {
  std::erase(shape, 1);
  return shape;
}

void require_finite(const Tensor& values, const std::string& where) {
  const auto numbers = values.data<double>();
  if (!std::all_of(numbers.begin(), numbers.end(), [](double v) { return std::isfinite(v); })) {
    fail(ErrorKind::numeric, where, "a number is not finite");
  }
}

Tensor read_array(const std::string& path) {
  const std::string bytes = read_file(path, kLargestFile);
  if (!is_npy(bytes)) fail(ErrorKind::io, path, "expected a .npy file");
  Tensor values = parse_npy(bytes, path).values.cast(DType::f64);
  require_finite(values, path);
  return values;
}

// A picture's bright pixels, or an array's numbers other than 0.
Tensor read_mask(const std::string& path) {
  const std::string bytes = read_file(path, kLargestFile);
  if (!is_image(bytes)) return read_array(path);
  const Image image = decode_image(bytes, path);
  Tensor mask(DType::f64, {image.height, image.width});
  const auto values = mask.mutable_data<double>();
  for (int64_t y = 0; y < image.height; ++y) {
    for (int64_t x = 0; x < image.width; ++x) {
      for (int64_t c = 0; c < image.channels; ++c) {
        values[static_cast<size_t>(y * image.width + x)] += image.at(y, x, c);
      }
    }
  }
  return mask;
}

void require_fit(const Shape& got, const Shape& wanted, const std::string& path) {
  if (without_ones(got) == without_ones(wanted)) return;
  fail(ErrorKind::shape, path, "it does not fit the output and is not resized; got {}; expected {}", to_string(got),
       to_string(wanted));
}

}  // namespace

TargetText parse_target(const std::string& text, const std::vector<std::string>& labels, std::string_view words) {
  TargetText target;
  target.text = text;
  if (text == "top") return target.top = true, target;
  const bool is_label = std::find(labels.begin(), labels.end(), text) != labels.end();
  const bool plain = text.find_first_of(",=") == std::string::npos && text != "sum" && text != "mean";
  if (is_label || plain) return target.place = {class_index(text, labels, words)}, target;
  Parser(text, target).read();
  return target;
}

std::vector<TargetText> weights_per_row(const Tensor& weights, const OutputForm& form) {
  const Tensor wide = weights.cast(DType::f64);
  const Shape& shape = wide.shape();
  Tensor rows = wide;
  if (without_ones(shape) == without_ones(form.row)) {
    rows = wide.reshaped({1, wide.size()});
  } else if (shape.empty() || without_ones({shape.begin() + 1, shape.end()}) != without_ones(form.row)) {
    fail(ErrorKind::shape, "target_weights",
         "they do not fit the output '{}'; got {}; expected {}, or an axis of rows in front of it", form.name,
         to_string(shape), to_string(form.row));
  }
  std::vector<TargetText> texts;
  for (int64_t r = 0; r < rows.shape()[0]; ++r) {
    TargetText& text = texts.emplace_back();
    text.text = "weights";
    const auto numbers =
        wide.data<double>().subspan(static_cast<size_t>(r * form.size()), static_cast<size_t>(form.size()));
    text.given_weights = Tensor::of<double>(form.row, numbers);
  }
  return texts;
}

std::string Pick::key() const {
  if (element) return fmt::format("{}", *element);
  if (kind != Readout::Kind::linear) {
    return fmt::format("{} {}", kind == Readout::Kind::product ? "product" : "log", fmt::join(elements, ","));
  }
  return "weights " + sha256({static_cast<const char*>(weights.memory()), weights.bytes()});
}

// ---- resolving ----

TargetResolver::TargetResolver(TargetText text, OutputForm form, std::vector<std::string> labels)
    : text_(std::move(text)), form_(std::move(form)), labels_(std::move(labels)) {
  if (text_.names_classes()) form_.classes = form_.logits = true;
  form_.has_tokens = form_.has_tokens || text_.token || !text_.tokens.empty();
  // Whoever writes positions and tokens knows what the two axes are.
  const bool positions = text_.position || text_.token || !text_.tokens.empty();
  if (positions && form_.row.size() == 2) form_.kind = OutputKind::sequence;
  if (!text_.objectness && form_.kind == OutputKind::boxes && form_.first_class > kBoxCorners)
    form_.first_class = kBoxCorners;
}

void TargetResolver::refuse(const std::string& why) const {
  std::string examples;
  switch (form_.kind) {
    case OutputKind::number:
    case OutputKind::vector: examples = "top, a number or a label"; break;
    case OutputKind::sequence: examples = "5,318, position=-1,token=318 or tokens=12,55,9"; break;
    case OutputKind::map:
      examples = form_.row.size() == 3 ? "class=2,sum, class=2,mean, class=2,mask=FILE, class=2,box=x0:y0:x1:y1, a "
                                         "number of each axis as 2,38,15, or weights=FILE.npy"
                                       : "class=2,sum, class=2,mean, class=2,mask=FILE.npy, a number of each axis, or "
                                         "weights=FILE.npy";
      break;
    case OutputKind::boxes: examples = "rank=0,class=2, box=17,class=2, 17,7 or weights=FILE.npy"; break;
    case OutputKind::other: examples = "a number of each axis, as 2,7, or weights=FILE.npy"; break;
  }
  fail(ErrorKind::argument, "target", "got '{}'; {}; the output '{}' has the axes {}; expected {}", text_.text, why,
       form_.name, form_.row.empty() ? "none" : form_.axes_text(), examples);
}

const AskedRow& TargetResolver::needed(const AskedRow* row) const {
  if (row == nullptr) refuse("this depends on what the model says of a row, and is to be the same for all of them");
  return *row;
}

std::string TargetResolver::class_text(int64_t index) const {
  const char* word = form_.kind == OutputKind::sequence && form_.has_tokens ? "token"
                     : form_.classes                                        ? "class"
                     : form_.kind == OutputKind::map                        ? "channel"
                                                                            : "value";
  const bool named = index < std::ssize(labels_) && std::ssize(labels_) == form_.class_count();
  if (!named) return fmt::format("{} {}", word, index);
  return fmt::format("{} ({} {})", labels_[static_cast<size_t>(index)], word, index);
}

int64_t TargetResolver::class_named() const {
  const int64_t index = class_index(text_.of_class, labels_, "a class by number");
  if (index < 0 || index >= form_.class_count()) {
    refuse(fmt::format("there is no class {}; expected 0 to {}", index, form_.class_count() - 1));
  }
  return index;
}

bool TargetResolver::depends_on_row() const {
  if (text_.top) return form_.kind != OutputKind::number;
  if (text_.rank || (text_.box && text_.of_class.empty())) return true;
  if (form_.kind != OutputKind::sequence || !text_.place.empty() || text_.weighs() || text_.over_places()) return false;
  const bool fixed_position = text_.position && *text_.position >= 0;
  return !fixed_position || (!text_.token && text_.tokens.empty() && text_.of_class.empty());
}

Pick TargetResolver::pick(const AskedRow* row) const {
  if (text_.top) return form_.kind == OutputKind::number ? number(0) : top(needed(row));
  if (text_.weighs()) return weighted();
  if (!text_.place.empty()) return text_.place.size() == 1 ? number(text_.place[0]) : at_place(text_.place);
  if (text_.rank || text_.box) return of_box(row);
  if (text_.over_places()) return over_places();
  if (form_.kind == OutputKind::sequence) return of_sequence(row);
  if (text_.position || text_.token || !text_.tokens.empty()) refuse("it has no positions of tokens");
  if (form_.kind == OutputKind::vector || form_.kind == OutputKind::number) return number(class_named());
  refuse("a class has many numbers here");
}

// ---- one number ----

Pick TargetResolver::number(int64_t index) const {
  if (form_.kind != OutputKind::number && form_.kind != OutputKind::vector &&
      !(form_.kind == OutputKind::boxes && form_.row[1] == 1)) {
    refuse("one number does not say which of its numbers is meant");
  }
  if (index < 0 || index >= form_.size()) {
    fail(ErrorKind::argument, "target", "there is no {} {}; expected 0 to {}", form_.classes ? "class" : "value", index,
         form_.size() - 1);
  }
  Pick pick;
  pick.element = index;
  pick.class_index = index;
  if (form_.kind == OutputKind::number) {
    pick.text = labels_.size() == 1 ? labels_[0] : form_.name;
  } else {
    pick.text = form_.classes ? class_text(index) : fmt::format("value {} of {}", index, form_.name);
  }
  return pick;
}

Pick TargetResolver::at_place(const std::vector<int64_t>& given) const {
  std::vector<int64_t> place = given;
  if (place.size() != form_.row.size() && place.size() == without_ones(form_.row).size()) {
    for (size_t axis = 0; axis < form_.row.size(); ++axis) {
      if (form_.row[axis] == 1) place.insert(place.begin() + static_cast<int64_t>(axis), 0);
    }
  }
  if (place.size() != form_.row.size()) refuse(fmt::format("got {} numbers", given.size()));
  for (size_t axis = 0; axis < place.size(); ++axis) {
    if (place[axis] >= 0 && place[axis] < form_.row[axis]) continue;
    refuse(
        fmt::format("there is no {} {}; expected 0 to {}", form_.axis_names()[axis], place[axis], form_.row[axis] - 1));
  }
  return element(form_.flat(place));
}

// An element with its place in words.
Pick TargetResolver::element(int64_t index) const {
  const std::vector<int64_t> place = form_.place(index);
  const std::vector<std::string> names = form_.axis_names();
  Pick pick;
  pick.element = index;
  if (form_.kind == OutputKind::number || form_.kind == OutputKind::vector) return number(index);
  if (form_.kind == OutputKind::sequence) {
    pick.class_index = place[1];
    pick.text = fmt::format("{} at position {}", class_text(place[1]), place[0]);
  } else if (form_.kind == OutputKind::map) {
    std::vector<std::string> where;
    for (size_t axis = 0; axis < place.size(); ++axis) {
      if (axis != form_.class_axis) where.push_back(fmt::format("{} {}", names[axis], place[axis]));
    }
    pick.class_index = place[form_.class_axis];
    pick.text = fmt::format("{} at {}", class_text(*pick.class_index), fmt::join(where, ", "));
  } else {
    pick.explains = "value";
    pick.text = fmt::format("the value at {} of {}", fmt::join(place, ", "), form_.name);
  }
  return pick;
}

// ---- what the model puts first ----

Pick TargetResolver::top(const AskedRow& row) const {
  const auto largest = [&](int64_t first, int64_t count) {
    int64_t top = first;
    for (int64_t i = first; i < first + count; ++i) {
      if (row.values[i] > row.values[top]) top = i;
    }
    return top;
  };
  switch (form_.kind) {
    case OutputKind::number:
    case OutputKind::vector: return number(largest(0, form_.size()));
    case OutputKind::sequence: {
      const int64_t position = position_of(-1, &row);
      Pick pick = element(largest(position * form_.row[1], form_.row[1]));
      pick.note = fmt::format("the target is {}, the largest number of the last position", pick.text);
      return pick;
    }
    case OutputKind::map: return covering(row);
    case OutputKind::boxes: {
      if (!may_be_boxes(form_, row.values)) break;
      const ScoredBox best = ranked_boxes(form_, row.values)[0];
      Pick pick = scored(best.box, best.class_index, "the highest score of all");
      pick.note = fmt::format("the target is {}{}", pick.text, pick.note.empty() ? "" : "; " + pick.note);
      return pick;
    }
    case OutputKind::other: break;
  }
  refuse("which of its numbers is meant cannot be told");
}

// The class that is the largest at most places, added up over them.
Pick TargetResolver::covering(const AskedRow& row) const {
  if (form_.class_count() < 2) refuse("there is one number per place, and none of them is the largest class");
  const std::vector<int64_t> tops = top_per_place(form_, row.values);
  std::vector<int64_t> counts(static_cast<size_t>(form_.class_count()), 0);
  for (const int64_t top : tops) ++counts[static_cast<size_t>(top)];
  const int64_t most = std::max_element(counts.begin(), counts.end()) - counts.begin();
  std::vector<int64_t> places;
  for (int64_t place = 0; place < std::ssize(tops); ++place) {
    if (tops[static_cast<size_t>(place)] == most) places.push_back(form_.at_place(most, place));
  }
  const auto count = std::ssize(places);
  Pick pick = summed(std::move(places), fmt::format("the {} of {} places where it is the largest", count, tops.size()));
  pick.class_index = most;
  pick.text = class_text(most) + pick.text;
  pick.note = fmt::format(
      "the target is {}: the output has the axes {}, and no other is the largest at so many places; `target` "
      "class={},sum "
      "takes all places, class=C another one",
      pick.text, form_.axes_text(), most);
  return pick;
}

// ---- sequences ----

int64_t TargetResolver::position_of(int64_t position, const AskedRow* row, int64_t count) const {
  const int64_t end = row != nullptr && row->last_position >= 0 ? row->last_position + 1 : form_.row[0];
  const int64_t first = position < 0 ? end + position : position;
  if (first < 0 || first + count > form_.row[0]) {
    refuse(count == 1 ? fmt::format("there is no position {}", position)
                      : fmt::format("{} positions from {} on are not all there", count, first));
  }
  return first;
}

Pick TargetResolver::of_sequence(const AskedRow* row) const {
  if (!text_.tokens.empty()) return log_probability(row);
  const int64_t position = text_.position.value_or(-1);
  if (position < 0) needed(row);
  const int64_t first = position_of(position, row) * form_.row[1];
  if (!text_.of_class.empty() && text_.token) refuse("token and class are the same here");
  if (!text_.token && text_.of_class.empty()) {
    const AskedRow& asked = needed(row);
    int64_t top = first;
    for (int64_t i = first; i < first + form_.row[1]; ++i) {
      if (asked.values[i] > asked.values[top]) top = i;
    }
    Pick pick = element(top);
    pick.note = fmt::format("the target is {}, the largest number there", pick.text);
    return pick;
  }
  const int64_t token = text_.token ? *text_.token : class_named();
  if (token < 0 || token >= form_.row[1]) {
    refuse(fmt::format("there is no token {}; expected 0 to {}", token, form_.row[1] - 1));
  }
  return element(first + token);
}

// log p(t_1 at p) + log p(t_2 at p + 1) + ...
Pick TargetResolver::log_probability(const AskedRow* row) const {
  if (text_.token || !text_.of_class.empty()) refuse("tokens already say which ones");
  const auto count = std::ssize(text_.tokens);
  if (!text_.position || *text_.position < 0) needed(row);
  const int64_t first = position_of(text_.position.value_or(-count), row, count);
  Pick pick;
  pick.kind = Readout::Kind::log_probability;
  pick.explains = "log-probability";
  for (int64_t i = 0; i < count; ++i) {
    const int64_t token = text_.tokens[static_cast<size_t>(i)];
    if (token < 0 || token >= form_.row[1]) {
      refuse(fmt::format("there is no token {}; expected 0 to {}", token, form_.row[1] - 1));
    }
    pick.elements.push_back((first + i) * form_.row[1] + token);
  }
  if (count == 1) pick.class_index = text_.tokens[0];
  pick.text = count == 1 ? fmt::format("{} at position {}", class_text(text_.tokens[0]), first)
                         : fmt::format("tokens {} at positions {} to {}", fmt::join(text_.tokens, ", "), first,
                                       first + count - 1);
  return pick;
}

// ---- boxes ----

Pick TargetResolver::of_box(const AskedRow* row) const {
  if (form_.kind != OutputKind::boxes) refuse("it does not look like scores of boxes");
  if (text_.rank && text_.box) refuse("rank and box both choose a box");
  const std::optional<int64_t> wanted = text_.of_class.empty() ? std::nullopt : std::optional(class_named());
  if (text_.box) {
    if (*text_.box < 0 || *text_.box >= form_.boxes()) refuse(fmt::format("there is no box {}", *text_.box));
    if (wanted) return scored(*text_.box, *wanted, "");
    for (const ScoredBox& one : ranked_boxes(form_, needed(row).values)) {
      if (one.box == *text_.box) return scored(one.box, one.class_index, "its highest score");
    }
  }
  const std::vector<ScoredBox> ranked = ranked_boxes(form_, needed(row).values, wanted);
  if (*text_.rank < 0 || *text_.rank >= std::ssize(ranked)) refuse(fmt::format("there is no rank {}", *text_.rank));
  const ScoredBox& one = ranked[static_cast<size_t>(*text_.rank)];
  return scored(one.box, one.class_index, fmt::format("rank {} at x", *text_.rank));
}

Pick TargetResolver::scored(int64_t box, int64_t class_index, const std::string& how) const {
  Pick pick;
  const int64_t number = form_.box_element(box, form_.first_class + class_index);
  if (form_.first_class > kBoxCorners) {
    pick.kind = Readout::Kind::product;
    pick.elements = {form_.box_element(box, kBoxCorners), number};
  } else {
    pick.element = number;
  }
  pick.class_index = class_index;
  pick.explains = form_.head.empty() ? "score" : "";
  pick.text = fmt::format("class {}", class_index);
  if (class_index < std::ssize(labels_)) {
    pick.text = fmt::format("{} (class {})", labels_[static_cast<size_t>(class_index)], class_index);
  }
  pick.text += fmt::format(" in box {}{}", box, how.empty() ? "" : fmt::format(" ({})", how));
  if (!form_.sure) {
    pick.note = fmt::format(
        "'{}' is read as {} boxes of 4 numbers{} and {} classes; objectness=no in `target`, or as "
        "many labels as classes, says otherwise",
        form_.name, form_.boxes(), form_.first_class > kBoxCorners ? ", objectness" : "", form_.class_count());
  }
  return pick;
}

// ---- linear functionals ----

Pick TargetResolver::weighted() const {
  if (text_.over_places() || text_.names_classes() || text_.position) refuse("weights stand alone");
  Pick pick;
  const bool file = text_.given_weights.empty();
  const std::string where = file ? text_.weights : "target_weights";
  const Tensor given = file ? read_array(text_.weights) : text_.given_weights;
  require_fit(given.shape(), form_.row, where);
  require_finite(given, where);
  const auto values = given.data<double>();
  if (std::all_of(values.begin(), values.end(), [](double v) { return v == 0; })) {
    fail(ErrorKind::argument, where, "all weights are 0; there is nothing to explain");
  }
  pick.weights = given.reshaped({form_.size()});
  pick.explains = "weighted sum";
  pick.text = fmt::format("{} by {}", form_.name, file ? text_.weights : "the weights given");
  return pick;
}

// `places`: numbers of the output.
Pick TargetResolver::summed(std::vector<int64_t> places, const std::string& where) const {
  Pick pick;
  pick.weights = Tensor(DType::f64, {form_.size()});
  const auto weights = pick.weights.mutable_data<double>();
  const double weight = text_.mean ? 1.0 / static_cast<double>(places.size()) : 1.0;
  for (const int64_t place : places) weights[static_cast<size_t>(place)] = weight;
  pick.text = fmt::format(", {} over {}", text_.mean ? "the mean" : "summed", where);
  return pick;
}

std::vector<int64_t> TargetResolver::masked_places(const Shape& shape) const {
  std::vector<int64_t> places;
  if (!text_.mask.empty()) {
    const Tensor mask = read_mask(text_.mask);
    require_fit(mask.shape(), shape, text_.mask);
    for (int64_t i = 0; i < mask.size(); ++i) {
      if (mask.at(i) != 0) places.push_back(i);
    }
    if (places.empty()) fail(ErrorKind::argument, text_.mask, "the mask is 0 everywhere; there is nothing to explain");
    return places;
  }
  if (text_.region) {
    if (shape.size() != 2) refuse("a box needs rows and columns");
    const auto [x0, y0, x1, y1] = *text_.region;
    if (x0 < 0 || y0 < 0 || x0 >= x1 || y0 >= y1 || x1 > shape[1] || y1 > shape[0]) {
      refuse(fmt::format("the box is empty or outside; expected 0 <= x0 < x1 <= {} and 0 <= y0 < y1 <= {}", shape[1],
                         shape[0]));
    }
    for (int64_t y = y0; y < y1; ++y) {
      for (int64_t x = x0; x < x1; ++x) places.push_back(y * shape[1] + x);
    }
    return places;
  }
  for (int64_t i = 0; i < element_count(shape); ++i) places.push_back(i);
  return places;
}

Pick TargetResolver::over_places() const {
  if (text_.region && !text_.mask.empty()) refuse("mask and box both choose places");
  const bool map = form_.kind == OutputKind::map;
  if (!map && !text_.of_class.empty() && form_.kind != OutputKind::other) refuse("a class has no places here");
  if (!map && !text_.of_class.empty()) refuse("which axis counts classes cannot be told");
  const bool has_classes = map && form_.class_count() > 1;
  if (has_classes && text_.of_class.empty()) refuse("it does not say which class");
  const int64_t wanted = text_.of_class.empty() ? 0 : class_named();
  std::vector<int64_t> places = masked_places(map ? form_.place_shape() : form_.row);
  const auto count = std::ssize(places), all = map ? form_.places() : form_.size();
  if (map) {
    for (int64_t& place : places) place = form_.at_place(wanted, place);
  }
  const std::string which = text_.region ? fmt::format("box {}", fmt::join(*text_.region, ":")) : text_.mask;
  const std::string some = count == all ? fmt::format("all {}", all) : fmt::format("{} of {}", count, all);
  Pick pick = summed(std::move(places),
                     fmt::format("{} {}{}", some, map ? "places" : "numbers", which.empty() ? "" : " (" + which + ")"));
  if (has_classes || !text_.of_class.empty()) pick.class_index = wanted;
  pick.text = (pick.class_index ? class_text(wanted) : form_.name) + pick.text;
  return pick;
}

// ---- several rows ----

namespace {

// Single numbers as sums of one of them, where other rows have weighted sums.
std::vector<Pick> of_one_kind(std::vector<Pick> picks, const OutputForm& form) {
  const auto first = std::find_if(picks.begin(), picks.end(), [](const Pick& pick) { return !pick.element; });
  const Readout::Kind kind = first->kind;
  for (Pick& pick : picks) {
    if (!pick.element && pick.kind == kind) continue;
    if (!pick.element || kind != Readout::Kind::linear) {
      fail(ErrorKind::argument, "targets",
           "'{}' and '{}' are read in different ways; expected single numbers and sums, or products, or "
           "log-probabilities, for all rows",
           first->text, pick.text);
    }
    pick.weights = Tensor(DType::f64, {form.size()});
    pick.weights.mutable_data<double>()[static_cast<size_t>(*pick.element)] = 1;
    pick.kind = kind;
    pick.element.reset();
  }
  return picks;
}

}  // namespace

ReadoutRef readout_of(const std::vector<Pick>& given, const OutputForm& form, std::vector<int64_t>& targets) {
  targets.clear();
  if (std::all_of(given.begin(), given.end(), [](const Pick& pick) { return pick.element.has_value(); })) {
    for (const Pick& pick : given) targets.push_back(*pick.element);
    return nullptr;
  }
  const std::vector<Pick> picks = of_one_kind(given, form);
  auto readout = std::make_shared<Readout>();
  readout->kind = picks[0].kind;
  readout->row = form.row;
  std::map<std::string, int64_t> parts;
  for (const Pick& pick : picks) {
    const auto [found, fresh] = parts.try_emplace(pick.key(), std::ssize(parts));
    targets.push_back(found->second);
    if (!fresh) continue;
    readout->key += (readout->key.empty() ? "" : "; ") + found->first;
    if (pick.kind == Readout::Kind::linear) readout->weights.push_back(pick.weights);
    else readout->elements.push_back(pick.elements);
    if (std::ssize(readout->weights) * form.size() > kMostWeights) {
      fail(ErrorKind::argument, "target",
           "every row has weights of its own, which are too many together: {} rows of {} numbers; expected fewer rows, "
           "or one target for all of them",
           picks.size(), form.size());
    }
  }
  return readout;
}

}  // namespace ascribe::core::study
