// Blocks of sums of products in vector code give every bit that one output at a time gives, for
// every instruction set of this machine that the code was compiled for.
#include "oracles/reference/packed_sums.h"

#include <bit>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include "generators/choice_stream.h"
#include "harness/ops/params.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/lanes.h"
#include "oracles/testing/test_support.h"

namespace anecheck::reference {
namespace {

// What the numbers of an operand are like.
enum class Kind { kFixedPoint, kAnyFinite, kNearOne, kSubnormal, kHuge, kCancelling, kSpecial };
constexpr Kind kKinds[] = {Kind::kFixedPoint, Kind::kAnyFinite,  Kind::kNearOne, Kind::kSubnormal,
                           Kind::kHuge,       Kind::kCancelling, Kind::kSpecial};

double FromBits(uint64_t bits) { return HalfToDouble(Half{static_cast<uint16_t>(bits)}); }

double Number(ChoiceStream& choices, Kind kind, double before) {
  const auto sign = static_cast<uint64_t>(choices.Range(0, 1)) << 15;
  switch (kind) {
    case Kind::kFixedPoint:
      return static_cast<double>(choices.Range(-1000, 1000)) / 512;
    case Kind::kAnyFinite:
      return FromBits(sign | static_cast<uint64_t>(choices.Range(0, 0x7bff)));
    case Kind::kNearOne:
      return FromBits(sign | static_cast<uint64_t>(choices.Range(0x2c00, 0x43ff)));
    case Kind::kSubnormal:
      return FromBits(sign | static_cast<uint64_t>(choices.Range(0, 0x0fff)));
    case Kind::kHuge:
      return FromBits(sign | static_cast<uint64_t>(choices.Range(0x5800, 0x7bff)));
    case Kind::kCancelling:
      return choices.Range(0, 2) == 0 ? FromBits(sign | 0x3c01) : -before;
    case Kind::kSpecial:
      return choices.Range(0, 40) == 0
                 ? FromBits(sign | static_cast<uint64_t>(choices.Range(0x7bff, 0x7c01)))
                 : static_cast<double>(choices.Range(-8, 8)) / 4;
  }
  return 0;
}

// A matrix of vectors of `count` numbers, as evaluation holds it.
class Operand {
 public:
  Operand(ChoiceStream& choices, Kind kind, bool point, size_t vectors, size_t count)
      : value_(vectors * count), low_(vectors * count), high_(low_.size()), nan_(low_.size()) {
    double before = 1;
    for (size_t i = 0; i < value_.size(); ++i) {
      value_[i] = before = Number(choices, kind, before);
      const double width = point ? 0 : static_cast<double>(choices.Range(0, 3)) * 0x1.1p-9;
      low_[i] = value_[i] - width * (1 + std::fabs(value_[i]));
      high_[i] = value_[i] + width;
      nan_[i] = kind == Kind::kSpecial && choices.Range(0, 60) == 0 ? 1 : 0;
      tensor_.special |= !(std::fabs(low_[i]) + std::fabs(high_[i]) < kInfinity) || nan_[i] != 0;
    }
    tensor_.type = {DType::kFp16,
                    Shape{static_cast<int64_t>(vectors), static_cast<int64_t>(count)}};
    tensor_.size = value_.size();
    tensor_.value = tensor_.low = tensor_.high = value_.data();
    if (point) return;
    tensor_.low = low_.data();
    tensor_.high = high_.data();
    tensor_.nan = nan_.data();
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  BoundedTensor& tensor() { return tensor_; }
  Lanes lanes() const { return LanesAt(tensor_, 0); }

 private:
  std::vector<double> value_, low_, high_;
  std::vector<uint8_t> nan_;
  BoundedTensor tensor_;
};

bool SameBits(double a, double b) {
  return (a != a && b != b) || std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) ||
         (a == 0 && b == 0);
}

bool Same(const Accumulated& a, const Accumulated& b) {
  return SameBits(a.value, b.value) && SameBits(a.low, b.low) && SameBits(a.high, b.high) &&
         a.nan == b.nan && a.exact == b.exact && a.beyond == b.beyond &&
         SameBits(a.error, b.error) && a.settled == b.settled;
}

std::string Describe(const Accumulated& a) {
  return fmt::format("{} in [{}, {}] nan {} exact {} beyond {} settled {}", a.value, a.low, a.high,
                     a.nan, a.exact, a.beyond, a.settled);
}

// The context of a matrix product; the tensors of its node are not read.
struct Product {
  Product() {
    const auto x = one.Input(testing::MakeTensor(DType::kFp16, {1, 1}, {1}));
    one.graph.AddOutput(one.Binary(OpKind::kMatmul, x, x));
    values.resize(one.graph.values().size());
  }
  KernelContext Context(const Contract& contract) {
    return {NodeView(one.graph, one.graph.node(0)), contract, arena, values};
  }
  testing::Case one;
  Arena arena;
  std::vector<BoundedTensor> values;
};

// Runs `body` with the code of every instruction set.
template <typename Body>
void ForEachTarget(const Body& body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

void CheckBlock(uint64_t seed, const Contract& contract) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  const auto rows = static_cast<size_t>(choices.Range(1, 11));
  const auto columns = static_cast<size_t>(choices.Range(1, 37));
  const auto count = 4096 / (rows * columns) + static_cast<size_t>(choices.Range(1, 9));
  const auto kind = [&] { return kKinds[choices.Range(0, std::ssize(kKinds) - 1)]; };
  const bool intervals = !contract.ideal && choices.Range(0, 1) == 1;
  const bool row_points = !intervals || choices.Range(0, 2) == 0;
  const bool column_points = !intervals || choices.Range(0, 2) == 0;
  const Kind row_kind = kind();
  const Kind column_kind = choices.Range(0, 1) == 0 ? row_kind : kind();
  Operand x(choices, row_kind, row_points, rows, count);
  Operand y(choices, column_kind, column_points, columns, count);
  const double bias = Number(choices, Kind::kNearOne, 1);

  Product product;
  KernelContext context = product.Context(contract);
  Accumulator one(context, x.tensor(), &y.tensor());
  std::vector<Accumulated> sums(rows * columns);
  std::vector<Accumulated> biased(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] = one.DotOnGrid(x.lanes().From(i / columns * count),
                            y.lanes().From(i % columns * count), count);
    biased[i] = one.WithBias(sums[i], bias, bias, bias, false);
  }
  Accumulator block(context, x.tensor(), &y.tensor());
  ForEachTarget([&](const char* target) {
    size_t seen = 0;
    block.DotsOnGrid(x.lanes(), rows, y.lanes(), columns, count,
                     [&](size_t row, size_t column, const Accumulated& sum) {
                       const size_t i = row * columns + column;
                       const Accumulated with_bias = block.WithBias(sum, bias, bias, bias, false);
                       ++seen;
                       EXPECT_TRUE(Same(sum, sums[i]) && Same(with_bias, biased[i]))
                           << target << " seed " << seed << " output " << i << ": " << Describe(sum)
                           << ", alone " << Describe(sums[i]);
                     });
    EXPECT_EQ(seen, sums.size()) << target;
  });
}

RC_GTEST_PROP(PackedSums, AreThoseOfOneOutputAtATime, (uint64_t seed)) {
  CheckBlock(seed, ConformingContract(2));
  CheckBlock(seed, IeeeContract());
  RC_ASSERT(!::testing::Test::HasFailure());
}

}  // namespace
}  // namespace anecheck::reference
