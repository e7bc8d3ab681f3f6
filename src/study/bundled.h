// The sample models and images that come with the program.
#pragma once

#include <string>
#include <vector>

namespace ascribe::core::study {

// Looked for beside the program, where it is installed, and in the current folder's models/. Complains, naming them, if
// it is in none.
std::string bundled_file(const std::string& name);
std::vector<std::string> bundled_images();  // by name

}  // namespace ascribe::core::study
