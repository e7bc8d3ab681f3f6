// The cone of influence: what a change of a box of the input can reach, layer by layer. Where a row differs from
// another one, whose values are known, in a box only, each layer has to be computed on the box that the change has
// grown to by then; everything around it is read from the known row.
//
// The model is cut into segments: a convolution or pooling, which makes the box grow or shrink, and the operations
// behind it that act place by place. All values of a segment have one box. What segments read of each other is pasted:
// the known values around the box, with the changed ones in it.
#pragma once

#include <optional>
#include <vector>

#include "graph/builder.h"
#include "graph/window.h"

namespace ascribe::core {

// Along the axes of places (height and width, or time).
struct ConeBox {
  Shape begin, size;
  friend bool operator==(const ConeBox&, const ConeBox&) = default;
};

struct ConeSegment {
  std::vector<Value> nodes;    // in order; those of segment 0 follow the input itself
  Value head;                  // the one that slides windows; invalid: none does
  Window window;               // its
  bool padded_low = false;     // what its windows see outside of the picture never wins; otherwise it is 0
  std::vector<Value> beside;   // values of earlier segments that are read at the segment's own box
  std::vector<Value> outputs;  // values that are read outside of the segment
  Shape extents;               // of the whole along the axes of places
  double work = 0;             // scalar operations for the whole of a row, roughly
};

class Cone {
 public:
  // Nothing if no window slides over the input before it stops being a picture, a series or a volume.
  static std::optional<Cone> of(const Graph& graph, size_t input);

  const Graph& graph() const { return graph_; }
  size_t input() const { return input_; }
  Value input_value() const { return graph_.inputs[input_].value; }
  const std::vector<ConeSegment>& segments() const { return segments_; }
  // How values are kept between segments: with channels last, where segments compute so anyway, or as the graph has
  // them. The input stays as it is.
  void keep_channels_last(bool last) { channels_last_ = last; }
  Shape kept_row(Value value) const;                   // the shape of a row
  std::vector<size_t> kept_places(Value value) const;  // its axes of places
  double work() const { return work_; }                // of the whole graph for a row
  size_t segment_of(Value value) const;                // that computes it
  std::vector<Value> read_from(size_t segment) const;  // values of earlier ones, without repetitions

  // The boxes of the first `count` segments for a change of the input in this box, which is not empty.
  std::vector<ConeBox> boxes(const ConeBox& changed, size_t count) const;
  // What the head of a segment reads for this box of its results. It may begin before 0 and reach beyond the end.
  ConeBox seen(size_t segment, const ConeBox& box) const;
  // Scalar operations of a segment for a box of this size.
  double work(size_t segment, const Shape& size) const;

  // Inputs: what the head sees, if there is one; then `beside`. Segment 0 without a head reads the input itself.
  Graph segment_graph(size_t segment, const Shape& size) const;
  // Values of the first `count` segments that what comes behind them reads.
  std::vector<Value> frontier(size_t count) const;
  // Inputs: the frontier, then the model's inputs (`kept`) that are still read.
  Graph rest(size_t count, std::vector<size_t>& kept) const;
  // Values that a run of the first `count` segments reads from the known row: those read by other segments or behind.
  std::vector<Value> known_values(size_t count) const;
  // Inputs: the model's. Outputs: those values, then the model's output.
  Graph reference(size_t count) const;

 private:
  const std::vector<size_t>& places(Value value) const { return places_[static_cast<size_t>(value.index)]; }
  bool is_turned(Value value) const;
  Value kept_input(Builder& b, const std::string& name, Value value, const Shape& size) const;
  Value kept_output(Builder& b, Value value, Value made) const;
  Cone(const Graph& graph, size_t input, std::vector<size_t> places);
  bool add(Value value);
  bool join_pointwise(Value value, const std::vector<Value>& moving);
  bool join_window(Value value, const std::vector<Value>& moving);
  bool join_transpose(Value value);
  bool join_concat(Value value, const std::vector<Value>& moving);
  void join(Value value, const std::vector<Value>& moving, const std::vector<size_t>& places);
  bool moves(Value value) const { return segment_[static_cast<size_t>(value.index)] >= 0; }
  Shape extents_of(Value value, const std::vector<size_t>& places) const;
  void find_outputs();

  Graph graph_;
  size_t input_;
  std::vector<ConeSegment> segments_;
  std::vector<int> segment_;                 // of each value; -1: of none
  std::vector<std::vector<size_t>> places_;  // of each value of a segment
  std::vector<bool> depends_;                // on the input
  double work_ = 0;
  bool channels_last_ = false;
};

// The shape of a row of the value with other sizes along the axes of places.
Shape row_with(const Shape& row, const std::vector<size_t>& places, const Shape& size);

}  // namespace ascribe::core
