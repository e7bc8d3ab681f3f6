// max_pool, the operations that follow its choices, and average_pool. ceil_mode is written as explicit padding at the
// end where that means the same, because runtimes disagree about it.
#include "onnx/export/writer.h"

namespace ascribe::core::export_pooling {
namespace {

struct Pool {
  std::vector<int64_t> kernel, strides, pads, dilations;
  int64_t ceil_mode = 0;
  Dims input, output;  // shapes

  explicit Pool(const ExportNode& n) : Pool(n, n.shape(0), n.node.type.shape) {}
  Pool(const ExportNode& n, Dims whole, Dims pooled)
      : kernel(n.attributes().integers("kernel")),
        strides(n.attributes().integers("strides")),
        pads(n.attributes().integers("pads")),
        dilations(n.attributes().integers("dilations")),
        ceil_mode(n.attributes().integer("ceil_mode")),
        input(std::move(whole)),
        output(std::move(pooled)) {}

  bool dilated() const {
    return std::any_of(dilations.begin(), dilations.end(), [](int64_t d) { return d != 1; });
  }

  // What the last windows cover beyond the padding, per axis.
  std::vector<int64_t> overhang() const {
    std::vector<int64_t> result;
    for (size_t i = 0; i < kernel.size(); ++i) {
      const int64_t in = input[i + 2].at(1), out = output[i + 2].at(1);
      const int64_t covered = (out - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1;
      result.push_back(std::max<int64_t>(0, covered - in - pads[i] - pads[i + kernel.size()]));
    }
    return result;
  }

  void make_ceiling_explicit() {
    if (ceil_mode == 0) return;
    auto longer = pads;
    const auto extra = overhang();
    for (size_t i = 0; i < kernel.size(); ++i) {
      longer[i + kernel.size()] += extra[i];
      if (longer[i + kernel.size()] >= kernel[i]) return;  // padding as long as the window is refused
    }
    pads = longer;
    ceil_mode = 0;
  }

  OnnxAttributes attributes() const {
    return {{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}, {"ceil_mode", ceil_mode}};
  }
};

std::string max_pool_output(OnnxWriter& w, const ExportNode& n, int output) {
  Pool pool(n);
  pool.make_ceiling_explicit();
  OnnxAttributes attributes = pool.attributes();
  attributes.emplace_back("dilations", pool.dilations);
  if (output == 1) attributes.emplace_back("storage_order", n.attributes().integer("storage_order"));
  std::string x = n.inputs[0];
  // Runtimes pool reals only.
  if (n.kind(0) == Kind::integer) x = w.emit("Cast", {x}, {{"to", int64_t{onnx::TensorProto::DOUBLE}}});
  const std::string result = w.emit("MaxPool", {x}, attributes, output);
  if (n.kind(0) != Kind::integer || output == 1) return result;
  return w.emit("Cast", {result}, {{"to", int64_t{onnx::TensorProto::INT64}}});
}

const RegisterExport max_pool("max_pool", [](OnnxWriter& w, const ExportNode& n) { return max_pool_output(w, n, 0); });
const RegisterExport max_pool_indices("max_pool_indices",
                                      [](OnnxWriter& w, const ExportNode& n) { return max_pool_output(w, n, 1); });

// Where the largest elements are, flat over the whole tensor, as a list.
std::string flat_choices(OnnxWriter& w, const std::string& choice, Pool pool) {
  pool.make_ceiling_explicit();
  OnnxAttributes attributes = pool.attributes();
  attributes.emplace_back("dilations", pool.dilations);
  return w.reshape(w.emit("MaxPool", {choice}, attributes, 1), {product(pool.output)});
}

const RegisterExport max_pool_pick("max_pool_pick", [](OnnxWriter& w, const ExportNode& n) {
  const Pool pool(n);
  const std::string flat = w.reshape(n.inputs[0], {product(pool.input)});
  const std::string picked =
      w.emit("GatherElements", {flat, flat_choices(w, n.inputs[1], pool)}, {{"axis", int64_t{0}}});
  return w.reshape(picked, pool.output);
});

const RegisterExport max_pool_scatter("max_pool_scatter", [](OnnxWriter& w, const ExportNode& n) {
  const Pool pool(n, n.shape(1), n.shape(0));
  const std::string zeros = w.emit("Expand", {w.scalar(0), w.integers(Dims{product(pool.input)})});
  const std::string updates = w.reshape(n.inputs[0], {product(pool.output)});
  const std::string sums = w.emit("ScatterElements", {zeros, flat_choices(w, n.inputs[1], pool), updates},
                                  {{"axis", int64_t{0}}, {"reduction", std::string("add")}});
  return w.reshape(sums, pool.input);
});

Tensor filled(Shape shape, float value) {
  Tensor tensor(DType::f32, std::move(shape));
  for (float& element : tensor.mutable_data<float>()) element = value;
  return tensor;
}

// A convolution with ones, divided by how many elements each window counts: opset 17 has no dilated average.
std::string dilated_average(OnnxWriter& w, const ExportNode& n, const Pool& pool) {
  const bool include_pad = n.attributes().flag("count_include_pad");
  const int64_t channels = n.shape(0)[1].at(1);
  const size_t spatial = pool.kernel.size();
  const auto extra = pool.overhang();
  Shape kernel_shape = {channels, 1}, counted = {1, 1};
  std::vector<int64_t> pads = pool.pads, count_pads = pool.pads;
  for (size_t i = 0; i < spatial; ++i) {
    kernel_shape.push_back(pool.kernel[i]);
    pads[i + spatial] += extra[i];
    counted.push_back(n.shape(0)[i + 2].at(1) + (include_pad ? pool.pads[i] + pool.pads[i + spatial] : 0));
    count_pads[i] = include_pad ? 0 : pool.pads[i];
    count_pads[i + spatial] = include_pad ? extra[i] : pads[i + spatial];
  }
  const auto attributes = [&](const std::vector<int64_t>& padding, int64_t group) {
    return OnnxAttributes{
        {"strides", pool.strides}, {"pads", padding}, {"dilations", pool.dilations}, {"group", group}};
  };
  const std::string sum =
      w.emit("Conv", {n.inputs[0], w.constant(filled(kernel_shape, 1))}, attributes(pads, channels));
  kernel_shape[0] = 1;
  const std::string count =
      w.emit("Conv", {w.constant(filled(counted, 1)), w.constant(filled(kernel_shape, 1))}, attributes(count_pads, 1));
  return w.emit("Div", {sum, count});
}

const RegisterExport average_pool("average_pool", [](OnnxWriter& w, const ExportNode& n) {
  Pool pool(n);
  const bool include_pad = n.attributes().flag("count_include_pad");
  // Runtimes count the overhang of ceil_mode differently, too.
  if (pool.dilated() || (pool.ceil_mode != 0 && include_pad)) return dilated_average(w, n, pool);
  pool.make_ceiling_explicit();
  OnnxAttributes attributes = pool.attributes();
  attributes.emplace_back("count_include_pad", int64_t{include_pad});
  return w.emit("AveragePool", n.inputs, attributes);
});

}  // namespace
}  // namespace ascribe::core::export_pooling
