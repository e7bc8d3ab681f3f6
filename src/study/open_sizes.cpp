#include "study/open_sizes.h"

#include <algorithm>
#include <map>
#include <optional>

namespace ascribe::core::study {

namespace {

constexpr int64_t kOpen = -1;

struct Found {
  int64_t size = kOpen;
  std::string from;  // who said so
};

// A row of the data has these sizes if it is for an input that is declared so: -1 where they do not tell.
using RowSizes = std::optional<Shape>;

bool agree(std::span<const int64_t> declared, std::span<const int64_t> got) {
  return std::equal(declared.begin(), declared.end(), got.begin(), got.end(),
                    [](int64_t want, int64_t have) { return want == kOpen || want == have; });
}

// [rows, row...] or one row.
RowSizes sizes_of_array(const Shape& array, std::span<const int64_t> row) {
  if (array.size() == row.size() + 1 && agree(row, std::span(array).subspan(1))) {
    return Shape(array.begin() + 1, array.end());
  }
  if (array.size() == row.size() && agree(row, array)) return array;
  return std::nullopt;
}

// A line per step and a column per channel, also for inputs that have the channels first.
RowSizes sizes_of_table(const Shape& table, std::span<const int64_t> row) {
  if (const RowSizes direct = sizes_of_array(table, row)) return direct;
  const Shape turned{table[1], table[0]};
  return row.size() == 2 && agree(row, turned) ? RowSizes(turned) : std::nullopt;
}

RowSizes sizes_of_image(ImageSize image, int64_t channels, std::span<const int64_t> row, const Preprocess& p) {
  const ImageSize size = preprocessed_size(image, p);
  if (p.color) channels = *p.color == Color::gray ? 1 : 3;
  if (row.size() == 2) return Shape{size.height, size.width};
  if (row.size() != 3) return std::nullopt;
  const auto is_channels = [](int64_t extent) { return extent == 1 || extent == 3; };
  const bool last = p.layout ? *p.layout == PixelLayout::hwc : !is_channels(row[0]) && is_channels(row[2]);
  if (last) return Shape{size.height, size.width, row[2] == kOpen ? channels : row[2]};
  return Shape{row[0] == kOpen ? channels : row[0], size.height, size.width};
}

class OpenSizes {
 public:
  OpenSizes(const Subject& subject, const RowSource& reading, std::vector<std::string>& notes)
      : subject_(subject),
        preprocess_(data_options(reading).preprocess.value_or(Preprocess{})),
        open_(subject.open_inputs()),
        notes_(notes) {
    for (const DeclaredValue& input : subject.declared_inputs()) take_given(input);
  }

  void take(const SizingData& data) {
    const Source& source = *data.source;
    for (size_t a = 0; a < std::max<size_t>(source.arrays.size(), 1); ++a) {
      const bool named = a < source.arrays.size() && !source.arrays[a].name.empty();
      const std::string name = named ? source.arrays[a].name : data.input;
      for (const DeclaredValue& input : open_) {
        if (name.empty() ? sizes_.contains(input.name) && open_.size() > 1 : input.name != name) continue;
        const RowSizes sizes = row_sizes(source, a, input);
        const bool only = subject_.declared_inputs().size() == 1;
        if (!sizes && (only || !name.empty())) refuse(data.where, source, a, input);
        if (!sizes) continue;
        take(input, *sizes, named ? fmt::format("{} ({})", data.where, name) : data.where);
        break;
      }
    }
  }

  std::map<std::string, Shape> shapes() {
    std::map<std::string, Shape> shapes;
    for (const DeclaredValue& input : open_) shapes[input.name] = shape_of(input);
    return shapes;
  }

 private:
  // Sizes that the caller gave for other inputs count for axes of the same name.
  void take_given(const DeclaredValue& input) {
    const auto given = subject_.shapes().find(input.name);
    if (given == subject_.shapes().end() || given->second.size() != input.shape.size()) return;
    for (size_t axis = 1; axis < input.shape.size(); ++axis) {
      if (!input.axes[axis].empty()) {
        named_[input.axes[axis]] = {given->second[axis], fmt::format("the shape given for '{}'", input.name)};
      }
    }
  }

  RowSizes row_sizes(const Source& source, size_t array, const DeclaredValue& input) const {
    const std::span row = std::span(input.shape).subspan(1);
    if (source.image) {
      return sizes_of_image({source.image->height, source.image->width}, source.image->channels, row, preprocess_);
    }
    if (source.pixels) {
      const Shape& shape = source.pixels->shape();
      return sizes_of_image({shape[1], shape[2]}, 1, row, preprocess_);
    }
    if (array >= source.arrays.size()) return std::nullopt;
    const Shape& shape = source.arrays[array].values.shape();
    return source.columns.empty() || shape.size() != 2 ? sizes_of_array(shape, row) : sizes_of_table(shape, row);
  }

  void take(const DeclaredValue& input, const Shape& row, const std::string& from) {
    const bool first = !sizes_.contains(input.name);
    std::vector<Found>& known = sizes_[input.name];
    known.resize(input.shape.size());
    if (first) order_.push_back(input.name);
    for (size_t axis = 1; axis < input.shape.size(); ++axis) {
      if (input.shape[axis] != kOpen) continue;
      const Found found{row[axis - 1], from};
      settle(known[axis], found, input, axis);
      if (!input.axes[axis].empty()) settle(named_[input.axes[axis]], found, input, axis);
    }
  }

  static void settle(Found& known, const Found& found, const DeclaredValue& input, size_t axis) {
    if (known.size != kOpen && known.size != found.size) {
      fail(ErrorKind::shape, found.from,
           "the sizes contradict each other; got {} for axis {} of the input '{}'; expected {}, as {} has it",
           found.size, text_of(input, axis), input.name, known.size, known.from);
    }
    if (known.size == kOpen) known = found;
  }

  static std::string text_of(const DeclaredValue& input, size_t axis) {
    return input.axes[axis].empty() ? fmt::format("{}", axis) : fmt::format("{} ({})", axis, input.axes[axis]);
  }

  Shape shape_of(const DeclaredValue& input) {
    Shape shape = input.shape;
    if (shape[0] == kOpen) shape[0] = 1;
    std::vector<std::string> taken;
    std::string from;
    for (size_t axis = 1; axis < shape.size(); ++axis) {
      if (shape[axis] != kOpen) continue;
      const Found found = size_of(input, axis);
      shape[axis] = found.size;
      taken.push_back(fmt::format("{} on axis {}", found.size, text_of(input, axis)));
      from = found.from;
    }
    notes_.push_back(fmt::format("{}: {}, from {}", input.name, fmt::join(taken, ", "), from));
    return shape;
  }

  Found size_of(const DeclaredValue& input, size_t axis) const {
    if (const auto own = sizes_.find(input.name); own != sizes_.end()) return own->second[axis];
    const std::string& name = input.axes[axis];
    if (const auto named = named_.find(name); !name.empty() && named != named_.end()) return named->second;
    for (const std::string& other : order_) {
      const std::vector<Found>& sizes = sizes_.at(other);
      if (name.empty() && axis < sizes.size() && sizes[axis].size != kOpen) return sizes[axis];
    }
    fail(ErrorKind::argument, fmt::format("input '{}'", input.name),
         "the file leaves axis {} open, and the data do not tell its size; `shape` {}=... gives it",
         text_of(input, axis), input.name);
  }

  [[noreturn]] static void refuse(const std::string& where, const Source& source, size_t array,
                                  const DeclaredValue& input) {
    std::string wanted;
    for (const int64_t extent : input.shape) {
      wanted += fmt::format("{}{}", wanted.empty() ? "" : ", ", extent == kOpen ? "?" : fmt::format("{}", extent));
    }
    const std::string got =
        array < source.arrays.size() ? to_string(source.arrays[array].values.shape()) : std::string("a picture");
    fail(ErrorKind::shape, where, "the data do not fit the input '{}'; got {}; expected [{}]", input.name, got, wanted);
  }

  const Subject& subject_;
  Preprocess preprocess_;
  std::vector<DeclaredValue> open_;
  std::vector<std::string>& notes_;
  std::map<std::string, std::vector<Found>> sizes_;  // by input, one per axis
  std::map<std::string, Found> named_;               // by the name of the axis
  std::vector<std::string> order_;                   // of the inputs that data are given for
};

}  // namespace

Subject with_sizes_of(const std::vector<SizingData>& data, const Subject& subject, const RowSource& reading,
                      std::vector<std::string>& notes) {
  OpenSizes sizes(subject, reading, notes);
  for (const SizingData& one : data) sizes.take(one);
  return subject.with_shapes(sizes.shapes());
}

}  // namespace ascribe::core::study
