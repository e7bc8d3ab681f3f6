// What work over many rows costs, said before it begins: how often the network runs, and how long that takes at the
// pace of a row that was timed. Methods share some of these passes, so it is what they take at most.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "study/affordable.h"

namespace ascribe::core::study {

struct WorkCost {
  int64_t rows = 0, methods = 0, metrics = 0, players = 0;
  Passes passes;                     // of all rows
  std::optional<double> seconds;     // at the timed pace; nothing: nothing was timed
  std::vector<std::string> unknown;  // methods and metrics that are not counted, because nobody knows what they take

  // "20 rows x 3 methods x 2 metrics: up to 24,000 passes of the network, at most about 40 s by a timed row"
  std::string words() const;
};

// Of one row. Methods of the caller's and metrics that nothing is known of go to `unknown`.
WorkCost cost_of_row(std::span<const ChosenMethod> methods, std::span<const ChosenMetric> metrics,
                     const Asking& asking);

// Many rows, timed.
WorkCost of_rows(WorkCost one, int64_t rows, const std::optional<Pace>& pace);

Json to_json(const WorkCost& cost);

}  // namespace ascribe::core::study
