#include "study/labels.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/error.h"
#include "base/file.h"
#include "methods/compile.h"

namespace ascribe::core::study {

namespace {

constexpr size_t kLargestLabels = size_t{1} << 26;

}  // namespace

std::vector<std::string> read_labels(const std::string& path) {
  std::vector<std::string> labels;
  if (path.empty()) return labels;
  const std::string text = read_file(path, kLargestLabels);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string label = text.substr(at, end - at);
    if (label.ends_with('\r')) label.pop_back();
    labels.push_back(label);
    at = end + 1;
  }
  while (!labels.empty() && labels.back().empty()) labels.pop_back();
  if (labels.empty()) fail(ErrorKind::io, path, "the file holds no labels; expected one per line");
  return labels;
}

namespace {

constexpr size_t kMostLabelsTold = 20;

// What a target may be called.
std::string labels_there_are(const std::vector<std::string>& labels) {
  if (labels.empty()) return "its label with `labels`";
  const std::span some(labels.data(), std::min(labels.size(), kMostLabelsTold));
  return fmt::format("one of the labels: {}{}", fmt::join(some, ", "), labels.size() > kMostLabelsTold ? ", ..." : "");
}

}  // namespace

int64_t class_index(const std::string& text, const std::vector<std::string>& labels, std::string_view words) {
  int64_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error == std::errc() && end == text.data() + text.size()) return index;
  const auto found = std::find(labels.begin(), labels.end(), text);
  if (found == labels.end()) {
    fail(ErrorKind::argument, "target", "got '{}'; expected {}, the number of a class, or {}", text, words,
         labels_there_are(labels));
  }
  if (std::find(found + 1, labels.end(), text) != labels.end()) {
    fail(ErrorKind::argument, "target", "several classes are called '{}'; give the number of one", text);
  }
  return found - labels.begin();
}

std::vector<std::string> labels_in_file(const Model& model, const std::string& output) {
  const Port& port = explained_output(model.graph(), output);
  const auto found = model.info().labels.find(port.name);
  if (found == model.info().labels.end() || std::ssize(found->second) != target_count(model.graph(), port)) return {};
  for (size_t i = 0; i < found->second.size(); ++i) {
    if (found->second[i] != std::to_string(i)) return found->second;
  }
  return {};  // the numbers that classes have anyway
}

void check_labels(const std::vector<std::string>& labels, const OutputForm& output, const std::string& where) {
  if (const int64_t classes = output.class_count(); !labels.empty() && std::ssize(labels) != classes) {
    fail(ErrorKind::shape, where, "the labels do not fit the output '{}'; got {} labels; expected {}", output.name,
         labels.size(), classes);
  }
}

}  // namespace ascribe::core::study
