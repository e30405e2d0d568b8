#include "harness/base/checksum.h"

#include <libdeflate.h>

namespace anecheck {

uint32_t Crc32(std::span<const uint8_t> bytes) {
  // A null pointer asks libdeflate for the initial value.
  return libdeflate_crc32(0, bytes.empty() ? nullptr : bytes.data(), bytes.size());
}

}  // namespace anecheck
