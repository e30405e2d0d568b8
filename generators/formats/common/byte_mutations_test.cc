// Byte mutations can be replayed, change only the bytes that their parameters select, and refuse
// parameters that do not fit the file.

#include "generators/formats/common/byte_mutations.h"

#include <gtest/gtest.h>

namespace anecheck {
namespace {

const Bytes kBytes = {0, 1, 2, 3, 4, 5, 6, 7};

TEST(Patch, WritesLittleEndianFields) {
  const Mutation patch = MakePatch("p", {{1, 2, 0xa1b2}, {7, 1, 0xff}});
  EXPECT_EQ(patch.parameters, (std::vector<uint64_t>{1, 2, 0xa1b2, 7, 1, 0xff}));
  EXPECT_EQ(*ApplyPatch(kBytes, patch), (Bytes{0, 0xb2, 0xa1, 3, 4, 5, 6, 0xff}));
  EXPECT_FALSE(ApplyPatch(kBytes, MakePatch("p", {{7, 2, 0}})).ok());
  EXPECT_FALSE(ApplyPatch(kBytes, MakePatch("p", {{0, 1, 256}})).ok());
  EXPECT_FALSE(ApplyPatch(kBytes, MakePatch("p", {{0, 9, 0}})).ok());
  EXPECT_FALSE(ApplyPatch(kBytes, {"p", {1, 2}}).ok());
}

TEST(Resize, CutsAndFills) {
  EXPECT_EQ(*ApplyResize(kBytes, MakeResize("r", 2)), (Bytes{0, 1}));
  EXPECT_EQ(ApplyResize(kBytes, MakeResize("r", 9, 7))->back(), 7);
  EXPECT_FALSE(ApplyResize(kBytes, MakeResize("r", 100000)).ok());
}

TEST(Runs, MoveRepeatAndCut) {
  EXPECT_EQ(*ApplyMove(kBytes, MakeMove("m", 0, 2, 6)), (Bytes{2, 3, 4, 5, 6, 7, 0, 1}));
  EXPECT_EQ(*ApplyRepeat(kBytes, MakeRepeat("d", 6, 2)), (Bytes{0, 1, 2, 3, 4, 5, 6, 7, 6, 7}));
  EXPECT_EQ(*ApplyCut(kBytes, MakeCut("c", 1, 6)), (Bytes{0, 7}));
  EXPECT_FALSE(ApplyMove(kBytes, MakeMove("m", 0, 2, 7)).ok());
  EXPECT_FALSE(ApplyRepeat(kBytes, MakeRepeat("d", 7, 2)).ok());
  EXPECT_FALSE(ApplyCut(kBytes, MakeCut("c", 9, 0)).ok());
}

}  // namespace
}  // namespace anecheck
