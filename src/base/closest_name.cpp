#include "base/closest_name.h"

#include <algorithm>
#include <optional>

#include <fmt/ranges.h>

#include "base/ascii.h"

namespace ascribe::core {

namespace {

constexpr size_t kLongestName = 200;    // beyond that nobody mistypes a name; the work grows with the square
constexpr size_t kShortestWord = 3;     // that may stand for a longer name
constexpr size_t kShortestOpening = 4;  // that a name may be known by

// Case and the kind of dash do not count.
std::string folded(std::string_view name) {
  std::string text(name);
  for (char& letter : text) {
    letter = ascii_lower(letter);
    if (letter == '_' || letter == ' ') letter = '-';
  }
  return text;
}

// Letters to add, to drop, to change, or to swap with their neighbour.
size_t slips(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), here(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    here[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      here[j] = std::min({last[j] + 1, here[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) here[j] = std::min(here[j], before[j - 2] + 1);
    }
    before = last;
    last = here;
  }
  return last[b.size()];
}

// The name up to the first letter that differs is most of what was given: "integrated", "delete" for "deletion".
bool begins_alike(std::string_view given, std::string_view name) {
  const auto common =
      static_cast<size_t>(std::mismatch(given.begin(), given.end(), name.begin(), name.end()).first - given.begin());
  return common >= kShortestOpening && 4 * common >= 3 * given.size();
}

bool has_word(std::string_view name, std::string_view word) {
  const std::string dashed = fmt::format("-{}-", name);
  return word.size() >= kShortestWord && dashed.find(fmt::format("-{}-", word)) != std::string::npos;
}

std::string digits_of(std::string_view name) {
  std::string digits;
  std::copy_if(name.begin(), name.end(), std::back_inserter(digits), [](char c) { return c >= '0' && c <= '9'; });
  return digits;
}

// Another number is another thing, not a slip: whoever asks for conv9 does not mean conv1.
bool numbered_otherwise(std::string_view given, std::string_view name) {
  const std::string a = digits_of(given), b = digits_of(name);
  return !a.empty() && !b.empty() && a != b;
}

// The lower, the nearer; nothing: too far.
std::optional<size_t> distance(std::string_view given, std::string_view name) {
  if (numbered_otherwise(given, name)) return std::nullopt;
  const size_t longer = std::max(given.size(), name.size()), shorter = std::min(given.size(), name.size());
  // One slip in three letters, and never all of a short word.
  const size_t most = shorter < 3 ? 0 : std::max<size_t>(1, shorter / 3);
  if (longer - shorter <= most) {
    if (const size_t found = slips(given, name); found <= most) return found;
  }
  if (begins_alike(given, name)) return most + 1 + (longer - shorter);
  return std::nullopt;
}

}  // namespace

std::string closest_name(std::string_view given, const std::vector<std::string>& known) {
  if (given.empty() || given.size() > kLongestName) return "";
  if (std::find(known.begin(), known.end(), given) != known.end()) return "";
  const std::string wanted = folded(given);
  const std::string* best = nullptr;
  size_t least = 0;
  for (const std::string& name : known) {
    if (name.size() > kLongestName) continue;
    const auto far = distance(wanted, folded(name));
    if (far && (best == nullptr || *far < least)) best = &name, least = *far;
  }
  if (best != nullptr) return *best;
  const auto named = [&](const std::string& name) {
    return name.size() <= kLongestName && has_word(folded(name), wanted);
  };
  const auto found = std::find_if(known.begin(), known.end(), named);
  if (found == known.end() || std::find_if(found + 1, known.end(), named) != known.end()) return "";
  return *found;
}

std::string expected(std::string_view words, std::string_view given, const std::vector<std::string>& known) {
  const std::string name = closest_name(given, known);
  return name.empty() ? fmt::format("expected {}", words) : fmt::format("did you mean '{}'? Expected {}", name, words);
}

std::string expected_one_of(std::string_view given, const std::vector<std::string>& known) {
  return expected(fmt::format("one of {}", fmt::join(known, ", ")), given, known);
}

}  // namespace ascribe::core
