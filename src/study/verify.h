// verify: every method as it runs, against its allocation rule applied to the effects up to an order
// (docs/howto/verify.md). In double.
#pragma once

#include <string>
#include <vector>

#include "study/question.h"
#include "theory/module_verification.h"
#include "theory/verification.h"

namespace ascribe::core::study {

struct VerifyRequest {
  QuestionRequest question = {};
  VerificationOptions verification = {};
  int64_t inputs = 4;            // at most so many rows are used
  std::vector<double> smooth;    // temperatures of softplus in the place of kinks; none: the model as it is
  size_t memory = kUsualMemory;  // for the bundled models
  Run run = {};
};

// One model with one partition into players.
struct VerifiedModel {
  std::string model;
  std::string players;
  int64_t inputs = 0;
  std::vector<std::string> notes;
  VerificationResult result;
};

// lrp_epsilon against x * gradient on one ReLU network.
struct EpsilonError {
  std::string model;
  double epsilon = 0;
  Mean error;
};

// A model whose kinks are smoothed at one temperature (passes/smooth_kinks.h). Targets and baselines are those of the
// model itself.
struct SmoothedModel {
  double temperature = 0;
  double output_difference = 0;  // sum over the inputs of |f_T(x) - f(x)| / sum of |f(x)|
  VerifiedModel verified;
};

struct VerifyResult {
  uint64_t seed = 0;
  int64_t draws = 0;
  std::vector<VerifiedModel> models;
  std::vector<SmoothedModel> smoothed;  // instead of models, one for each temperature that was asked for
  // What is verified on parts of networks: of the bundled ones, without a choice of methods.
  std::vector<ModuleError> modules;
  std::vector<EpsilonError> epsilon;
};

// Without a model: the bundled polynomials and sigmoid network, and parts of networks; with temperatures, the bundled
// network for tables, which has ReLUs.
VerifyResult verify(const VerifyRequest& request);
VerifyResult verify(const Subject& subject, const VerifyRequest& request);

Json to_json(const VerifyResult& result);

}  // namespace ascribe::core::study
