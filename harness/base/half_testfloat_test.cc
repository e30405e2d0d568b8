// Compares every conversion to and from fp16, in all five rounding modes, with the published
// vectors of Berkeley TestFloat 3e. A line has operand, result and flags in hexadecimal.
#include <bit>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/half.h"
#include "harness/base/testing/same_number.h"
#include "harness/base/testing/test_data.h"

namespace anecheck {
namespace {

using testing::ReadGzipFile;
using testing::SameNumberAndSign;
using testing::VectorPath;

struct Vector {
  uint64_t operand = 0;
  uint64_t result = 0;
};

std::vector<Vector> ReadVectors(const std::string& path) {
  const auto text = ReadGzipFile(path);
  if (!text.ok()) return {};
  std::istringstream lines(*text);
  std::vector<Vector> vectors;
  Vector vector;
  uint64_t flags = 0;
  while (lines >> std::hex >> vector.operand >> vector.result >> flags) vectors.push_back(vector);
  return vectors;
}

std::string PathOf(const std::string& name) { return VectorPath("testfloat/" + name + ".txt.gz"); }

// NaN payloads of TestFloat are specific to one processor, so any NaN equals any other.
bool SameHalf(Half actual, uint64_t expected) {
  const Half wanted{static_cast<uint16_t>(expected)};
  return (actual.IsNan() && wanted.IsNan()) || actual == wanted;
}

constexpr std::pair<Rounding, const char*> kModeNames[] = {
    {Rounding::kNearestEven, "rnear_even"},
    {Rounding::kNearestAway, "rnear_maxMag"},
    {Rounding::kTowardZero, "rminMag"},
    {Rounding::kUp, "rmax"},
    {Rounding::kDown, "rmin"},
};

TEST(HalfTestFloat, HalfToFloat) {
  const std::string path = PathOf("f16_to_f32");
  ANECHECK_SKIP_WITHOUT(path);
  const auto vectors = ReadVectors(path);
  ASSERT_GT(vectors.size(), 100U);
  for (const Vector& vector : vectors) {
    const float actual = HalfToFloat(Half{static_cast<uint16_t>(vector.operand)});
    const auto wanted = std::bit_cast<float>(static_cast<uint32_t>(vector.result));
    ASSERT_TRUE(SameNumberAndSign(actual, wanted)) << std::hex << vector.operand;
  }
}

TEST(HalfTestFloat, HalfToDouble) {
  const std::string path = PathOf("f16_to_f64");
  ANECHECK_SKIP_WITHOUT(path);
  const auto vectors = ReadVectors(path);
  ASSERT_GT(vectors.size(), 100U);
  for (const Vector& vector : vectors) {
    const double actual = HalfToDouble(Half{static_cast<uint16_t>(vector.operand)});
    ASSERT_TRUE(SameNumberAndSign(actual, std::bit_cast<double>(vector.result)))
        << std::hex << vector.operand;
  }
}

TEST(HalfTestFloat, FloatToHalfInEveryMode) {
  for (const auto& [mode, name] : kModeNames) {
    const std::string path = PathOf(std::string("f32_to_f16.") + name);
    ANECHECK_SKIP_WITHOUT(path);
    const auto vectors = ReadVectors(path);
    ASSERT_GT(vectors.size(), 100U) << path;
    for (const Vector& vector : vectors) {
      const auto value = std::bit_cast<float>(static_cast<uint32_t>(vector.operand));
      ASSERT_TRUE(SameHalf(FloatToHalf(value, mode), vector.result))
          << name << std::hex << " " << vector.operand;
    }
  }
}

TEST(HalfTestFloat, DoubleToHalfInEveryMode) {
  for (const auto& [mode, name] : kModeNames) {
    const std::string path = PathOf(std::string("f64_to_f16.") + name);
    ANECHECK_SKIP_WITHOUT(path);
    const auto vectors = ReadVectors(path);
    ASSERT_GT(vectors.size(), 100U) << path;
    for (const Vector& vector : vectors) {
      ASSERT_TRUE(
          SameHalf(DoubleToHalf(std::bit_cast<double>(vector.operand), mode), vector.result))
          << name << std::hex << " " << vector.operand;
    }
  }
}

TEST(HalfTestFloat, IntegerToHalf) {
  const std::string path = PathOf("i32_to_f16.rnear_even");
  ANECHECK_SKIP_WITHOUT(path);
  const auto vectors = ReadVectors(path);
  ASSERT_GT(vectors.size(), 100U);
  for (const Vector& vector : vectors) {
    // Every int32 is exact in double, so the value is rounded only once.
    const auto value = static_cast<double>(static_cast<int32_t>(vector.operand));
    ASSERT_TRUE(SameHalf(DoubleToHalf(value), vector.result)) << std::hex << vector.operand;
  }
}

}  // namespace
}  // namespace anecheck
