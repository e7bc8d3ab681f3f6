// DepthToSpace, SpaceToDepth: blocks of channels become blocks of pixels and back.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_depth_to_space {
namespace {

int64_t block_size(const NodeContext& c) {
  const int64_t block = c.integer("blocksize");
  if (block < 1 || block > (1 << 16)) c.refuse("blocksize is {}; expected a positive number", block);
  if (c.b().rank(c.in(0)) != 4) c.refuse("the input has rank {}; expected [N, C, H, W]", c.b().rank(c.in(0)));
  return block;
}

bool is_depth_first(const NodeContext& c) {
  const std::string mode = c.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") c.refuse("mode is \"{}\"; expected DCR or CRD", mode);
  return mode == "CRD";
}

// The channel axis holds (block, block, C') in mode DCR, (C', block, block) in mode CRD.
void lower_depth_to_space(NodeContext& c) {
  Builder& b = c.b();
  const int64_t block = block_size(c);
  const Dims shape = b.shape(c.in(0));
  const Dim depth = divide(shape[1], block * block, c.where());
  const bool depth_first = is_depth_first(c);
  const Dims split = depth_first ? Dims{shape[0], depth, block, block, shape[2], shape[3]}
                                 : Dims{shape[0], block, block, depth, shape[2], shape[3]};
  const std::vector<int64_t> perm =
      depth_first ? std::vector<int64_t>{0, 1, 4, 2, 5, 3} : std::vector<int64_t>{0, 3, 4, 1, 5, 2};
  c.out(0, b.reshape(b.transpose(b.reshape(c.in(0), split), perm),
                     {shape[0], depth, shape[2] * Dim(block), shape[3] * Dim(block)}));
}

// The mode came with opset 28.
void lower_space_to_depth(NodeContext& c) {
  Builder& b = c.b();
  const int64_t block = block_size(c);
  const Dims shape = b.shape(c.in(0));
  const Dim rows = divide(shape[2], block, c.where()), columns = divide(shape[3], block, c.where());
  const Value split = b.reshape(c.in(0), {shape[0], shape[1], rows, block, columns, block});
  const std::vector<int64_t> perm =
      is_depth_first(c) ? std::vector<int64_t>{0, 1, 3, 5, 2, 4} : std::vector<int64_t>{0, 3, 5, 1, 2, 4};
  c.out(0, b.reshape(b.transpose(split, perm), {shape[0], shape[1] * Dim(block * block), rows, columns}));
}

const RegisterLowering depth_to_space({"DepthToSpace", 28, "blocksize mode:11"}, lower_depth_to_space);
const RegisterLowering space_to_depth({"SpaceToDepth", 28, "blocksize mode:28"}, lower_space_to_depth);

}  // namespace
}  // namespace ascribe::core::lowering_depth_to_space
