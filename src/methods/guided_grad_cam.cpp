// Guided Grad-CAM: a = g * upsample(ReLU(m)), g guided backpropagation and m the map of Grad-CAM, element by element.
// Source: Selvaraju et al., "Grad-CAM: Visual Explanations from Deep Networks via Gradient-based Localization" (2017),
// section 3.2.
#include "methods/grad_cam.h"

namespace ascribe::core::method_guided_grad_cam {
namespace {

std::vector<Value> graph(const AttributionRequest& r) {
  std::vector<Value> attributions = method_named("guided_backprop").graph(r);  // it has no parameters
  r.layer_map = grad_cam_map(r);
  for (size_t i = 0; i < attributions.size(); ++i) {
    attributions[i] = r.b.mul(attributions[i], grad_cam_picture(r, r.layer_map, r.inputs[i], Channels::all));
  }
  return attributions;
}

const RegisterMethod guided_grad_cam(
    {.name = "guided_grad_cam",
     .title = "Guided Grad-CAM",
     .formula = "a = guided backpropagation * upsample(ReLU(sum over k of alpha_k A^k))",
     .source = "Selvaraju, Cogswell, Das, Vedantam, Parikh, Batra 2017",
     .about =
         "The fine picture of guided backpropagation, seen through the coarse window of Grad-CAM: what the network "
         "responds to, where that speaks for the target. All channels of a pixel get the map's whole value.",
     .cost = "one forward and two backward passes",
     .use = "For illustrations that are sharp and depend on the class.",
     .limits = "Like guided backpropagation it hardly depends on the weights; the class decides where the "
               "picture is bright, not what is in it. Values have no unit and do not sum to the output.",
     .kind = AttributionKind::sensitivity,
     .parameters = grad_cam_parameters(),
     .graph = graph});

}  // namespace
}  // namespace ascribe::core::method_guided_grad_cam
