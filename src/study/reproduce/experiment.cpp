#include "study/reproduce/experiment.h"

#include <filesystem>

#include "base/random.h"
#include "data/datasets/placed_objects.h"
#include "data/open_dataset.h"

namespace ascribe::core::study::paper {

namespace {

constexpr const char* kFashion = "/usr/share/datasets/fashion-mnist";
constexpr uint64_t kBaselineStream = 0x6261736573;

}  // namespace

std::string PaperRun::journal(const std::string& part) const {
  return (std::filesystem::path(request.folder) / fmt::format("{}-{}.journal", name, part)).string();
}

Progress PaperRun::progress(const std::string& part) const {
  return running.progress_of(fmt::format("{}, {}", name, part));
}

Subject PaperRun::open(const Network& network, std::optional<DType> precision) const {
  return Subject::open({.path = network.path, .precision = precision, .memory = request.memory});
}

std::unique_ptr<Dataset> PaperRun::images() const {
  std::error_code ignored;
  if (request.data.empty() && !std::filesystem::is_directory(kFashion, ignored)) {
    fail(ErrorKind::io, kFashion,
         "there is no such folder; install Debian's package dataset-fashion-mnist, or give `data`, a folder with the "
         "idx files of MNIST");
  }
  return open_dataset(request.data.empty() ? kFashion : request.data);
}

std::unique_ptr<Dataset> PaperRun::objects() const {
  std::unique_ptr<Dataset> data = images();
  return data->boxed ? std::move(data) : place_objects(std::move(data), running.seed());
}

QuestionRequest PaperRun::question(const std::string& players, const std::string& target) const {
  QuestionRequest question;
  question.players = players;
  question.target = target;
  question.rows.preprocess = request.preprocess;
  return question;
}

Tensor noisy_baselines(const Shape& row, double sigma, int64_t count, uint64_t seed) {
  Tensor rows(DType::f64, with_rows(row, count));
  auto values = rows.mutable_data<double>();
  const Random random(seed, kBaselineStream);
  for (size_t i = 0; i < values.size(); ++i) values[i] = sigma * random.normal(i);
  return rows;
}

bool averages_over_baselines(const Method& method) {
  return method.name == "expected_gradients" || method.name == "prediction_difference";
}

}  // namespace ascribe::core::study::paper
