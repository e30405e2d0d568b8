#include "harness/base/checksum.h"

#include <libdeflate.h>

namespace anecheck {

uint32_t Crc32(std::span<const uint8_t> bytes, uint32_t before) {
  // For a null pointer, libdeflate returns the initial value and ignores `before`.
  return bytes.empty() ? before : libdeflate_crc32(before, bytes.data(), bytes.size());
}

}  // namespace anecheck
