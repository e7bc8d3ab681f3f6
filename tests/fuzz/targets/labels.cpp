// Files of labels: lines, and the three forms in JSON.
#include "study/labels.h"
#include "fuzz/target.h"

namespace ascribe::core::fuzz::target_labels {
namespace {

void feed(Bytes bytes) {
  const std::string text = text_of(bytes);
  const auto labels = study::read_labels(scratch_file("labels.txt", text));
  hold(!labels.empty() && labels.size() <= text.size(), "as many labels as a file can hold");
  for (const std::string& word : {labels.front(), labels.back(), std::string("0"), std::string("nobody")}) {
    try {
      study::class_index(word, labels, "top");
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
    }
  }
  study::read_labels(scratch_file("labels.json", text));
}

const RegisterTarget registered({"labels", "labels as lines and as JSON", Form::json, 2048, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_labels
