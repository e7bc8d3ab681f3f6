// SHA-256 (FIPS 180-4), to name a file by its content.
#pragma once

#include <string>
#include <string_view>

namespace ascribe::core {

std::string sha256(std::string_view bytes);  // 64 hexadecimal digits

}  // namespace ascribe::core
