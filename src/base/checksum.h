// CRC-32 (ISO-HDLC, as zip files have it): finds damage by chance, not by design.
#pragma once

#include <cstdint>
#include <string_view>

namespace ascribe::core {

// `before`: of the bytes in front of these.
uint32_t checksum(std::string_view bytes, uint32_t before = 0);

}  // namespace ascribe::core
