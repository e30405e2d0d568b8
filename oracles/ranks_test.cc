// Positions that an operation returns are judged together: no position occurs twice in a line.
#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "harness/ops/params.h"
#include "oracles/judge.h"
#include "oracles/reference/kernel.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;

// With so few numbers the judge's verdict is inconclusive, so the tests count only elements
// outside.
constexpr bool kFine = true;

// Whether a topk of three among eight numbers may return these values and these indices.
struct FineParts {
  bool values, indices;
};
FineParts FineRanks(bool sorted, std::vector<double> values, std::vector<double> indices) {
  using P = params::Topk;
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {8}, {9, 9, 1, 2, 3, 4, 5, 8}));
  c.Begin(OpKind::kTopk).Arg(P::kX, x).Int(P::kK, 3).Int(P::kAxis, 0).Bool(P::kSort, sorted);
  const ValueId first = c.Finish();
  const auto judge = [&](ValueId output, std::vector<double>& given) {
    const Estimate expected = c.Run(output);
    const Tensor actual = MakeTensor(expected.type.dtype, expected.type.shape, given);
    return Judge(c.graph, c.inputs, 0, expected, actual, 2).outside == 0;
  };
  return {judge(first, values), judge(first + 1, indices)};
}

TEST(Ranks, NoPositionOccursTwice) {
  EXPECT_EQ(FineRanks(true, {9, 9, 8}, {0, 1, 7}).indices, kFine);
  EXPECT_EQ(FineRanks(true, {9, 9, 8}, {1, 0, 7}).indices, kFine);
  EXPECT_EQ(FineRanks(true, {9, 9, 8}, {0, 0, 7}).indices, !kFine);
  EXPECT_EQ(FineRanks(false, {9, 9, 8}, {7, 7, 0}).indices, !kFine);
  EXPECT_EQ(FineRanks(false, {9, 9, 8}, {7, 1, 0}).indices, kFine);
}

TEST(Ranks, ArgsortIsAPermutationOfEachLine) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2, 3}, {1, 1, 1, 5, 4, 4}));
  const Estimate expected = c.Run(c.Begin(OpKind::kArgsort)
                                      .Arg(params::Argsort::kX, x)
                                      .Int(params::Argsort::kAxis, 1)
                                      .Bool(params::Argsort::kAscending, true)
                                      .Finish());
  const auto fine = [&](std::initializer_list<double> given) {
    return Judge(c.graph, c.inputs, 0, expected, MakeTensor(expected.type.dtype, {2, 3}, given), 2)
               .outside == 0;
  };
  EXPECT_EQ(fine({2, 0, 1, 1, 2, 0}), kFine);
  EXPECT_EQ(fine({0, 0, 0, 1, 2, 0}), !kFine);
  EXPECT_EQ(fine({2, 0, 1, 1, 1, 0}), !kFine);
  const Tensor repeated = MakeTensor(expected.type.dtype, {2, 3}, {2, 0, 1, 1, 1, 0});
  EXPECT_EQ(Judge(c.graph, c.inputs, 0, expected, repeated, 2).reason,
            "1 of 6 elements outside; worst at 4: 1 stands in its line already");
}

TEST(Ranks, UnsortedValuesMustBeElementsToo) {
  EXPECT_EQ(FineRanks(false, {8, 9, 9}, {7, 1, 0}).values, kFine);
  EXPECT_EQ(FineRanks(false, {8.5, 9, 9}, {7, 1, 0}).values, !kFine);
  EXPECT_EQ(FineRanks(false, {5, 9, 9}, {7, 1, 0}).values, !kFine);
}

bool Names(OpKind kind, Term term) {
  const auto terms = AllReferenceKernels()[static_cast<size_t>(kind)]->terms;
  return std::ranges::find(terms, term) != terms.end();
}

// Without a freedom of the contract, the positions that rest on it are not admitted.
TEST(Ranks, NameTheFreedomsThatTheirPositionsNeed) {
  constexpr int64_t kLong = 2051;
  std::vector<double> numbers(kLong);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  numbers[1] = 0;
  for (const OpKind kind : {OpKind::kArgsort, OpKind::kTopk}) {
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kFp32, {kLong}, numbers));
    c.Begin(kind).Arg(0, x);
    if (kind == OpKind::kTopk) c.Int(params::Topk::kK, kLong);
    const ValueId positions = c.Finish() + (kind == OpKind::kTopk ? 1u : 0u);
    const auto all = [&](Term without) {
      Contract contract = ConformingContract(2);
      if (without != Term::kWideIntermediate) contract.terms[static_cast<size_t>(without)] = 0;
      const Estimate estimate = c.Run(positions, contract);
      double width = 0;
      for (size_t i = 0; i < estimate.low.size(); ++i) width += estimate.high[i] - estimate.low[i];
      return width;
    };
    for (const Term term : {Term::kAnyTie, Term::kIndexRounding}) {
      EXPECT_LT(all(term), all(Term::kWideIntermediate)) << c.error;
      EXPECT_TRUE(Names(kind, term)) << GetOp(kind).schema.name;
    }
  }
}

// Reshaped and transposed positions are judged like the positions themselves.
TEST(Ranks, MustBePermutationsAlsoAfterAMove) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2, 3}, {1, 1, 1, 5, 4, 4}));
  const ValueId order = c.Begin(OpKind::kArgsort)
                            .Arg(params::Argsort::kX, x)
                            .Int(params::Argsort::kAxis, 1)
                            .Bool(params::Argsort::kAscending, true)
                            .Finish();
  const auto judged = [&](ValueId moved, std::initializer_list<double> given) {
    const Estimate expected = c.Run(moved);
    return Judge(c.graph, c.inputs, 0, expected,
                 MakeTensor(expected.type.dtype, expected.type.shape, given), 2)
        .verdict;
  };
  const ValueId reshaped = c.Begin(OpKind::kReshape)
                               .Arg(params::Reshape::kX, order)
                               .Ints(params::Reshape::kShape, {2, 1, 3, 1})
                               .Finish();
  EXPECT_EQ(judged(reshaped, {0, 0, 2, 2, 1, 0}), Verdict::kWrong);
  EXPECT_NE(judged(reshaped, {0, 1, 2, 2, 1, 0}), Verdict::kWrong);
  const ValueId turned = c.Begin(OpKind::kTranspose)
                             .Arg(params::Transpose::kX, order)
                             .Ints(params::Transpose::kPerm, {1, 0})
                             .Finish();
  EXPECT_EQ(judged(turned, {0, 2, 0, 1, 2, 0}), Verdict::kWrong);
  EXPECT_NE(judged(turned, {0, 2, 1, 1, 2, 0}), Verdict::kWrong);
  const ValueId flat = c.Begin(OpKind::kReshape)
                           .Arg(params::Reshape::kX, order)
                           .Ints(params::Reshape::kShape, {6})
                           .Finish();
  EXPECT_NE(judged(flat, {0, 1, 2, 2, 1, 0}), Verdict::kWrong) << "the lines are no longer known";
}

}  // namespace
}  // namespace anecheck
