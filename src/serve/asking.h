// What the page asks, read from JSON. Nothing that it sends is ever a path: of targets, baselines and regions only
// those forms pass that name no file.
#pragma once

#include "base/json_place.h"
#include "serve/session.h"

namespace ascribe::core::serve {

Json parse_body(std::string_view body);  // with limits; complaints are of kind argument

// {from: data | file, row, target?, baseline?, regions?}
Asking asking_from(const JsonPlace& json);
// {masked?: base64 of a bit for each place, replaced?: [[place, number]]}
study::RowChange change_from(const JsonPlace& json, int64_t places);
std::vector<std::string> methods_from(const JsonPlace& list);  // names that there are, each once

}  // namespace ascribe::core::serve
