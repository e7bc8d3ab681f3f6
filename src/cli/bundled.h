// The sample models and images that come with the program.
#pragma once

#include <string>

namespace ascribe::core {

// The path of a file or folder of models/: beside the program's folder, or under share/ascribe where it is installed.
// Fails, kind io, and says where it was looked for.
std::string bundled_file(const std::string& name);

}  // namespace ascribe::core
