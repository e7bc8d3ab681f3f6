// Pad and CenterCropPad. Negative pads cut; they are done first, by a slice.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_pad {
namespace {

constexpr int64_t kLargestPad = int64_t{1} << 31;

// Cuts and pads every axis; counts may be negative.
Value cut_and_pad(NodeContext& c, Value x, std::vector<int64_t> before, std::vector<int64_t> after,
                  const std::string& mode, double value) {
  Builder& b = c.b();
  bool cuts = false, pads = false;
  Dims starts(before.size(), 0), sizes = b.shape(x);
  for (size_t axis = 0; axis < before.size(); ++axis) {
    for (int64_t* count : {&before[axis], &after[axis]}) {
      if (*count < -kLargestPad || *count > kLargestPad) c.refuse("a pad is out of range; got {}", *count);
      pads = pads || *count > 0;
      cuts = cuts || *count < 0;
      if (*count >= 0) continue;
      if (count == &before[axis]) starts[axis] = -*count;
      sizes[axis] = sizes[axis] + Dim(*count);
      *count = 0;
    }
    if (sizes[axis].at(1) < 0) c.refuse("the pads cut more than there is on axis {}", axis);
  }
  if (cuts) x = b.op("slice", {x}, {{"starts", starts}, {"sizes", sizes}, {"steps", Dims(starts.size(), 1)}});
  if (!pads) return x;
  return b.op("pad", {x},
              {{"before", ints(before)}, {"after", ints(after)}, {"mode", mode}, {"value", reals({value})}});
}

double pad_value(const NodeContext& c) {
  if (c.opset() < 11) return c.real("value", 0.0);
  return c.has(2) ? one_real(c, 2, "constant_value") : 0.0;
}

void lower_pad(NodeContext& c) {
  Builder& b = c.b();
  const int64_t rank = b.rank(c.in(0));
  const auto pads = integers_of(c, "pads", 1);
  if (!pads) c.refuse("pads is missing");
  std::vector<int64_t> axes = axes_from(0, rank);
  if (c.has(3)) {
    axes = c.fixed_integers(3, "axes");
    normal_axes(c, axes, rank);  // refuses repeats
    for (int64_t& axis : axes) axis = normal_axis(axis, rank, c.where());
  }
  if (pads->size() != 2 * axes.size()) c.refuse("pads has {} entries; expected {}", pads->size(), 2 * axes.size());
  std::vector<int64_t> before(rank, 0), after(rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    before[axes[i]] = (*pads)[i];
    after[axes[i]] = (*pads)[i + axes.size()];
  }
  const std::string mode = c.text("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap") c.refuse("mode is \"{}\"", mode);
  c.out(0, cut_and_pad(c, c.in(0), before, after, mode, mode == "constant" ? pad_value(c) : 0.0));
}

// The middle of the input, or the input in the middle of zeros.
void lower_center_crop_pad(NodeContext& c) {
  const Dims shape = c.b().shape(c.in(0));
  const auto rank = static_cast<int64_t>(shape.size());
  const auto wanted = c.fixed_integers(1, "shape");
  std::vector<int64_t> axes = c.integers("axes", axes_from(0, rank));
  normal_axes(c, axes, rank);
  if (axes.size() != wanted.size()) c.refuse("shape has {} entries; expected {}", wanted.size(), axes.size());
  std::vector<int64_t> before(rank, 0), after(rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = normal_axis(axes[i], rank, c.where());
    const int64_t size = fixed_size(c, shape[axis], "a size to crop or pad");
    if (wanted[i] < 0 || wanted[i] > kLargestPad) c.refuse("shape is out of range; got {}", wanted[i]);
    before[axis] = (wanted[i] - size) / 2;  // towards zero: the odd one goes to the end
    after[axis] = wanted[i] - size - before[axis];
  }
  c.out(0, cut_and_pad(c, c.in(0), before, after, "constant", 0.0));
}

const RegisterLowering pad({"Pad", 25, "mode pads:2 value"}, lower_pad, "pads must be known when the model is loaded");
const RegisterLowering center_crop_pad({"CenterCropPad", 18, "axes"}, lower_center_crop_pad);

}  // namespace
}  // namespace ascribe::core::lowering_pad
