// Checks each row of harness/formats/DIFFERENCES.md that has real files: `inspect` must print the
// difference for the right number of files.
#include <gtest/gtest.h>
#include <string>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/registry/registry.h"

namespace anecheck {
namespace {

struct Row {
  std::string folder;    // of the real files
  std::string file;      // part of their names; empty for all
  std::string sentence;  // that inspect prints
  size_t files;          // that show it
};

const Row kRows[] = {
    {"hwx", "", "(command 0x06); the specification gives", 9},
    {"hwx", "", "the specification puts weights in __KERN_0,__kern_0", 9},
    {"hwx", "", "the specification names a 12-byte header there", 9},
    {"hwx", "", "more than 8 tiles; the specification says min(8, lanes)", 1},
    {"hwx", "", "rounded up to a multiple of 64; the specification gives 0xC0", 4},
    {"hwx", "", "the specification's identity layer has two, of which the first converts", 4},
    {"hwx", "", "does not have the specification's 24 entries", 9},
    {"hwx", "", "is the convolution configuration, which does not tell the operation", 1},
    {"netlist", "", "version \"1.0.9\"; specification 000, table 23.1 says 1.0.10", 20},
    {"netlist", "", "specification 004 says ProcedureList", 20},
    {"espresso", ".net", "this is JSON; specification 004 calls", 2},
    {"mil", "", "table 23.1 names 3520.4.1", 11},
    {"mil", "", "where the notes spell T", 11},
    {"weights", "", "bytes of plain values", 3},
    {"weights", "model.espresso", "table of", 1},
    {"vmfb", "", "specification 002 states form 2019-12; this form has other fields", 3},
};

TEST(DifferencesTest, InspectNamesThemForTheRealFilesThatShowThem) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("hwx"));
  for (const Row& row : kRows) {
    size_t files = 0;
    for (const std::string& path : testing::FilesUnder(testing::RealDataPath(row.folder))) {
      if (path.find(row.file) == std::string::npos) continue;
      const Bytes bytes = ReadFile(path).value();
      const auto text = RecogniseFormat(bytes, path).value()->print(bytes);
      files += text.ok() && text->find(row.sentence) != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(files, row.files) << row.sentence;
  }
}

// Each of the 55 real files is recognised. Each except the two compressed files is also verified
// without an error, printed, and written back.
TEST(RealFilesTest, EveryFileIsReadVerifiedPrintedAndWrittenBack) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("hwx"));
  size_t files = 0;
  size_t compressed = 0;
  for (const char* folder : {"espresso", "hwx", "mil", "netlist", "vmfb", "weights"}) {
    for (const std::string& path : testing::FilesUnder(testing::RealDataPath(folder))) {
      SCOPED_TRACE(path);
      ++files;
      const Bytes bytes = ReadFile(path).value();
      const Format& format = *RecogniseFormat(bytes, path).value();
      if (const auto form = format.rewrite(bytes);
          !form.ok() && form.error().code == ErrorCode::kUnsupported) {
        ++compressed;
        continue;
      }
      const auto violations = format.verify(bytes).value();
      for (const Violation& violation : violations) {
        EXPECT_TRUE(violation.IsWarning()) << violation.message;
      }
      EXPECT_FALSE(format.print(bytes).value().empty());
      EXPECT_EQ(format.rewrite(bytes).value(), bytes);
      EXPECT_EQ(format.from_json(format.to_json(bytes).value()).value(), bytes);
      const ByteCounts coverage = format.count_bytes(bytes).value();
      EXPECT_GE(coverage.TypedShare(), 0.95) << "the typed share without fill";
      EXPECT_GE(static_cast<double>(coverage.typed + coverage.fill),
                0.95 * static_cast<double>(coverage.total - coverage.payload))
          << "the share of typed bytes and fill";
    }
  }
  EXPECT_EQ(files, 55u);
  EXPECT_EQ(compressed, 2u) << "networks of Espresso, which are refused by name";
}

}  // namespace
}  // namespace anecheck
