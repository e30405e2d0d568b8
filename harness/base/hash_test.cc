#include "harness/base/hash.h"

#include <gtest/gtest.h>

namespace anecheck {
namespace {

TEST(Fnv1a, GivesThePublishedVectors) {
  EXPECT_EQ(Fnv1a().value(), 0xcbf29ce484222325);
  EXPECT_EQ(Fnv1a().Add("a").value(), 0xaf63dc4c8601ec8c);
  EXPECT_EQ(Fnv1a().Add("foobar").value(), 0x85944171f73967e8);
}

TEST(Fnv1a, AddsTheBytesOfAWordLowestFirst) {
  EXPECT_EQ(Fnv1a().AddWord(0x0807060504030201).value(),
            Fnv1a().Add("\x01\x02\x03\x04\x05\x06\x07\x08").value());
}

// The generator is seeded with 0.
TEST(MixBits, GivesTheFirstOutputOfSplitmix64) {
  EXPECT_EQ(MixBits(kGoldenRatio64), 0xe220a8397b1dcdaf);
}

}  // namespace
}  // namespace anecheck
