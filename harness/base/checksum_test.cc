#include "harness/base/checksum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string_view>
#include <vector>

namespace anecheck {
namespace {

uint32_t Of(std::string_view text) {
  return Crc32({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

TEST(Checksum, HasThePublishedCheckValue) {
  // The check value of CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms.
  EXPECT_EQ(Of("123456789"), 0xcbf43926u);
  EXPECT_EQ(Of(""), 0u);
}

// Computes the CRC one bit at a time, from the polynomial.
uint32_t BitByBit(const std::vector<uint8_t>& bytes) {
  uint32_t value = 0xffffffff;
  for (const uint8_t byte : bytes) {
    value ^= byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xedb88320u : 0u);
  }
  return ~value;
}

RC_GTEST_PROP(Checksum, IsTheRemainderByThePolynomial, (const std::vector<uint8_t>& bytes)) {
  RC_ASSERT(Crc32(bytes) == BitByBit(bytes));
}

}  // namespace
}  // namespace anecheck
