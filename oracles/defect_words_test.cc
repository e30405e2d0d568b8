#include "oracles/defect_words.h"

#include <gtest/gtest.h>

#include "oracles/contract.h"

namespace anecheck {
namespace {

TEST(DefectWords, AreSpecificToTheOperationIfPossible) {
  EXPECT_EQ(DefectWords("D14", "sin"), "sin errs near its seams");
  EXPECT_EQ(DefectWords("D14", "cos"), "cos errs near its seams");
  EXPECT_EQ(DefectWords("D14", "conv"), "atan errs near its seams");
  EXPECT_EQ(DefectWords("X99"), "");
  for (const Departure& departure : KnownDepartures()) {
    EXPECT_NE(DefectWords(departure.id, departure.op), "") << departure.id;
  }
}

TEST(DefectWords, OfSeveralDefectsAreJoined) {
  EXPECT_EQ(DefectWords(DefectSet{"D10", "X99"}, "softsign"), "D10: softsign(+inf) is 0; X99");
  EXPECT_EQ(DefectWords(DefectSet()), "");
}

}  // namespace
}  // namespace anecheck
