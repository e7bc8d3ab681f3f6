// The report as one HTML file: a pure function of report.json. Nothing is fetched when it is opened; what needs no
// script (pictures, tables, texts) is there without one. Every text of the report is untrusted and stays text.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace ascribe::core {

// An error of kind io that names the place in the JSON where the report is not as expected.
std::string report_page(const nlohmann::ordered_json& report);

}  // namespace ascribe::core
