#include "data/id_lines.h"

#include <algorithm>
#include <charconv>

namespace ascribe::core {

namespace {

constexpr std::string_view kBetween = " \t\r,";

void add_numbers(std::string_view line, int64_t number, const std::string& where, std::vector<int64_t>& numbers) {
  for (size_t at = line.find_first_not_of(kBetween); at < line.size(); at = line.find_first_not_of(kBetween, at)) {
    const size_t end = std::min(line.find_first_of(kBetween, at), line.size());
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(line.data() + at, line.data() + end, value);
    if (error != std::errc() || stop != line.data() + end) {
      fail(ErrorKind::io, where, "line {} holds '{}'; expected whole numbers, as token ids are", number,
           line.substr(at, std::min<size_t>(end - at, 40)));
    }
    numbers.push_back(value);
    at = end;
  }
}

}  // namespace

bool is_id_lines(std::string_view text, std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (path.ends_with(".ids")) return true;
  if (!path.ends_with(".txt")) return false;
  const size_t from = std::min(text.find_first_not_of(" \r\n"), text.size());
  const std::string_view line = text.substr(from, text.find('\n', from) - from);
  return line.find_first_not_of("-0123456789 \r") == std::string_view::npos && line.find(' ') != std::string_view::npos;
}

Tensor parse_id_lines(const std::string& text, const std::string& where, int64_t most) {
  std::vector<int64_t> all;
  int64_t rows = 0, width = 0, number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const size_t before = all.size();
    add_numbers(std::string_view(text).substr(at, end - at), ++number, where, all);
    at = end + 1;
    if (std::ssize(all) > most)
      fail(ErrorKind::io, where, "there are more than {} numbers; unpack the file first", most);
    const auto count = static_cast<int64_t>(all.size() - before);
    if (count == 0) continue;
    if (rows > 0 && count != width) {
      fail(ErrorKind::io, where, "line {} has {} numbers and the first {}; expected rows of one length", number, count,
           width);
    }
    width = count;
    ++rows;
  }
  if (rows == 0) fail(ErrorKind::io, where, "the file holds no numbers");
  return Tensor::of<int64_t>({rows, width}, all);
}

}  // namespace ascribe::core
