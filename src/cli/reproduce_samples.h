// Images of a data set as questions about one network, for the experiments of ascribe reproduce.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/reproduce.h"
#include "data/dataset.h"
#include "methods/explained_model.h"
#include "metrics/metric.h"

namespace ascribe::core {

// The test part of the data that the request names.
std::unique_ptr<Dataset> open_images(const ReproduceRequest& request);
// With boxes: those of the data, or objects placed on clutter if they have none.
std::unique_ptr<Dataset> open_objects(const ReproduceRequest& request);

// {description, samples, sha256 of the first images}: what tells these data from others.
nlohmann::ordered_json identity_of(Dataset& data);

struct SampleQuestion {
  Question question;
  std::string name;
  int64_t label = -1;  // the class that the data say; -1: they do not
  int64_t predicted = 0;
  std::optional<RowPicture> picture;
  PixelMask object;  // empty: not known
};

enum class AskedClass { predicted, labelled };

class SampleQuestions {
 public:
  // `players` as --players names them. The baseline is zero.
  SampleQuestions(const PaperRun& run, const Network& network, DType precision, std::string players);

  SampleQuestion ask(const Sample& sample, AskedClass which);
  ExplainedModel& model() { return *model_; }
  const Shape& row() const { return slot_.row; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  InputSlot slot_;
  DataOptions options_;
  std::string players_;
  std::unique_ptr<ExplainedModel> model_;
  Tensor baseline_;
  std::vector<std::string> notes_;
};

// Baselines around the common one, b + N(0, sigma^2), for the methods that average over several.
Tensor noisy_baselines(const Shape& row, double sigma, int64_t count, uint64_t seed);

}  // namespace ascribe::core
