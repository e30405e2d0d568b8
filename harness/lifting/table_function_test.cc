// FunctionOf finds, for each table of a compiler, the operation for which the compiler wrote the
// table. The halfwords are those of kernels/unary and kernels/activation of the public repository
// eiln/ane, anec/kernels.tar.gz, blob ddcde13e.
#include "harness/lifting/table_function.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <initializer_list>
#include <tuple>
#include <utility>

namespace anecheck::lifting {
namespace {

using Halves = std::initializer_list<std::pair<size_t, uint16_t>>;

emulator::ActivationTable TableOf(Halves halves) {
  std::array<uint16_t, emulator::kTableBytes / 2> words = {};
  for (const auto& [index, half] : halves) words[index] = half;
  std::array<uint8_t, emulator::kTableBytes> bytes;
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return emulator::ParseTable(bytes, "it").value();
}

constexpr uint16_t kOne = 0x3c00, kMinusOne = 0xbc00, kSix = 0x4600;

TEST(TableFunction, OfSignIsOneWithTheSignOfX) {
  const auto table = TableOf({{1, kOne}, {3, kOne}, {40, kOne}, {41, 0x40}, {42, 0x60}});
  const auto function = FunctionOf(table, 1);
  ASSERT_TRUE(function);
  EXPECT_EQ(function->op, OpKind::kSign);
  EXPECT_EQ(table.Evaluate(0), 0);
  EXPECT_EQ(table.Evaluate(-0x1p-24), -1);
}

TEST(TableFunction, OfASignThatIsOneAtZeroIsNone) {
  const auto table = TableOf({{1, kOne}, {2, kOne}, {3, kOne}, {40, kOne}, {41, 0x40}, {42, 0x60}});
  EXPECT_EQ(table.Evaluate(0), 1);
  EXPECT_FALSE(FunctionOf(table, 1));
}

TEST(TableFunction, OfRelu6AndHardtanhIsAClip) {
  const auto relu6 = TableOf({{1, kSix}, {3, kSix}, {37, kOne}, {39, kOne}, {41, 0x40}, {42, 1}});
  const auto hardtanh = TableOf({{0, kMinusOne},
                                 {1, kOne},
                                 {2, kMinusOne},
                                 {3, kOne},
                                 {37, kOne},
                                 {39, kOne},
                                 {41, 0x40},
                                 {42, 1}});
  for (const auto& [table, low, high] : {std::tuple(relu6, 0.0, 6.0), {hardtanh, -1.0, 1.0}}) {
    const auto function = FunctionOf(table, 1);
    ASSERT_TRUE(function);
    EXPECT_EQ(function->op, OpKind::kClip);
    EXPECT_EQ(function->alpha, low);
    EXPECT_EQ(function->beta, high);
  }
}

}  // namespace
}  // namespace anecheck::lifting
