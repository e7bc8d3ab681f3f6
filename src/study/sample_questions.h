// Samples of a data set as questions about a model, for verbs that go through many of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "metrics/metric.h"
#include "study/question.h"

namespace ascribe::core::study {

struct SampleQuestion {
  RowQuestion question;  // whose source is the name of the sample
  int64_t label = -1;    // the class that the data say; -1: they do not
  int64_t top = 0;       // the class that the model says
  PixelMask object;      // where the object is; empty: not known
};

class SampleAsker {
 public:
  // The request without its rows; its target may also be "label", the class that the data say. Request and notes
  // outlive this.
  SampleAsker(const Subject& subject, const QuestionRequest& request, uint64_t seed, std::vector<std::string>& notes);

  // `numbers`: of the samples in their data set, if it is known.
  std::vector<SampleQuestion> ask(std::span<const Sample> samples, std::span<const int64_t> numbers = {});
  SampleQuestion ask(const Sample& sample) { return std::move(ask(std::span(&sample, 1))[0]); }
  const Shape& row() const { return row_; }  // that is explained

 private:
  void ask_together(std::span<const Sample> samples, std::span<const int64_t> numbers,
                    std::vector<SampleQuestion>& asked);
  std::vector<int64_t> labels_of_samples(std::span<const Sample> samples) const;

  Model& model_;
  const QuestionRequest& request_;
  std::vector<std::string>& notes_;
  const Entrance* entrance_;
  Model& outer_;
  size_t input_;  // of the outer model: the one that samples are for
  InputSlot slot_;
  Shape row_;
  DataOptions fitting_;
  QuestionMaker maker_;
};

// The input of the file's model that samples are for; the others follow from it. Refuses a model of which this cannot
// be said.
size_t sample_input(const Subject& subject);

// What one sample may be left out for; anything else concerns all of them.
bool of_one_sample(ErrorKind kind);

// The subject with the sizes of the first sample, where the file leaves some open.
Subject sized(const Subject& subject, Dataset& data, const RowSource& reading, std::vector<std::string>& notes);

// The same; a first sample that cannot be read is told when it is asked about.
Subject sized_by_first(const Subject& subject, Dataset& data, const RowSource& reading,
                       std::vector<std::string>& notes);

// Everything that a sample says, to be hashed.
std::string bytes_of(const Sample& sample);

// {description, samples, sha256 of the first}: what tells these data from others, at a glance.
Json identity_of(Dataset& data);

}  // namespace ascribe::core::study
