// The style sheet and the script of the page: report.css and report.js beside this file, put into the program by
// cmake/embed.cmake.
#pragma once

#include <string_view>

namespace ascribe::core::page {

extern const std::string_view kReportCss;
extern const std::string_view kReportJs;

}  // namespace ascribe::core::page
