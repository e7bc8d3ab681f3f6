#include "model/cone_runner.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <set>

#include "base/parallel.h"
#include "tensor/rows.h"

namespace ascribe::core {

namespace {

constexpr double kPasting = 1.15;  // work on boxes is that much slower than on the whole
constexpr size_t kBlockBytes = size_t{256} << 20, kChunkBytes = size_t{24} << 20, kWholeBytes = size_t{64} << 20;
constexpr int64_t kMostRows = 1024;
constexpr size_t kMostSessions = 1024;

// A part of a row that lies at `origin` of the whole.
struct Part {
  const std::byte* memory;
  Shape origin, shape;
};

// Copies what two parts have in common.
class Copy {
 public:
  Copy(const Part& from, std::byte* to, const Shape& to_origin, const Shape& to_shape, size_t element) {
    size_t rank = to_shape.size();
    extent_.resize(rank), from_stride_.resize(rank), to_stride_.resize(rank);
    auto from_step = static_cast<int64_t>(element), to_step = from_step;
    int64_t from_offset = 0, to_offset = 0;
    for (size_t axis = rank; axis-- > 0;) {
      const int64_t begin = std::max(from.origin[axis], to_origin[axis]);
      const int64_t end = std::min(from.origin[axis] + from.shape[axis], to_origin[axis] + to_shape[axis]);
      extent_[axis] = std::max<int64_t>(0, end - begin);
      empty_ = empty_ || extent_[axis] == 0;
      from_stride_[axis] = from_step, to_stride_[axis] = to_step;
      from_offset += (begin - from.origin[axis]) * from_step;
      to_offset += (begin - to_origin[axis]) * to_step;
      from_step *= from.shape[axis], to_step *= to_shape[axis];
    }
    if (empty_) return;
    // Axes that lie whole in both are one with the one before.
    line_ = element * static_cast<size_t>(extent_[rank - 1]);
    while (rank > 1 && from_stride_[rank - 2] == static_cast<int64_t>(line_) &&
           to_stride_[rank - 2] == static_cast<int64_t>(line_)) {
      --rank;
      line_ *= static_cast<size_t>(extent_[rank - 1]);
    }
    lines_ = rank - 1;
    copy(0, from.memory + from_offset, to + to_offset);
  }

 private:
  void copy(size_t axis, const std::byte* from, std::byte* to) {
    if (axis == lines_) {
      std::memcpy(to, from, line_);
      return;
    }
    for (int64_t i = 0; i < extent_[axis]; ++i) {
      if (axis + 1 == lines_) std::memcpy(to, from, line_);
      else copy(axis + 1, from, to);
      from += from_stride_[axis], to += to_stride_[axis];
    }
  }

  Shape extent_, from_stride_, to_stride_;
  size_t line_ = 0, lines_ = 0;
  bool empty_ = false;
};

// Begin of a box along all axes of a row.
Shape origin_of(size_t rank, const std::vector<size_t>& places, const ConeBox& box) {
  Shape origin(rank);
  for (size_t i = 0; i < places.size(); ++i) origin[places[i]] = box.begin[i];
  return origin;
}

// At most so many sizes that stand for all; the largest is one of them. What is lost is least.
Shape representative_sizes(std::vector<int64_t> sizes, size_t most) {
  std::sort(sizes.begin(), sizes.end());
  std::vector<std::pair<int64_t, double>> counts;
  for (const int64_t size : sizes) {
    if (counts.empty() || counts.back().first != size) counts.emplace_back(size, 0);
    counts.back().second += 1;
  }
  const size_t n = counts.size();
  if (n <= most) {
    Shape all;
    for (const auto& [size, count] : counts) all.push_back(size);
    return all;
  }
  // least[k][j]: of the first j sizes by k + 1 representatives, the last one being counts[j - 1].
  const double never = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> least(most, std::vector<double>(n + 1, never));
  std::vector<std::vector<size_t>> from(most, std::vector<size_t>(n + 1));
  for (size_t k = 0; k < most; ++k) {
    for (size_t j = 1; j <= n; ++j) {
      double lost = 0;
      for (size_t i = j; i-- > 0;) {
        lost += counts[i].second * static_cast<double>(counts[j - 1].first - counts[i].first);
        const double before = i == 0 ? 0 : k == 0 ? never : least[k - 1][i];
        if (before + lost < least[k][j]) least[k][j] = before + lost, from[k][j] = i;
      }
    }
  }
  Shape chosen;
  size_t k = most - 1;
  for (size_t j = n; j > 0; j = from[k][j], k = k > 0 ? k - 1 : 0) chosen.insert(chosen.begin(), counts[j - 1].first);
  return chosen;
}

// Sizes are rounded up to one of these; more pay only for more rows, as each needs plans of its own.
size_t sizes_for(int64_t rows) { return rows < 16 ? 1 : rows < 64 ? 2 : rows < 128 ? 3 : rows < 512 ? 4 : 6; }

}  // namespace

ConeRunner::ConeRunner(Cone cone, SessionOptions options, Sessions sessions)
    : cone_(std::move(cone)), options_(std::move(options)), sessions_(std::move(sessions)) {
  options_.rows_per_batch = kMostRows;  // chunks are cut here
  // Kernels for double read channels first.
  cone_.keep_channels_last(options_.real == DType::f32);
}

size_t ConeRunner::Known::bytes() const {
  size_t bytes = 0;
  for (const Tensor& value : values) bytes += value.bytes();
  return bytes;
}

// The work of a mean row with the first 1, 2, ... segments on boxes, as a share of a whole one.
std::vector<double> ConeRunner::shares(std::span<const std::vector<ConeBox>> boxes) const {
  std::vector<double> shares;
  double rest = cone_.work(), done = 0;
  for (size_t i = 0; i < cone_.segments().size(); ++i) {
    double mean = 0;
    for (const auto& own : boxes) mean += cone_.work(i, own[i].size);
    done += kPasting * mean / static_cast<double>(boxes.size());
    rest -= cone_.segments()[i].work;
    shares.push_back((done + rest) / cone_.work());
  }
  return shares;
}

double ConeRunner::share(const ConeBox& change) const {
  const std::vector<std::vector<ConeBox>> boxes{cone_.boxes(change, cone_.segments().size())};
  const std::vector<double> all = shares(boxes);
  return *std::min_element(all.begin(), all.end());
}

ConeRunner::Schedule ConeRunner::schedule(std::span<const ConeBox> changes, int64_t at_once) const {
  std::vector<std::vector<ConeBox>> boxes;
  for (const ConeBox& change : changes) boxes.push_back(cone_.boxes(change, cone_.segments().size()));
  const std::vector<double> all = shares(boxes);
  const auto best = std::min_element(all.begin(), all.end());
  Schedule schedule;
  schedule.segments = static_cast<size_t>(best - all.begin()) + 1;
  schedule.work = *best;
  const size_t most = sizes_for(at_once > 0 ? at_once : std::ssize(changes));
  for (size_t i = 0; i < schedule.segments; ++i) {
    std::vector<Shape> of_axes;
    for (size_t axis = 0; axis < cone_.segments()[i].extents.size(); ++axis) {
      std::vector<int64_t> sizes;
      for (const auto& own : boxes) sizes.push_back(own[i].size[axis]);
      of_axes.push_back(representative_sizes(std::move(sizes), most));
    }
    schedule.sizes.push_back(std::move(of_axes));
  }
  return schedule;
}

ConeRunner::Known ConeRunner::know(const Schedule& schedule, std::span<const Tensor> point) {
  const size_t count = schedule.segments;
  const auto session =
      sessions_(fmt::format("known beside {} segments", count), [&] { return cone_.reference(count); });
  Known known;
  known.values = session->run(point);
  known.answer = known.values.back();
  known.values.pop_back();
  return known;
}

size_t ConeRunner::known_bytes(const Schedule& schedule) const {
  size_t bytes = 0;
  for (const Value value : cone_.known_values(schedule.segments)) {
    bytes += static_cast<size_t>(element_count(cone_.kept_row(value))) * element_bytes();
  }
  return bytes;
}

std::shared_ptr<Session> ConeRunner::segment_session(size_t segment, const Shape& size) {
  auto& place = segment_sessions_[{segment, size}];
  if (!place) place = std::make_shared<Session>(cone_.segment_graph(segment, size), options_);
  return place;
}

// Memory that is used again and again, with whatever is in it.
Tensor ConeRunner::scratch(size_t slot, const Shape& shape) {
  if (scratch_.size() <= slot) scratch_.resize(slot + 1);
  Tensor& own = scratch_[slot];
  if (own.size() < element_count(shape)) own = Tensor(options_.real, {element_count(shape)});
  return Tensor::borrow(options_.real, shape, own.storage(), own.memory());
}

// The crops of as many rows as fit; each is kept until its last reader has run.
int64_t ConeRunner::rows_per_block(const Schedule& schedule) const {
  std::vector<size_t> bytes(schedule.segments), last(schedule.segments);
  for (size_t i = 0; i < schedule.segments; ++i) {
    Shape size;
    for (const Shape& of_axis : schedule.sizes[i]) size.push_back(of_axis.back());
    for (const Value value : cone_.segments()[i].outputs) {
      const Shape row = row_with(cone_.kept_row(value), cone_.kept_places(value), size);
      bytes[i] += static_cast<size_t>(element_count(row)) * element_bytes();
    }
    last[i] = i;
    for (const Value value : cone_.read_from(i)) last[cone_.segment_of(value)] = i;
  }
  for (const Value value : cone_.frontier(schedule.segments)) last[cone_.segment_of(value)] = schedule.segments;
  size_t most = 1;
  for (size_t i = 0; i < schedule.segments; ++i) {
    size_t live = 0;
    for (size_t k = 0; k <= i; ++k) live += last[k] >= i ? bytes[k] : 0;
    most = std::max(most, live);
  }
  const size_t budget = std::min(kBlockBytes, options_.workspace->memory() / 8);
  return std::clamp<int64_t>(static_cast<int64_t>(budget / most), 1, kMostRows);
}

// Some of the rows on their way through the segments.
class ConeRunner::Block {
 public:
  Block(ConeRunner& runner, const Schedule& schedule, std::span<const Row> rows, std::span<const int64_t> chosen,
        const Fill& fill, bool keep)
      : runner_(runner), cone_(runner.cone_), schedule_(schedule), chosen_(chosen), fill_(fill), keep_(keep) {
    for (const int64_t row : chosen) {
      known_.push_back(rows[static_cast<size_t>(row)].known);
      boxes_.push_back(cone_.boxes(rows[static_cast<size_t>(row)].change, schedule.segments));
    }
    known_values_ = cone_.known_values(schedule.segments);
    crops_.resize(cone_.graph().nodes.size());
    for (size_t i = 0; i < schedule.segments; ++i) {
      for (const Value value : cone_.read_from(i)) last_[value] = i;
    }
    for (const Value value : cone_.frontier(schedule.segments)) last_[value] = schedule.segments;
  }

  void run_segments() {
    for (size_t i = 0; i < schedule_.segments; ++i) {
      // Rows whose boxes are enlarged to the same size.
      std::map<Shape, std::vector<int64_t>> groups;
      for (int64_t r = 0; r < std::ssize(boxes_); ++r) groups[enlarged_size(i, r)].push_back(r);
      for (const auto& [size, rows] : groups) run_group(i, size, rows);
      for (const auto& [value, last] : last_) {
        if (last == i) crops(value).clear();
      }
    }
  }

  int64_t size() const { return std::ssize(boxes_); }

  // The whole of a value for some rows.
  Tensor whole(Value value, int64_t first, int64_t count, size_t slot) {
    Shape shape = cone_.kept_row(value);
    const ConeBox all{Shape(cone_.kept_places(value).size()), cone_.segments()[cone_.segment_of(value)].extents};
    shape.insert(shape.begin(), count);
    const Tensor to = runner_.scratch(slot, shape);
    auto* memory = static_cast<std::byte*>(const_cast<void*>(to.memory()));
    const size_t bytes = to.bytes() / static_cast<size_t>(count);
    parallel_for(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) paste(value, first + r, all, memory + static_cast<size_t>(r) * bytes);
    });
    return to;
  }

 private:
  std::vector<Crop>& crops(Value value) { return crops_[static_cast<size_t>(value.index)]; }

  Shape enlarged_size(size_t segment, int64_t row) const {
    Shape size = boxes_[static_cast<size_t>(row)][segment].size;
    for (size_t axis = 0; axis < size.size(); ++axis) {
      const Shape& sizes = schedule_.sizes[segment][axis];
      const auto fits = std::lower_bound(sizes.begin(), sizes.end(), size[axis]);
      size[axis] = fits == sizes.end() ? cone_.segments()[segment].extents[axis] : *fits;
    }
    return size;
  }

  // A box of that size around the row's, inside of the whole.
  ConeBox enlarged(size_t segment, int64_t row, const Shape& size) const {
    ConeBox box = boxes_[static_cast<size_t>(row)][segment];
    for (size_t axis = 0; axis < size.size(); ++axis) {
      box.begin[axis] = std::min(box.begin[axis], cone_.segments()[segment].extents[axis] - size[axis]);
    }
    box.size = size;
    return box;
  }

  // The known values of a box with the changed ones in it. Outside of the whole nothing is written.
  void paste(Value value, int64_t row, const ConeBox& box, std::byte* to) {
    const std::vector<size_t> places = cone_.kept_places(value);
    const Shape whole = cone_.kept_row(value);
    const Shape shape = row_with(whole, places, box.size), origin = origin_of(whole.size(), places, box);
    const auto found = std::lower_bound(known_values_.begin(), known_values_.end(), value) - known_values_.begin();
    const Tensor& known = known_[static_cast<size_t>(row)]->values[static_cast<size_t>(found)];
    const size_t element = runner_.element_bytes();
    const Copy all({static_cast<const std::byte*>(known.memory()), Shape(whole.size()), whole}, to, origin, shape,
                   element);
    if (keep_) return;  // they are in what is known
    const Crop& crop = crops(value)[static_cast<size_t>(row)];
    const size_t bytes = crop.values.bytes() / static_cast<size_t>(crop.values.shape()[0]);
    const Copy changed({static_cast<const std::byte*>(crop.values.memory()) + static_cast<size_t>(crop.row) * bytes,
                        origin_of(whole.size(), places, crop.box), row_with(whole, places, crop.box.size)},
                       to, origin, shape, element);
  }

  // What is computed becomes what is known.
  void write_back(Value value, int64_t row) {
    const auto found = std::lower_bound(known_values_.begin(), known_values_.end(), value);
    if (found == known_values_.end() || *found != value) return;
    Tensor& known = known_[static_cast<size_t>(row)]->values[static_cast<size_t>(found - known_values_.begin())];
    const std::vector<size_t> places = cone_.kept_places(value);
    const Shape whole = cone_.kept_row(value);
    const Crop& crop = crops(value)[static_cast<size_t>(row)];
    const size_t bytes = crop.values.bytes() / static_cast<size_t>(crop.values.shape()[0]);
    Copy({static_cast<const std::byte*>(crop.values.memory()) + static_cast<size_t>(crop.row) * bytes,
          origin_of(whole.size(), places, crop.box), row_with(whole, places, crop.box.size)},
         static_cast<std::byte*>(known.mutable_memory()), Shape(whole.size()), whole, runner_.element_bytes());
  }

  void run_group(size_t segment, const Shape& size, const std::vector<int64_t>& rows) {
    const ConeSegment& s = cone_.segments()[segment];
    const auto session = runner_.segment_session(segment, size);
    size_t bytes = 0;  // of a row: what is read and written
    for (const auto* ports : {&session->graph().inputs, &session->graph().outputs}) {
      for (const Port& port : *ports) {
        bytes += static_cast<size_t>(element_count(at(session->graph()[port.value].type.shape, 1)));
      }
    }
    bytes *= runner_.element_bytes();
    const size_t budget = std::min(kChunkBytes, runner_.options_.workspace->left() / 16);
    const auto most = std::clamp<size_t>(budget / std::max<size_t>(bytes, 1), 1, kMostRows);
    // Powers of two, so that few plans serve any number of rows.
    for (size_t first = 0; first < rows.size();) {
      const size_t count = std::bit_floor(std::min(most, rows.size() - first));
      run_chunk(segment, *session, size, std::span(rows).subspan(first, count));
      first += count;
    }
    if (s.outputs.empty()) return;
  }

  void run_chunk(size_t segment, Session& session, const Shape& size, std::span<const int64_t> rows) {
    const ConeSegment& s = cone_.segments()[segment];
    std::vector<ConeBox> boxes;
    for (const int64_t row : rows) boxes.push_back(enlarged(segment, row, size));
    std::vector<Tensor> inputs;
    const auto add_input = [&](const auto& fill) {
      const Port& port = session.graph().inputs[inputs.size()];
      const Shape shape = at(session.graph()[port.value].type.shape, std::ssize(rows));
      // What is handed on as it is must stay.
      Tensor tensor = s.nodes.empty() ? Tensor(runner_.options_.real, shape) : runner_.scratch(inputs.size(), shape);
      auto* memory = static_cast<std::byte*>(const_cast<void*>(tensor.memory()));
      const size_t bytes = tensor.bytes() / rows.size();
      parallel_for(std::ssize(rows), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) fill(i, memory + static_cast<size_t>(i) * bytes, bytes);
      });
      inputs.push_back(std::move(tensor));
    };
    if (s.head.valid()) {
      add_input([&](int64_t i, std::byte* to, size_t bytes) {
        const ConeBox seen = cone_.seen(segment, boxes[static_cast<size_t>(i)]);
        if (reaches_outside(segment, seen)) fill_padding(s.padded_low, to, bytes);
        paste(cone_.graph()[s.head].inputs[0], rows[static_cast<size_t>(i)], seen, to);
      });
    } else {
      add_input([&](int64_t i, std::byte* to, size_t) {
        fill_(chosen_[static_cast<size_t>(rows[static_cast<size_t>(i)])], boxes[static_cast<size_t>(i)], to);
      });
    }
    for (const Value value : s.beside) {
      add_input([&](int64_t i, std::byte* to, size_t) {
        paste(value, rows[static_cast<size_t>(i)], boxes[static_cast<size_t>(i)], to);
      });
    }
    const std::vector<Tensor> outputs = s.nodes.empty() ? inputs : session.run(inputs);  // the input itself
    for (size_t k = 0; k < s.outputs.size(); ++k) {
      auto& own = crops(s.outputs[k]);
      own.resize(boxes_.size());
      for (size_t i = 0; i < rows.size(); ++i) {
        own[static_cast<size_t>(rows[i])] = {outputs[k], static_cast<int64_t>(i), boxes[i]};
      }
      if (!keep_) continue;
      parallel_for(std::ssize(rows), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) write_back(s.outputs[k], rows[static_cast<size_t>(i)]);
      });
    }
  }

  // What the head of a segment sees beyond the border.
  bool reaches_outside(size_t segment, const ConeBox& seen) const {
    const Window& window = cone_.segments()[segment].window;
    for (size_t axis = 0; axis < window.size(); ++axis) {
      if (seen.begin[axis] < 0 || seen.begin[axis] + seen.size[axis] > window[axis].input) return true;
    }
    return false;
  }

  void fill_padding(bool low, std::byte* to, size_t bytes) const {
    if (!low) {
      std::memset(to, 0, bytes);
      return;
    }
    visit(runner_.options_.real, [&]<class T>(T) {
      if constexpr (std::is_floating_point_v<T>) {
        std::fill_n(reinterpret_cast<T*>(to), bytes / sizeof(T), -std::numeric_limits<T>::infinity());
      }
    });
  }

  ConeRunner& runner_;
  const Cone& cone_;
  const Schedule& schedule_;
  std::span<const int64_t> chosen_;
  const Fill& fill_;
  bool keep_;
  std::vector<Known*> known_;
  std::vector<std::vector<ConeBox>> boxes_;  // [row][segment], as the change needs them
  std::vector<Value> known_values_;
  std::vector<std::vector<Crop>> crops_;  // [value][row]
  std::map<Value, size_t> last_;          // the segment that reads a value last
};

Tensor ConeRunner::run(const Schedule& schedule, std::span<const Row> rows, std::span<const Tensor> point,
                       const Fill& fill, bool keep, const Progress& progress) {
  if (segment_sessions_.size() > kMostSessions) segment_sessions_.clear();
  std::vector<size_t> kept;
  const Graph behind = cone_.rest(schedule.segments, kept);
  const auto session = sessions_(fmt::format("behind {} segments", schedule.segments), [&] { return behind; });
  const std::vector<Value> frontier = cone_.frontier(schedule.segments);
  size_t whole_bytes = 1;
  for (const Value value : frontier) whole_bytes += static_cast<size_t>(element_count(cone_.kept_row(value)));
  whole_bytes *= element_bytes();
  const auto count = std::ssize(rows);
  // Rows with boxes of the same size follow each other.
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::vector<Shape> sizes;
  for (int64_t r = 0; r < count; ++r) {
    order[static_cast<size_t>(r)] = r;
    sizes.push_back(cone_.boxes(rows[static_cast<size_t>(r)].change, schedule.segments).back().size);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return sizes[static_cast<size_t>(a)] < sizes[static_cast<size_t>(b)]; });
  Shape shape = at(cone_.graph()[cone_.graph().outputs[0].value].type.shape, count);
  Tensor answers(options_.real, shape);
  auto* to = static_cast<std::byte*>(answers.mutable_memory());
  const size_t bytes = count == 0 ? 0 : answers.bytes() / static_cast<size_t>(count);
  const int64_t per_block = rows_per_block(schedule);
  for (int64_t first = 0; first < count; first += per_block) {
    const int64_t some = std::min(per_block, count - first);
    const auto chosen = std::span<const int64_t>(order).subspan(static_cast<size_t>(first), static_cast<size_t>(some));
    Block block(*this, schedule, rows, chosen, fill, keep);
    block.run_segments();
    const size_t budget = std::min(kWholeBytes, options_.workspace->memory() / 8);
    const auto at_once = std::clamp<int64_t>(static_cast<int64_t>(budget / whole_bytes), 1, some);
    for (int64_t part = 0; part < some; part += at_once) {
      const int64_t now = std::min(at_once, some - part);
      std::vector<Tensor> inputs;
      for (const Value value : frontier) inputs.push_back(block.whole(value, part, now, inputs.size()));
      for (const size_t input : kept) {
        const Dims& dims = cone_.graph()[cone_.graph().inputs[input].value].type.shape;
        inputs.push_back(all_fixed(dims) ? point[input] : repeated_row(point[input], now));
      }
      const Tensor outputs = session->run(inputs)[0];
      const auto* from = static_cast<const std::byte*>(outputs.memory());
      for (int64_t r = 0; r < now; ++r) {
        std::memcpy(to + static_cast<size_t>(chosen[static_cast<size_t>(part + r)]) * bytes,
                    from + static_cast<size_t>(r) * bytes, bytes);
      }
      report(progress, "rows", first + part + now, count);
    }
  }
  return answers;
}

}  // namespace ascribe::core
