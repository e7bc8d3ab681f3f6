// Rows of data as questions, some at a time: a data set is never in memory as a whole where its file can be read in
// parts, and a row that cannot be asked about (a number is missing, the model's output is not finite) is told by itself
// instead of stopping all others.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "study/question.h"

namespace ascribe::core::study {

struct RowFailure {
  int64_t number = 0;  // of the row in the stream
  std::string source, reason;
};

struct AskedRows {
  std::vector<RowQuestion> questions;  // whose `number` is that of the row, as RowSource has it
  std::vector<RowFailure> failures;
};

class RowStream {
 public:
  virtual ~RowStream() = default;
  virtual int64_t size() const = 0;  // rows in the data
  virtual Json identity() = 0;       // what tells these data from others
  // In rising order is quickest.
  AskedRows ask(std::span<const int64_t> numbers);
  const Subject& subject() const { return subject_; }  // that is ready for the questions
  const std::string& description() const { return description_; }

 protected:
  RowStream(Subject subject, std::string description)
      : subject_(std::move(subject)), description_(std::move(description)) {}
  virtual std::vector<RowQuestion> ask_together(std::span<const int64_t> numbers) = 0;
  virtual std::string name_of(int64_t number) const = 0;

 private:
  Subject subject_;
  std::string description_;
};

// Of all rows of the request, whatever `rows` of them it chooses. The request and the notes outlive it; its players may
// be changed between questions.
std::unique_ptr<RowStream> open_rows(const Subject& subject, const QuestionRequest& request, uint64_t seed,
                                     std::vector<std::string>& notes);

}  // namespace ascribe::core::study
