// A convolutional network for objects placed on a canvas of 56 x 56 pixels, of random weights: quick to explain.
#pragma once

#include <filesystem>

#include "base/file.h"
#include "onnx/exporter.h"
#include "support/small_networks.h"

namespace ascribe::core {

inline std::string write_tiny_localiser(const std::filesystem::path& path) {
  Graph graph;
  SmallNetwork net(graph);
  const Value image = net.b.input("x", {Kind::real, {kBatch, 1, 56, 56}});
  const Value features = net.relu(net.conv(image, 1, 3, 7, 7, 0, "conv"));
  net.b.output("y", net.dense(net.b.reshape(features, {kBatch, 3 * 8 * 8}), 3 * 8 * 8, 10));
  write_file(path, export_model(graph), true);
  return path.string();
}

}  // namespace ascribe::core
