// Tests weight files: real files, the table of blobs, and edits.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/testing/generators.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/netweights/netweights_format.h"
#include "harness/formats/netweights/weight_file.h"
#include "harness/formats/testing/format_checks.h"

namespace anecheck::netweights {
namespace {

using testing::RealDataPath;

WeightFile TwoBlobs() {
  WeightFile file;
  file.has_table = true;
  file.blobs = {{0, Bytes(8, 0)}, {1, Bytes{0x00, 0x3c, 0x00, 0x40, 0, 0, 0, 0}}};
  return file;
}

TEST(RealWeights, EveryFileParsesVerifiesPrintsAndRoundTrips) {
  ANECHECK_SKIP_WITHOUT(RealDataPath("weights"));
  const std::vector<std::string> paths = testing::FilesUnder(RealDataPath("weights"));
  EXPECT_EQ(paths.size(), 4U);
  for (const std::string& path : paths) {
    testing::CheckValidFile(kFormat_netweights, ReadFile(path).value(), path);
  }
}

TEST(RealWeights, TheTablePutsTheKernelAtTheDescriptionsOffset) {
  const std::string path = RealDataPath("weights/model.espresso-3ebfe1fc.weights");
  ANECHECK_SKIP_WITHOUT(path);
  const WeightFile file = ParseWeightFile(ReadFile(path).value()).value();
  ASSERT_TRUE(file.has_table);
  ASSERT_EQ(file.blobs.size(), 4U);
  EXPECT_EQ(BlobOffset(file, 3), 192U);        // KernelOffset of min and net
  EXPECT_EQ(file.blobs[3].bytes.size(), 24U);  // 2 x 3 fp32
}

TEST(WeightFile, PlainValuesHaveNoTable) {
  const Bytes plain = {0x00, 0x3c, 0x00, 0x3c};
  EXPECT_FALSE(HasBlobTable(plain));
  EXPECT_EQ(WriteWeightFile(ParseWeightFile(plain).value()), plain);
}

// No header distinguishes a table from values. A file is a table if its last blob ends at the end
// of the file.
TEST(WeightFile, ATableThatDoesNotEndWithTheFileIsPlainValues) {
  const Bytes table = WriteWeightFile(TwoBlobs());
  EXPECT_TRUE(HasBlobTable(table));
  Bytes shorter = table;
  shorter.pop_back();
  Bytes longer = table;
  longer.push_back(0);
  for (const Bytes& bytes : {shorter, longer, Bytes(4096, 0)}) {
    EXPECT_FALSE(HasBlobTable(bytes));
    EXPECT_FALSE(ParseWeightFile(bytes)->has_table);
    EXPECT_EQ(WriteWeightFile(*ParseWeightFile(bytes)), bytes);
  }
}

TEST(NetweightsFormat, PrintsATable) {
  EXPECT_EQ(kFormat_netweights.print(WriteWeightFile(TwoBlobs())).value(),
            "weight file, table of 2 blobs; these bytes may be plain values too, because no header "
            "distinguishes the two\n"
            "  blob 0 at 0x28, 8 bytes: fp16 0 0 0 0, fp32 0 0\n"
            "  blob 1 at 0x30, 8 bytes: fp16 1 2 0 0, fp32 2.003662 0\n");
}

TEST(NetweightsFormat, EditingABlobChangesOnlyItsBytes) {
  const Bytes bytes = WriteWeightFile(TwoBlobs());
  Json json = kFormat_netweights.to_json(bytes).value();
  json["blobs"][0]["data"] = "AQAAAAAAAAA=";
  Bytes expected = bytes;
  expected[40] = 1;
  EXPECT_EQ(kFormat_netweights.from_json(json).value(), expected);
  json["blobs"][0]["data"] = 5;
  EXPECT_FALSE(kFormat_netweights.from_json(json).ok());
}

RC_GTEST_PROP(NetweightsFormat, AnyFileOfBlobsRoundTrips, ()) {
  WeightFile file;
  file.has_table = true;
  const auto count = *rc::gen::inRange<size_t>(1, 6);
  for (size_t i = 0; i < count; ++i) {
    file.blobs.push_back({i, *testing::BytesOfSize(8 * *rc::gen::inRange<size_t>(0, 6))});
  }
  const Bytes bytes = WriteWeightFile(file);
  testing::CheckValidFile(kFormat_netweights, bytes, "any.weights");
  // The checks above do not find that a table is read as plain values.
  const WeightFile back = ParseWeightFile(bytes).value();
  RC_ASSERT(back.has_table);
  RC_ASSERT(back.blobs.size() == count);
  for (size_t i = 0; i < count; ++i) {
    RC_ASSERT(back.blobs[i].id == i);
    RC_ASSERT(back.blobs[i].bytes == file.blobs[i].bytes);
  }
}

}  // namespace
}  // namespace anecheck::netweights
