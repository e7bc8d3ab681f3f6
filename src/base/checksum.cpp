#include "base/checksum.h"

#include <zlib.h>

namespace ascribe::core {

uint32_t checksum(std::string_view bytes, uint32_t before) {
  return static_cast<uint32_t>(crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace ascribe::core
