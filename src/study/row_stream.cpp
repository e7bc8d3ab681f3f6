#include "study/row_stream.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "data/given_dataset.h"
#include "data/open_dataset.h"
#include "data/table.h"
#include "study/asked.h"
#include "study/entrance.h"
#include "study/records/content_hash.h"
#include "study/sample_questions.h"
#include "tensor/rows.h"

namespace ascribe::core::study {

namespace {

class DatasetRows : public RowStream {
 public:
  DatasetRows(const Subject& subject, std::shared_ptr<Dataset> data, const QuestionRequest& request, uint64_t seed,
              std::vector<std::string>& notes)
      : RowStream(subject, data->description), data_(std::move(data)), asker_(subject, request, seed, notes) {}

  int64_t size() const override { return data_->size(); }
  Json identity() override {
    return Json::object({{"description", data_->description},
                         {"samples", data_->size()},
                         {"sha256", content_of_data("data", *data_).sha256}});
  }

 private:
  std::vector<RowQuestion> ask_together(std::span<const int64_t> numbers) override {
    std::vector<Sample> samples;
    for (const int64_t number : numbers) samples.push_back(data_->read(number));
    std::vector<RowQuestion> questions;
    for (SampleQuestion& asked : asker_.ask(samples, numbers)) questions.push_back(std::move(asked.question));
    return questions;
  }
  std::string name_of(int64_t number) const override { return fmt::format("row {}", number); }

  std::shared_ptr<Dataset> data_;
  SampleAsker asker_;
};

// Rows of several inputs, of categories or of tokens, which are read together.
class ReadRows : public RowStream {
 public:
  ReadRows(const Subject& subject, const QuestionRequest& request, uint64_t seed, std::vector<std::string>& notes)
      : RowStream(subject, ""), request_(request), notes_(notes), maker_(subject, request, seed, notes) {
    RowSource all = request.rows;
    all.rows.clear();
    inputs_ = read_inputs(subject.outer(), all, subject.model().precision(), notes);
  }

  int64_t size() const override { return std::ssize(inputs_.sources); }
  Json identity() override {
    Json hashes = Json::list();
    for (const Tensor& rows : inputs_.tensors) hashes.push(hash_of(rows));
    return Json::object({{"samples", size()}, {"sha256", std::move(hashes)}});
  }

 private:
  std::vector<RowQuestion> ask_together(std::span<const int64_t> numbers) override {
    ModelInputs some = inputs_;
    some.sources.clear();
    for (const int64_t number : numbers) some.sources.push_back(inputs_.sources[static_cast<size_t>(number)]);
    for (Tensor& rows : some.tensors) {
      if (rows.rank() > 0 && rows.shape()[0] == size()) rows = take_rows(rows, numbers);
    }
    if (const Entrance* entrance = subject().entrance()) {
      some = entrance->enter(std::move(some), notes_);
      for (Tensor& rows : some.tensors) {
        if (kind_of(rows.dtype()) == Kind::real) rows = rows.cast(subject().model().precision());
      }
    }
    maker_.use_rows(std::move(some), request_.rows.where());
    maker_.take_baselines();
    maker_.take_targets(numbers);
    if (!maker_.same_for_all_rows()) {
      fail(ErrorKind::argument, "target", "'{}' reads other numbers of every row; expected a target that all share",
           request_.target_text());
    }
    for (size_t i = 0; i < numbers.size(); ++i) maker_.questions()[i].number = request_.rows.number_of(numbers[i]);
    return std::move(maker_.questions());
  }
  std::string name_of(int64_t number) const override { return inputs_.sources[static_cast<size_t>(number)]; }

  const QuestionRequest& request_;
  std::vector<std::string>& notes_;
  QuestionMaker maker_;
  ModelInputs inputs_;
};

// Whether rows are one real input each, which is what samples of a data set are.
bool takes_samples(const Subject& subject) {
  if (!subject.open_inputs().empty()) return true;  // told by whoever asks
  const Model& model = subject.outer();
  return model.graph().inputs.size() == 1 && input_slot(model, 0, DType::f64).dtype == DType::f64;
}

std::shared_ptr<Dataset> dataset_of(const Subject& subject, const QuestionRequest& request) {
  const RowSource& rows = request.rows;
  if (!takes_samples(subject) || !rows.contents.empty() || rows.files.size() + rows.arrays.size() != 1) return nullptr;
  if (!rows.arrays.empty()) {
    const Tensor& values = rows.arrays[0].values;
    if (values.rank() < 2) return nullptr;
    std::vector<std::string> names = rows.names;
    for (size_t i = names.size(); i < rows.numbers.size(); ++i) names.push_back(fmt::format("row {}", rows.numbers[i]));
    return dataset_of_rows(values, {}, std::move(names), rows.feature_names);
  }
  const std::string& file = rows.files[0];
  const bool folder = std::filesystem::is_directory(file);
  DatasetOptions options;
  options.columns = rows.columns;
  options.classes = labels_of(request);
  if (folder) return open_dataset(file, options);
  // A table may also be one series, with a line for each step; images and archives are read as a whole.
  const bool table = is_table_name(file);
  if (table && (!subject.open_inputs().empty() || input_slot(subject.outer(), 0, DType::f64).row.size() != 1))
    return nullptr;
  if (!table && !rows.columns.empty()) return nullptr;
  try {
    return open_dataset(file, options);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled || error.kind() == ErrorKind::internal) throw;
    return nullptr;  // reading it says what is wrong
  }
}

}  // namespace

AskedRows RowStream::ask(std::span<const int64_t> numbers) {
  AskedRows asked;
  try {
    asked.questions = ask_together(numbers);
    return asked;
  } catch (const Error& error) {
    if (!of_one_sample(error.kind())) throw;
  }
  for (const int64_t number : numbers) {
    poll();
    try {
      asked.questions.push_back(std::move(ask_together(std::array{number}).at(0)));
    } catch (const Error& error) {
      if (!of_one_sample(error.kind())) throw;
      asked.failures.push_back({number, name_of(number), error.what()});
    }
  }
  return asked;
}

std::unique_ptr<RowStream> open_rows(const Subject& given, const QuestionRequest& request, uint64_t seed,
                                     std::vector<std::string>& notes) {
  if (std::shared_ptr<Dataset> data = dataset_of(given, request)) {
    const Subject of_size = sized_by_first(given, *data, request.rows, notes);
    QuestionRequest without_rows = request;  // the data set has them
    without_rows.rows.files.clear();
    without_rows.rows.arrays.clear();
    const Subject subject = asked(of_size, without_rows, notes, false);
    return std::make_unique<DatasetRows>(subject, std::move(data), request, seed, notes);
  }
  const Subject subject = asked(given, request, notes);
  return std::make_unique<ReadRows>(subject, request, seed, notes);
}

}  // namespace ascribe::core::study
