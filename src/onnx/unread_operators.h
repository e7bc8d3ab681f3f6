// Which operators of a file have a lowering that does not know one of their attributes or their opset.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace ascribe::core {

// By full name; accepts files that cannot be imported.
std::set<std::string> operators_beyond_lowerings(const std::filesystem::path& path);
std::set<std::string> operators_beyond_lowerings_of_bytes(std::string bytes, const std::string& name);

}  // namespace ascribe::core
