// The kernel of a process through draws of the odd half of a game. Players weigh by what a first regression finds and,
// with draws enough to tell, by how much the process finds them to have to do with others; steepness, noise and which
// of these weights are those under which some of the draws are likeliest. Sets of three and five that say more than
// chance lets any say vary on their own: trees have few of five players, and what they do is no noise.
#pragma once

#include <cstdint>
#include <vector>

#include "game/estimators/odd_process.h"
#include "game/estimators/paired_design.h"

namespace ascribe::core {

struct OddDraws {
  const PairedDesign& design;
  std::vector<double> y;  // in units of their standard deviation
  double full;            // y of everyone
  bool slopes;            // there are enough pairs to know them

  OddProcess process(OddKernel kernel, const std::vector<int64_t>& pairs) const;
  OddProcess process(const OddKernel& kernel, int64_t from, int64_t count) const {
    return process(kernel, range(from, count));
  }
  std::vector<double> rows(const std::vector<int64_t>& pairs) const;  // their signs
  static std::vector<int64_t> range(int64_t from, int64_t count);
};

struct ChosenKernel {
  OddKernel kernel;
  double calibration = 1;  // what is missed at draws that a process is not shown, squared, in units of what it expects
};

// `slopes`: of a first regression.
ChosenKernel choose_kernel(const OddDraws& draws, const std::vector<double>& slopes);

}  // namespace ascribe::core
