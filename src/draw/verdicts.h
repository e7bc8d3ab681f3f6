// A table of what holds and what does not, as a picture: a tick or a cross in every cell, with a number below it.
#pragma once

#include <string>
#include <vector>

namespace ascribe::core {

struct VerdictCell {
  bool holds = true;
  std::string figure;
};

struct VerdictRow {
  std::string name;
  std::vector<VerdictCell> cells;
  std::string remark = {};  // at the right
};

struct VerdictTable {
  std::string title, line;
  std::vector<std::string> columns;
  std::vector<VerdictRow> rows;
};

std::string verdicts_svg(const VerdictTable& table);

}  // namespace ascribe::core
