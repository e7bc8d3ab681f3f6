// An attribution per element and per pixel, so that sums over any part of the input make sense: the elements of a
// player sum to its value, also for methods that know players only.
#pragma once

#include "methods/method.h"

namespace ascribe::core {

// Of the input's row shape, in double. Methods that value elements: their values. Methods that value players: a
// player's value in equal parts at its elements. Elements that nobody owns have 0.
Tensor element_shares(const Method& method, const Question& question, const Attribution& attribution);

// Every player's value in equal parts at its elements, whatever the method values: maps of one granularity.
Tensor player_shares(const Question& question, const Attribution& attribution);

// Sums over the channels, row by row. The question's players must have an image.
std::vector<double> pixel_shares(const Method& method, const Question& question, const Attribution& attribution);
std::vector<double> pixel_sums(const Question& question, const Tensor& shares);

}  // namespace ascribe::core
