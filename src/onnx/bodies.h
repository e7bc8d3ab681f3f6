// Bodies of If, Loop and Scan: graphs within a node, which read values of the graphs around them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

namespace ascribe::core {

inline constexpr int kDeepestBody = 16;          // bodies within bodies
inline constexpr int64_t kMostBodies = 1 << 16;  // that are run, each turn of a loop counted

bool has_body(const onnx::NodeProto& node);

// Names that the node's bodies read and do not define themselves.
std::vector<std::string> captured_names(const onnx::NodeProto& node);

}  // namespace ascribe::core
