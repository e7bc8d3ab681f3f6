#include "cli/target.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "methods/compile.h"

namespace ascribe::core {

int64_t class_index(const std::string& text, const std::vector<std::string>& labels, std::string_view words) {
  int64_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error == std::errc() && end == text.data() + text.size()) return index;
  const auto found = std::find(labels.begin(), labels.end(), text);
  if (found == labels.end()) {
    fail(ErrorKind::argument, "--target", "got '{}'; expected {}, the number of a class, or {}", text, words,
         labels.empty() ? "its label with --labels" : "a label of the file");
  }
  if (std::find(found + 1, labels.end(), text) != labels.end()) {
    fail(ErrorKind::argument, "--target", "several classes are called '{}'; give the number of one", text);
  }
  return found - labels.begin();
}

void check_labels(const std::vector<std::string>& labels, const Graph& model, const Port& output,
                  const std::string& path) {
  if (const int64_t classes = target_count(model, output); !labels.empty() && std::ssize(labels) != classes) {
    fail(ErrorKind::shape, path, "the labels do not fit the output '{}'; got {} labels; expected {}", output.name,
         labels.size(), classes);
  }
}

}  // namespace ascribe::core
