// A table as Markdown and as CSV.
#pragma once

#include <string>
#include <vector>

namespace ascribe::core {

struct TextTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows = {};

  std::string markdown() const;  // columns of numbers flushed right
  std::string csv() const;       // RFC 4180, lines end with \n
};

}  // namespace ascribe::core
