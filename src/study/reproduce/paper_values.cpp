#include "study/reproduce/paper_values.h"

#include <map>

#include "base/error.h"

namespace ascribe::core::study::paper {

PaperFittingError paper_fitting_error(std::string_view method) {
  static const std::map<std::string_view, PaperFittingError> kTable4 = {
      {"gradient_x_input", {"0", "0"}},
      {"occlusion", {"0", "2.46 %"}},
      {"occlusion_patch", {"0", "2.36 %"}},
      {"prediction_difference", {"0", "2.69 %"}},
      {"integrated_gradients", {"0.12 %", "0.82 %"}},
      {"expected_gradients", {"0.16 %", "0.90 %"}},
      {"shapley", {"0", "1.18 %"}},
  };
  const auto found = kTable4.find(method);
  require(found != kTable4.end(), method, "the paper's Table 4 does not have it");
  return found->second;
}

std::array<bool, 3> paper_verdicts(std::string_view method) {
  static const std::map<std::string_view, std::array<bool, 3>> kTable5 = {
      {"gradient_x_input", {false, true, true}},  {"occlusion", {true, true, false}},
      {"occlusion_patch", {true, false, false}},  {"prediction_difference", {true, true, false}},
      {"grad_cam", {false, true, true}},          {"integrated_gradients", {true, true, true}},
      {"expected_gradients", {true, true, true}}, {"shapley", {true, true, true}},
      {"lrp_epsilon", {false, true, true}},       {"lrp_alpha_beta", {true, false, true}},
      {"deep_taylor", {true, false, true}},       {"deeplift_rescale", {true, true, true}},
      {"deep_shap", {true, true, true}},          {"deeplift_reveal_cancel", {true, true, true}},
  };
  const auto found = kTable5.find(method);
  require(found != kTable5.end(), method, "the paper's Table 5 does not have it");
  return found->second;
}

}  // namespace ascribe::core::study::paper
