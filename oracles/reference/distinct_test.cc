// The evaluation of each different number gives the same results as that of each element.
#include "oracles/reference/distinct.h"

#include <gtest/gtest.h>
#include <span>
#include <vector>

#include "harness/base/half.h"
#include "harness/base/testing/same_number.h"
#include "oracles/testing/test_support.h"

namespace anecheck::reference {
namespace {

using testing::SameNumberAndSign;

// Returns `count` fp16 numbers. Every fp16 number occurs if `count` is large enough.
Tensor EveryNumber(size_t count) {
  Tensor tensor{{DType::kFp16, Shape{static_cast<int64_t>(count)}}, {}};
  tensor.bytes.resize(2 * count);
  for (size_t i = 0; i < count; ++i) {
    const size_t bits = i * 40503 % 65536;
    tensor.bytes[2 * i] = static_cast<uint8_t>(bits);
    tensor.bytes[2 * i + 1] = static_cast<uint8_t>(bits >> 8);
  }
  return tensor;
}

// The result of `kind` on `tensor`, before storing.
Estimate ResultOf(OpKind kind, const Tensor& tensor, const Contract& contract) {
  testing::Case one;
  const ValueId y = one.Unary(kind, one.Input(tensor));
  one.graph.AddOutput(y);
  Evaluation evaluation;
  Estimate estimate;
  EXPECT_TRUE(evaluation.Run(one.graph, one.inputs, contract).ok());
  evaluation.Intermediate(y, estimate);
  return estimate;
}

TEST(DistinctNumbers, AgreeWithElementByElement) {
  constexpr size_t kCount = 70000;
  constexpr size_t kPart = 4096;  // small enough to be evaluated element by element
  const Tensor all = EveryNumber(kCount);
  for (const OpKind kind : {OpKind::kRelu, OpKind::kSigmoid, OpKind::kGelu, OpKind::kRsqrt,
                            OpKind::kExp, OpKind::kSign, OpKind::kLog}) {
    for (const Contract* contract : {&ConformingContract(2), &IeeeContract()}) {
      const Estimate whole = ResultOf(kind, all, *contract);
      size_t differing = 0;
      for (size_t first = 0; first < kCount; first += kPart) {
        const size_t count = std::min(kPart, kCount - first);
        const auto begin = all.bytes.begin() + static_cast<ptrdiff_t>(2 * first);
        const Tensor part{{DType::kFp16, Shape{static_cast<int64_t>(count)}},
                          {begin, begin + static_cast<ptrdiff_t>(2 * count)}};
        const Estimate expected = ResultOf(kind, part, *contract);
        EXPECT_EQ(whole.whole, expected.whole);
        for (size_t i = 0; i < count; ++i) {
          const size_t at = first + i;
          const bool same = SameNumberAndSign(whole.value[at], expected.value[i]) &&
                            SameNumberAndSign(whole.low[at], expected.low[i]) &&
                            SameNumberAndSign(whole.high[at], expected.high[i]) &&
                            whole.flags[at] == expected.flags[i];
          differing += same ? 0 : 1;
        }
      }
      EXPECT_EQ(differing, 0u) << static_cast<int>(kind) << " " << contract->name;
    }
  }
}

// A table for one contract or one set of parameters must not be used for another.
TEST(FunctionTables, AreKeptByContractAndParameters) {
  FunctionTables tables;
  Arena arena;
  const BoundedTensor numbers = AllNumbers(arena);
  int made = 0;
  const auto make = [&] {
    ++made;
    return FunctionTable(numbers);
  };
  const FunctionTable& first = tables.For({.ulp = 1}, make);
  EXPECT_EQ(&tables.For({.ulp = 1}, make), &first);
  EXPECT_EQ(made, 1);
  EXPECT_NE(&tables.For({.ulp = 1, .table_error = 0.5}, make), &first);
  EXPECT_EQ(made, 2);
}

TEST(DistinctNumbers, AreUsedForLargeExactTensorsOnly) {
  const Contract& contract = ConformingContract(2);
  std::vector<double> values(1 << 14);
  BoundedTensor x;
  x.type = {DType::kFp16, Shape{1 << 14}};
  x.size = values.size();
  x.value = x.low = x.high = values.data();
  EXPECT_TRUE(RepeatsNumbers(contract, x));
  x.type.dtype = DType::kFp32;
  EXPECT_FALSE(RepeatsNumbers(contract, x));
  x.type.dtype = DType::kFp16;
  std::vector<double> low(values);
  x.low = low.data();
  EXPECT_FALSE(RepeatsNumbers(contract, x));
  x.low = x.value;
  const Departure* const departure = &KnownDepartures().front();
  EXPECT_FALSE(RepeatsNumbers(WithDepartures(2, std::span(&departure, 1)), x));
  x.size = 100;
  EXPECT_FALSE(RepeatsNumbers(contract, x));
}

}  // namespace
}  // namespace anecheck::reference
