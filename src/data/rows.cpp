#include "data/rows.h"

#include <charconv>
#include <numeric>

#include "base/error.h"

namespace ascribe::core {

namespace {

// A number, or `otherwise` for the empty ends of "a:" and ":b".
int64_t bound(std::string_view text, int64_t otherwise, std::string_view whole, std::string_view what) {
  if (text.empty()) return otherwise;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    fail(ErrorKind::argument, "", "cannot read the {} '{}'; expected a number from 0 or a range a:b", what, whole);
  }
  return value;
}

}  // namespace

std::vector<int64_t> select_rows(const std::vector<std::string>& wanted, int64_t count, std::string_view what,
                                 const std::string& where) {
  std::vector<int64_t> rows;
  if (wanted.empty()) {
    rows.resize(count);
    std::iota(rows.begin(), rows.end(), 0);
  }
  for (const std::string& text : wanted) {
    const size_t colon = text.find(':');
    const bool range = colon != std::string::npos;
    const int64_t first = bound(std::string_view(text).substr(0, colon), range ? 0 : -1, text, what);
    const int64_t end = range ? bound(std::string_view(text).substr(colon + 1), count, text, what) : first + 1;
    if (first < 0 || first >= end || end > count) {
      fail(ErrorKind::argument, where, "there is no {} {}; got {} {}s, counted from 0", what, text, count, what);
    }
    for (int64_t row = first; row < end; ++row) rows.push_back(row);
  }
  return rows;
}

}  // namespace ascribe::core
