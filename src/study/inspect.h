// inspect: what a model file holds, and whether it can be run. A model with operators that cannot be read is still
// described.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/layers.h"
#include "study/ports.h"
#include "study/subject.h"

namespace ascribe::core::study {

struct InspectRequest {
  ModelSource model;
  bool layers = false;  // list them too
};

struct OperatorCount {
  std::string name;
  int count = 0;
  bool supported = false;
};

// Of a model that can be run.
struct RunnableModel {
  std::vector<PortInfo> inputs, outputs;
  bool batched = false;
  std::string rows;             // in words: "any number N at a time"
  std::string why_not_batched;  // if it should have been, but could not
  DType precision = DType::f32;
  Cost cost;
  size_t weight_bytes = 0, arena_bytes_per_row = 0;
  std::vector<std::string> notes;
};

struct InspectResult {
  std::string model;  // its path
  ModelInfo info;
  std::vector<OperatorCount> operators;
  std::optional<RunnableModel> runnable;
  std::optional<Error> refusal;                  // why it cannot be run
  std::optional<std::vector<LayerInfo>> layers;  // if they were asked for, and it can be run
};

InspectResult inspect(const InspectRequest& request);
InspectResult inspect(const Subject& subject, bool layers = false);  // of a model that is open

Json to_json(const InspectResult& result);

}  // namespace ascribe::core::study
