// The gradient integrated along straight paths from baselines to x,
//   a_i = (x_i - b_i) * integral over t in [0, 1] of df/dx_i (b + t (x - b)),
// by Gauss-Legendre quadrature. Integrated and expected gradients are means of such paths.
//
// Adaptive: a piece of the path is halved as long as its sum differs from how much f grows between its ends; pieces
// that are good enough are kept. How fast the misses fall from round to round tells whether the tolerance is within
// reach of the nodes that may be spent; where it is not, a path may stop when it is good `enough`.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "methods/method.h"
#include "methods/path_space.h"

namespace ascribe::core {

struct PathRule {
  int64_t steps = 0;     // nodes; 0: as many as the tolerance asks for
  double tolerance = 0;  // what the pieces may miss together, relative to f(x) - f(b); 0: 1e-4 in float, 1e-9 in double
  int64_t most = 512;    // nodes that the adaptive rule may spend on a path
  double enough = 0;  // of f(x) - f(b): what may be missed where kinks put the tolerance out of reach; 0: all is spent
};

// The parameters of a method that integrates: steps, tolerance, most, enough.
std::vector<Parameter> path_parameters(int64_t most);
PathRule path_rule(const Parameters& parameters);

struct Path {
  const Question* question;
  std::span<const double> baseline;    // a row
  std::optional<double> only_at = {};  // this t alone stands for the integral: a random draw of it
};

struct PathIntegral {
  std::vector<double> values;  // a, per element
  double output = 0, baseline_output = 0;
  double missed = 0;  // what the pieces of the path miss of f(x) - f(b), without regard to sign
  int64_t nodes = 0;  // points at which a gradient was taken
};

// Integrates all paths and hands over each result, in order; paths share batches.
void integrate_paths(ExplainedModel& model, std::span<const Path> paths, const PathRule& rule,
                     const std::function<void(size_t path, PathIntegral&& result)>& receive,
                     const Progress& progress = {}, Road road = Road::shorter);

// Where the paths of one question begin.
struct PathStarts {
  Tensor baselines;             // rows, in double
  std::vector<double> only_at;  // one for each, or none: see Path
  bool drawn = false;           // there were others to draw: standard errors are given
  double unseen = 1;            // the share of them that was not drawn: 1 if there is no end of them
};

// The mean over each question's paths.
std::vector<Attribution> attribution_of_paths(ExplainedModel& model, std::span<const Question> questions,
                                              std::span<const PathStarts> starts, const PathRule& rule,
                                              const Progress& progress);

// The same as a graph: one copy of the model, with `steps` rows for each row of x.
std::vector<Value> append_path_integral(const AttributionRequest& request, int64_t steps);

}  // namespace ascribe::core
