// Layers inside a network that hold pictures: maps [rows, channels, positions...], by the name that the model's file
// gives the node.
#pragma once

#include <string>
#include <vector>

#include "graph/builder.h"

namespace ascribe::core {

struct MapLayer {
  Value map;
  std::string name;   // of its node; "unnamed relu" if it has none
  std::string about;  // which it is, in words: "'relu5' (relu, 14 x 14), behind the last convolution 'conv5'"
};

// The map that the named node computes; fails, kind argument, if there is none, and lists those that there are. An
// empty name is the last convolution with more than one position, behind its activation: where the branches that it
// belongs to have met, as far as positions stay what they are. Fails, kind unsupported, if there is none, or if it only
// cuts the input into patches for what follows (a vision transformer), which is no place to look for what the network
// saw.
MapLayer map_layer(const Graph& model, const std::string& name, std::string_view where);

// What it takes: the names of all nodes that compute a map of the inputs, in the order of the network.
std::vector<std::string> map_layer_names(const Graph& model);

// A picture [R, 1, positions...] at other sizes: bilinear, positions being centres of pixels (half_pixel).
Value resized_picture(Builder& b, Value picture, const std::vector<int64_t>& sizes);

enum class Channels {
  share,  // each gets an equal part of a position's value
  all,    // each gets all of it
};

// A picture over the positions of a map, [R, 1, positions...], spread over an input of the model. Reshapes and
// transposes that the model begins with are undone, so that inputs with channels last or flat inputs fit too.
Value picture_over_input(Builder& b, const Graph& model, Value input, Value picture, Channels channels);

}  // namespace ascribe::core
