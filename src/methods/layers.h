// Layers inside a network that hold pictures: maps [rows, channels, positions...], by the name that the model's file
// gives the node.
#pragma once

#include <string>

#include "graph/builder.h"

namespace ascribe::core {

// The map that the named node computes; an empty name is the last convolution with more than one position. Fails, kind
// argument, if there is no such map, and lists those that there are; kind unsupported if an empty name finds none.
Value map_layer(const Graph& model, const std::string& name, std::string_view where);

enum class Channels {
  share,  // each gets an equal part of a position's value
  all,    // each gets all of it
};

// A picture over the positions of a map, [R, 1, positions...], spread over an input of the model: bilinear, positions
// being centres of pixels (half_pixel). Reshapes and transposes that the model begins with are undone, so that inputs
// with channels last or flat inputs fit too.
Value picture_over_input(Builder& b, const Graph& model, Value input, Value picture, Channels channels);

}  // namespace ascribe::core
