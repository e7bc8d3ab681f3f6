// The page of the viewer: its controls, the style and the components of the report, and its own script.
#pragma once

#include <string>
#include <string_view>

#include "serve/session.h"

namespace ascribe::core::serve {

extern const std::string_view kViewerCss;
extern const std::string_view kViewerJs;

std::string viewer_page(const Session& session);
// Nothing is fetched but from this server, and no script runs but the page's own.
std::string viewer_policy();

}  // namespace ascribe::core::serve
