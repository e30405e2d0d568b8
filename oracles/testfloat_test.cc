// Compares the oracle's fp16 arithmetic exactly with the published vectors of Berkeley TestFloat
// 3e.
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <zlib.h>

#include "harness/base/testing/same_number.h"
#include "harness/base/testing/test_data.h"
#include "harness/ops/params.h"
#include "oracles/reference/rounding.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;
using testing::SameNumberAndSign;

std::string VectorFile(const std::string& name) {
  return testing::VectorPath("testfloat/" + name + ".txt.gz");
}

// The hexadecimal numbers of every line.
std::vector<std::vector<uint64_t>> ReadVectors(const std::string& name) {
  std::vector<std::vector<uint64_t>> lines;
  gzFile file = gzopen(VectorFile(name).c_str(), "rb");
  if (file == nullptr) return lines;
  std::array<char, 256> line{};
  while (gzgets(file, line.data(), line.size()) != nullptr) {
    std::vector<uint64_t> words;
    char* at = line.data();
    while (true) {
      char* end = nullptr;
      const uint64_t word = std::strtoull(at, &end, 16);
      if (end == at) break;
      words.push_back(word);
      at = end;
    }
    if (!words.empty()) lines.push_back(std::move(words));
  }
  gzclose(file);
  return lines;
}

double FromHalf(uint64_t bits) { return HalfToDouble(Half{static_cast<uint16_t>(bits)}); }
double FromSingle(uint64_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
}

Tensor Column(const std::vector<std::vector<uint64_t>>& lines, size_t column, DType dtype,
              double (*decode)(uint64_t)) {
  std::vector<double> elements;
  for (const auto& line : lines) elements.push_back(decode(line[column]));
  return MakeTensor(dtype, {static_cast<int64_t>(lines.size())}, elements);
}

void ExpectColumn(const std::vector<std::vector<uint64_t>>& lines, size_t column,
                  double (*decode)(uint64_t), const Estimate& actual) {
  ASSERT_EQ(actual.value.size(), lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    ASSERT_TRUE(SameNumberAndSign(actual.value[i], decode(lines[i][column])))
        << "line " << i << ": " << actual.value[i] << ", expected " << decode(lines[i][column]);
  }
}

#define ANECHECK_READ_VECTORS(lines, name) \
  ANECHECK_SKIP_WITHOUT(VectorFile(name)); \
  const auto lines = ReadVectors(name);    \
  ASSERT_FALSE(lines.empty()) << VectorFile(name)

struct NamedVectors {
  const char* name;
  OpKind kind;
};

class Arithmetic : public ::testing::TestWithParam<NamedVectors> {};

TEST_P(Arithmetic, EveryVector) {
  ANECHECK_READ_VECTORS(lines, std::string(GetParam().name) + ".rnear_even");
  Case c;
  const ValueId a = c.Input(Column(lines, 0, DType::kFp16, FromHalf));
  const ValueId b = c.Input(Column(lines, 1, DType::kFp16, FromHalf));
  ExpectColumn(lines, 2, FromHalf, c.Run(c.Binary(GetParam().kind, a, b)));
}
INSTANTIATE_TEST_SUITE_P(TestFloat, Arithmetic,
                         ::testing::Values(NamedVectors{"f16_add", OpKind::kAdd},
                                           NamedVectors{"f16_sub", OpKind::kSub},
                                           NamedVectors{"f16_mul", OpKind::kMul},
                                           NamedVectors{"f16_div", OpKind::kRealDiv}));

// a * b + c with one rounding: a linear layer of one element with a bias. Every line is a separate
// graph, since weights and biases of one layer would combine.
TEST(TestFloat, MultiplyAdd) {
  ANECHECK_READ_VECTORS(lines, "f16_mulAdd.rnear_even.sample");
  using P = params::Linear;
  Evaluation evaluation;
  Estimate actual;
  for (const auto& line : lines) {
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 1}, {FromHalf(line[0])}));
    const ValueId w = c.Const(MakeTensor(DType::kFp16, {1, 1}, {FromHalf(line[1])}));
    const ValueId b = c.Const(MakeTensor(DType::kFp16, {1}, {FromHalf(line[2])}));
    const ValueId y =
        c.Begin(OpKind::kLinear).Arg(P::kX, x).Arg(P::kWeight, w).Arg(P::kBias, b).Finish();
    ASSERT_TRUE(evaluation.Run(c.graph, c.inputs, ConformingContract(2)).ok());
    evaluation.Stored(y, actual);
    const double expected = FromHalf(line[3]);
    const bool same =
        expected != expected ? actual.value[0] != actual.value[0] : actual.value[0] == expected;
    ASSERT_TRUE(same) << std::hex << line[0] << " " << line[1] << " " << line[2] << ": "
                      << actual.value[0] << ", expected " << expected;
  }
}

class Functions : public ::testing::TestWithParam<NamedVectors> {};

TEST_P(Functions, EveryVector) {
  ANECHECK_READ_VECTORS(lines, GetParam().name);
  Case c;
  const ValueId x = c.Input(Column(lines, 0, DType::kFp16, FromHalf));
  ExpectColumn(lines, 1, FromHalf, c.Run(c.Unary(GetParam().kind, x)));
}
INSTANTIATE_TEST_SUITE_P(
    TestFloat, Functions,
    ::testing::Values(NamedVectors{"f16_sqrt.rnear_even", OpKind::kSqrt},
                      NamedVectors{"f16_roundToInt.rnear_even.exact", OpKind::kRound},
                      NamedVectors{"f16_roundToInt.rmin.exact", OpKind::kFloor},
                      NamedVectors{"f16_roundToInt.rmax.exact", OpKind::kCeil}));

class Comparisons : public ::testing::TestWithParam<NamedVectors> {};

TEST_P(Comparisons, EveryVector) {
  ANECHECK_READ_VECTORS(lines, GetParam().name);
  Case c;
  const ValueId a = c.Input(Column(lines, 0, DType::kFp16, FromHalf));
  const ValueId b = c.Input(Column(lines, 1, DType::kFp16, FromHalf));
  const auto flag = [](uint64_t bits) { return static_cast<double>(bits); };
  ExpectColumn(lines, 2, flag, c.Run(c.Binary(GetParam().kind, a, b)));
}
INSTANTIATE_TEST_SUITE_P(TestFloat, Comparisons,
                         ::testing::Values(NamedVectors{"f16_eq", OpKind::kEqual},
                                           NamedVectors{"f16_lt", OpKind::kLess},
                                           NamedVectors{"f16_le", OpKind::kLessEqual}));

TEST(TestFloat, Conversions) {
  const auto cast = [](const Tensor& input, std::string_view to) {
    Case c;
    const ValueId x = c.Input(input);
    return c.Run(c.Begin(OpKind::kCast).Arg(0, x).String(params::Cast::kDtype, to).Finish());
  };
  ANECHECK_READ_VECTORS(narrow, "f32_to_f16.rnear_even");
  ExpectColumn(narrow, 1, FromHalf, cast(Column(narrow, 0, DType::kFp32, FromSingle), "fp16"));
  ANECHECK_READ_VECTORS(wide, "f16_to_f32");
  ExpectColumn(wide, 1, FromSingle, cast(Column(wide, 0, DType::kFp16, FromHalf), "fp32"));
  const auto from_int = [](uint64_t bits) {
    return static_cast<double>(static_cast<int32_t>(static_cast<uint32_t>(bits)));
  };
  ANECHECK_READ_VECTORS(integers, "i32_to_f16.rnear_even");
  ExpectColumn(integers, 1, FromHalf, cast(Column(integers, 0, DType::kInt32, from_int), "fp16"));
  // Infinities and NaN have no integer in IEEE; every other fp16 number fits an int32.
  ANECHECK_READ_VECTORS(truncated, "f16_to_i32.rminMag.exact");
  const Estimate actual = cast(Column(truncated, 0, DType::kFp16, FromHalf), "int32");
  for (size_t i = 0; i < truncated.size(); ++i) {
    if (!std::isfinite(FromHalf(truncated[i][0]))) continue;
    ASSERT_EQ(actual.value[i], from_int(truncated[i][1])) << FromHalf(truncated[i][0]);
  }
}

TEST(TestFloat, DoubleToHalfInEveryMode) {
  const auto decode = [](uint64_t bits) { return std::bit_cast<double>(bits); };
  for (const auto& [name, mode] : std::initializer_list<std::pair<const char*, Rounding>>{
           {"rnear_even", Rounding::kNearestEven},
           {"rnear_maxMag", Rounding::kNearestAway},
           {"rminMag", Rounding::kTowardZero},
           {"rmin", Rounding::kDown},
           {"rmax", Rounding::kUp}}) {
    ANECHECK_READ_VECTORS(lines, std::string("f64_to_f16.") + name);
    for (const auto& line : lines) {
      const Half half = DoubleToHalf(decode(line[0]), mode);
      ASSERT_TRUE(SameNumberAndSign(HalfToDouble(half), FromHalf(line[1])))
          << name << std::hex << line[0];
    }
  }
}

}  // namespace
}  // namespace anecheck
