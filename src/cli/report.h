// What the parts of ascribe report share. The page is a pure function of one JSON document (docs/howto/report.md),
// which these make section by section.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/explain.h"

namespace ascribe::core {

struct ReportRequest : ExplainRequest {
  std::string title;
  std::string parts;                 // the few players whose every set is masked; empty: as the model allows
  std::vector<std::string> metrics;  // empty: those that suit the input
};

// Numbers that are not finite become null; six digits are what a reader can use, and keep the page small.
nlohmann::ordered_json number(double value);
nlohmann::ordered_json numbers(std::span<const double> values);

// {description, names, values, owner}: who shares out the change.
nlohmann::ordered_json players_as_json(const RowQuestion& question, const Players& players);
// Of an image: the owner of each pixel.
std::vector<int32_t> pixel_owners(const Players& players);

// The methods of one row, with maps of images.
nlohmann::ordered_json methods_as_json(const ExplainAnswer& answer, size_t row);
nlohmann::ordered_json agreement_as_json(const ExplainAnswer& answer, size_t row);

// ---- few players (report_parts.cpp) ----

// What sections about few players are computed with.
struct PartsModel {
  ExplainedModel& model;
  int64_t work_per_row = 0;  // multiply-adds
};

// Whether a model is small enough to ask about sets of few players in double: effects of many
// players are sums of many terms with signs.
bool affords_double(int64_t work_per_row);

// {effects, principles, differences} of one row; each may be null, and the notes say why.
struct PartsSections {
  nlohmann::ordered_json effects, principles, differences = nlohmann::ordered_json::array();
};
PartsSections parts_sections(const PartsModel& parts, const RowQuestion& question,
                             const std::vector<ChosenMethod>& methods, const ReportRequest& request,
                             std::vector<std::string>& notes);

// ---- metrics (report_metrics.cpp) ----

nlohmann::ordered_json metrics_as_json(ExplainedModel& model, int64_t work_per_row, const ExplainAnswer& answer,
                                       size_t row, const ReportRequest& request, std::vector<std::string>& notes);

}  // namespace ascribe::core
