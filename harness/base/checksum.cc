#include "harness/base/checksum.h"

#include <libdeflate.h>

namespace anecheck {

uint32_t Crc32(std::span<const uint8_t> bytes, uint32_t before) {
  // An empty span may have a null pointer, for which libdeflate ignores `before` and returns 0.
  return bytes.empty() ? before : libdeflate_crc32(before, bytes.data(), bytes.size());
}

}  // namespace anecheck
