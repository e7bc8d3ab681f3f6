// The map of Grad-CAM as nodes, for the methods that build on it.
#pragma once

#include "methods/layers.h"
#include "methods/method.h"

namespace ascribe::core {

// m = sum over k of alpha_k A^k, alpha_k = mean over positions of df/dA^k: [R, 1, positions...]. With several layers,
// their maps combined (grad_cam.cpp). Says in the request's notes which layers it took.
Value grad_cam_map(const AttributionRequest& request);
// Its picture over an input of the request: ReLU if it is asked for, up-sampled.
Value grad_cam_picture(const AttributionRequest& request, Value map, Value input, Channels channels);
std::vector<Parameter> grad_cam_parameters();

}  // namespace ascribe::core
