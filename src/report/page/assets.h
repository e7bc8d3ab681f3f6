// The style sheet and the script of the page, joined from the files of style/ and script/ by cmake/embed.cmake
// (CMakeLists.txt has their order).
#pragma once

#include <string_view>

namespace ascribe::core::page {

extern const std::string_view kReportCss;
extern const std::string_view kReportJs;
extern const std::string_view kDatasetCss;  // of the page about many rows
extern const std::string_view kDatasetJs;

}  // namespace ascribe::core::page
