// Parts of work, between the interface and study.
#pragma once

#include "api/state.h"
#include "study/parts/part_work.h"

namespace ascribe {

core::study::PartRequest part_request(const std::string& folder, const Options::State& how);
Part seen(core::study::PartResult result);

}  // namespace ascribe
