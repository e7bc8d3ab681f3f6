// What the paper reports, to be shown beside what is measured here. Nothing is computed from it.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace ascribe::core::study::paper {

struct PaperFittingError {
  std::string polynomial, sigmoid_mlp;  // as printed in Table 4
};

PaperFittingError paper_fitting_error(std::string_view method);  // of the seven of Table 4
std::array<bool, 3> paper_verdicts(std::string_view method);     // of Table 5: low error, no unrelated, complete

}  // namespace ascribe::core::study::paper
