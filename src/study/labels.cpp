#include "study/labels.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/closest_name.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json_place.h"
#include "methods/compile.h"

namespace ascribe::core::study {

namespace {

constexpr size_t kLargestLabels = size_t{1} << 26;
constexpr int64_t kMostClasses = int64_t{1} << 30;
constexpr size_t kMostLines = size_t{1} << 22;
constexpr size_t kDeepest = 8;  // lists and objects in one another; no map of classes has more than two
constexpr std::string_view kJsonForms =
    R"(["tench", ...], {"0": "tench", ...}, {"tench": 0, ...} or {"0": ["n01440764", "tench"], ...})";

// ---- JSON ----

// A class as texts or lists have it: of a list, the last text is the one for people, as in ["n01440764", "tench"].
std::string label_at(const JsonPlace& place) {
  if (place.json().is_text()) return place.text();
  if (!place.json().is_list() || place.length() == 0) place.complain("a label, or a list that ends with one");
  return place.item(place.length() - 1).text();
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Classes by number. A number that is missing or there twice would give every later class a wrong name.
class NumberedLabels {
 public:
  NumberedLabels(const JsonPlace& place, size_t count) : place_(place), labels_(count), taken_(count, false) {}

  void add(int64_t number, std::string label) {
    if (number < 0 || number >= std::ssize(labels_)) {
      place_.refuse(fmt::format("has the class {} ('{}') among {}; expected every number from 0 to {} once", number,
                                label, labels_.size(), labels_.size() - 1));
    }
    const auto at = static_cast<size_t>(number);
    if (taken_[at]) {
      place_.refuse(fmt::format("has the class {} twice: '{}' and '{}'", number, labels_[at], label));
    }
    taken_[at] = true;
    labels_[at] = std::move(label);
  }

  // Every class is there: there are as many as labels, none twice and none outside.
  std::vector<std::string> taken() && { return std::move(labels_); }

 private:
  const JsonPlace& place_;
  std::vector<std::string> labels_;
  std::vector<bool> taken_;
};

// Members are looked for by name only to complain of them: there may be many.
std::string label_of(const JsonMember& member, const JsonPlace& place) {
  const Json& value = member.value;
  if (value.is_text()) return value.text();
  if (value.is_list() && value.size() > 0 && value.items().back().is_text()) return value.items().back().text();
  return label_at(place.at(member.key));
}

int64_t class_of(const JsonMember& member, const JsonPlace& place) {
  const Json& value = member.value;
  const bool plain = value.is_integer() && value.number() >= 0 && value.number() <= static_cast<double>(kMostClasses);
  return plain ? value.integer() : place.at(member.key).whole(0, kMostClasses);
}

std::vector<std::string> labels_of_object(const JsonPlace& place) {
  const Json::Members& members = place.members();
  NumberedLabels labels(place, members.size());
  const bool by_label = members[0].value.is_number();
  for (const JsonMember& member : members) {
    if (member.value.is_number() != by_label) {
      place.at(member.key)
          .complain(by_label ? "the number of a class, as in the line before" : "a label, as in the line before");
    }
    if (by_label) {
      labels.add(class_of(member, place), member.key);
      continue;
    }
    const auto number = whole_number(member.key);
    if (!number)
      place.refuse(fmt::format("has the key '{}'; expected numbers of classes, as in {}", member.key, kJsonForms));
    labels.add(*number, label_of(member, place));
  }
  return std::move(labels).taken();
}

std::vector<std::string> labels_of_json(const std::string& text, const std::string& path) {
  const Json json = parse_json(text, path, ErrorKind::io, {.depth = kDeepest, .values = kLargestLabels});
  const JsonPlace place(json, path);
  std::vector<std::string> labels;
  if (json.is_list()) {
    for (const JsonPlace& item : place.items()) labels.push_back(label_at(item));
  } else if (json.is_object() && json.size() > 0) {
    labels = labels_of_object(place);
  }
  if (labels.empty()) fail(ErrorKind::io, path, "the file holds no labels; expected {}", kJsonForms);
  return labels;
}

// A list of lines may begin with any text; JSON is what is called so, or what opens as an object or a list of texts.
bool is_json(std::string_view text, const std::string& path) {
  if (path.ends_with(".json")) return true;
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || (text[first] != '{' && text[first] != '[')) return false;
  const size_t next = text.find_first_not_of(" \t\r\n", first + 1);
  return next != text.npos && (text[next] == '"' || text[next] == '[');
}

}  // namespace

std::vector<std::string> read_labels(const std::string& path) {
  std::vector<std::string> labels;
  if (path.empty()) return labels;
  const std::string text = read_file(path, kLargestLabels);
  if (is_json(text, path)) return labels_of_json(text, path);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string label = text.substr(at, end - at);
    if (label.ends_with('\r')) label.pop_back();
    if (labels.size() == kMostLines)
      fail(ErrorKind::io, path, "there are more than {} lines; expected one per class", kMostLines);
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
    fail(ErrorKind::argument, "target", "got '{}'; {}", text,
         expected(fmt::format("{}, the number of a class, or {}", words, labels_there_are(labels)), text, labels));
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
