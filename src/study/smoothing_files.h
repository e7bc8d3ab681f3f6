// What smoothing the kinks of a network does to its Taylor series, as a chart and a table: the errors of the allocation
// rules, the radius of convergence and the distance from the network itself, by temperature.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "study/verify.h"

namespace ascribe::core::study {

// `document`: the verification as JSON.
std::vector<NamedBytes> smoothing_files(const VerifyResult& result, const Json& document);

std::vector<std::string> smoothing_file_names();

}  // namespace ascribe::core::study
