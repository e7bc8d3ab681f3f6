// Attributions of many rows: as a table (attributions.csv) and summed up as a picture for each method.
#pragma once

#include <string>

#include "study/explain.h"

namespace ascribe::core {

// One line per row and method: row, source, method, target, label, output, baseline_output, sum, and a column for each
// player. Empty if there is none; `why_no_attribution_table` says why. Names that a spreadsheet would compute are made
// harmless.
std::string attribution_table(const study::ExplainResult& result);
std::string why_no_attribution_table(const study::ExplainResult& result);  // empty: there is one

// The mean magnitude of the strongest players and their values in all rows. Empty unless there are several rows that
// have the same players.
std::string attribution_summary_svg(const study::ExplainResult& result, size_t method);

}  // namespace ascribe::core
