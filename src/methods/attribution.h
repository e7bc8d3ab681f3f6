// What a method answers, with an account of how far it can be relied on.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "methods/question.h"

namespace ascribe::core {

enum class AttributionKind {
  contribution,  // shares of the output, in its units
  sensitivity,   // slopes: what a change of the input would do
};
std::string_view to_string(AttributionKind kind);

// What the values of a method are held against.
enum class Total {
  change,  // f(x) - f(b)
  output,  // f(x)
};

struct Attribution {
  std::vector<double> values;           // per player
  Tensor elements;                      // of the input's row shape, double: what pictures show
  std::vector<double> standard_errors;  // per player, if something was sampled; otherwise empty
  // Of the standard errors: independent draws less what they had to fit; infinite: as good as known.
  double degrees_of_freedom = std::numeric_limits<double>::infinity();
  bool of_players = false;  // elements show the value of their player, not shares of their own
  bool exact = true;        // false: sampled, or an integral that misses more than its tolerance
  double output = 0, baseline_output = 0;
  double residual = 0;              // the method's total less the sum of the values
  int64_t evaluations = 0;          // rows that went through the network, forwards or backwards
  std::optional<Tensor> layer_map;  // Grad-CAM: the map before ReLU and up-sampling, [height, width]
  std::vector<std::string> layers;  // whose map it is, by the names of their nodes
  std::vector<std::string> notes;

  double sum() const;
  // Half the width of each player's 95 % interval; empty if nothing was sampled (methods/spread.h).
  std::vector<double> intervals() const;
};

// Values of elements, each owned by a player or by nobody: a player's value is the sum over its elements.
Attribution attribution_of_elements(const Question& question, Tensor elements, double output, double baseline_output,
                                    Total total = Total::change);
// Values of players: each is shown at all of the player's elements.
Attribution attribution_of_players(const Question& question, std::vector<double> values, double output,
                                   double baseline_output, Total total = Total::change);

}  // namespace ascribe::core
