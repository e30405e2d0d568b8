// Reads, verifies and prints real hardware containers, and writes them back byte for byte.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/hwx/banner.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/testing/format_checks.h"

namespace anecheck::hwx {
namespace {

std::vector<std::string> RealFiles() { return testing::FilesUnder(testing::RealDataPath("hwx")); }

TEST(RealContainers, RoundTripBothWaysWithoutAViolation) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("hwx"));
  ASSERT_EQ(RealFiles().size(), 9u);
  for (const std::string& path : RealFiles()) {
    const auto bytes = ReadFile(path).value();
    testing::CheckValidFile(kFormat_hwx, bytes, path);
    EXPECT_TRUE(kFormat_hwx.verify(bytes)->empty()) << path;
  }
}

// The files are from compilers 7.6.4 and 9.509. Their outputs, catalogs and thread words differ
// from those of compiler 4.2.1.
TEST(RealContainers, OfNewerCompilersBreakNoRule) {
  const std::string folder = testing::RealDataPath("hwx_newer");
  ANECHECK_SKIP_WITHOUT(folder);
  ASSERT_FALSE(testing::FilesUnder(folder).empty());
  for (const std::string& path : testing::FilesUnder(folder)) {
    const auto bytes = ReadFile(path).value();
    testing::CheckValidFile(kFormat_hwx, bytes, path);
    for (const Violation& violation : *kFormat_hwx.verify(bytes)) {
      ADD_FAILURE() << path << ": " << violation.rule->id << ": " << violation.message;
    }
  }
}

// For each word, the print shows the name in table 23.11 and the name in the register list.
TEST(RealContainers, PrintBothReadingsOfTheTaskHeader) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("hwx"));
  const auto print = [](const char* file) {
    return *kFormat_hwx.print(ReadFile(testing::RealDataPath(file)).value());
  };
  const std::string concat = print("hwx/concat-0f988933.hwx");
  for (const char* line :
       {"header[1] 0x009c0000 NextSize=156 [table 23.11: size or latency; real files: words of the "
        "next task less one]\n",
        "header[2] 0x00000400 LogEvents=1024 [table 23.11: operation and engine configuration; "
        "real "
        "files: the same word for several operations]\n",
        "header[4] 0x00000068 DebugLogEvents=104 [table 23.11: configuration mask 0x00fff8xx; not "
        "so here, and in 11 of 35 tasks of real files]\n",
        "SrcLoc=1 DstLoc=1 [table 23.11: DMA or compute word; real files: flags]\n"}) {
    EXPECT_NE(concat.find(line), std::string::npos) << line;
  }
  EXPECT_NE(print("hwx/conv-8a6bd427.hwx").find("[table 23.11: configuration mask 0x00fff8xx; so"),
            std::string::npos);
}

// Both banners have the manifest of specification 000, with the bundle and its version.
TEST(RealContainers, OfNewerCompilersNameTheBundleOfTheCompiler) {
  const std::string folder = testing::RealDataPath("hwx_newer");
  ANECHECK_SKIP_WITHOUT(folder);
  for (const std::string& path : testing::FilesUnder(folder)) {
    const auto bytes = ReadFile(path).value();
    const Container container = Parse(bytes).value();
    const std::string_view text = container.build_infos.at(0).text;
    const Banner banner = ParseBanner(text);
    ASSERT_EQ(banner.modules.size(), 2u) << path;
    EXPECT_EQ(banner.modules[0].bundle, "com.apple.EspressoFramework");
    EXPECT_EQ(banner.modules[0].method, "V1");
    EXPECT_EQ(banner.modules[1].name, "ANEC");
    EXPECT_EQ(banner.modules[1].bundle, "com.apple.ANECompilerFramework");
    EXPECT_EQ(banner.modules[1].version, banner.version);
    EXPECT_EQ(banner.flags.front().name, "-t");
    EXPECT_TRUE(text.starts_with(MakeBanner(banner.compiler, banner.version, {}, banner.modules)))
        << "MakeBanner writes the manifest as the file has it";
    const std::string line = fmt::format(
        "  module ANEC: bundle com.apple.ANECompilerFramework, version {}\n", banner.version);
    EXPECT_NE(kFormat_hwx.print(bytes)->find(line), std::string::npos);
  }
}

// Tests the typed share of the bytes other than weights and fill. Most of a container is pages of
// zeros, which are fill. The share would be too small with them as untyped, and too large with them
// as typed.
TEST(RealContainers, AreTypedInNinetyFivePercentOfTheirBytes) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("hwx"));
  for (const std::string& path : RealFiles()) {
    const ByteCounts coverage = *kFormat_hwx.count_bytes(ReadFile(path).value());
    EXPECT_GE(coverage.TypedShare(), 0.95) << path;
    EXPECT_LT(coverage.TypedShareWithFill(), 0.5) << path;
    EXPECT_GT(coverage.fill, coverage.typed) << path;
    // The opaque bytes are nonzero words of thread commands, and nonzero registers of which only
    // the address is known.
    EXPECT_GE(coverage.Opaque(), 80u) << path;
    EXPECT_LE(coverage.Opaque(), 140u) << path;
  }
}

// The weight section of the relu file is a page of zeros that no tile claims.
TEST(RealContainers, ZerosThatNoTileClaimsAreFill) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("hwx/relu-d66a665b.hwx"));
  const Bytes relu = ReadFile(testing::RealDataPath("hwx/relu-d66a665b.hwx")).value();
  EXPECT_EQ(kFormat_hwx.count_bytes(relu)->payload, 0u);
  const Bytes conv = ReadFile(testing::RealDataPath("hwx/conv-8a6bd427.hwx")).value();
  EXPECT_GT(kFormat_hwx.count_bytes(conv)->payload, 0u);
}

TEST(RealContainers, PrintNamesTargetCompilerTensorsAndTasks) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("hwx/concat-0f988933.hwx"));
  const auto bytes = ReadFile(testing::RealDataPath("hwx/concat-0f988933.hwx")).value();
  const std::string text = *kFormat_hwx.print(bytes);
  for (const char* expected :
       {"target: H13\n", "compiler: zin_ane_compiler 4.2.1, -t h13\n", "tasks: 2\n",
        "  input input_0: float16 [1, 16384, 1, 1] strides s1048576n/s64c/s64h/s2w\n",
        "  output output@output: float16 [1, 16400, 1, 1] strides s1049600n/s64c/s64h/s2w\n",
        "  __TEXT           vm 0x30000000 + 0x8000, file 0x4000 + 0x8000, protection r-x\n",
        "  input_1 at 0x30008000 (command 0x06)\n", "task 1 at 0x300, 628 bytes, last\n"}) {
    EXPECT_NE(text.find(expected), std::string::npos) << expected;
  }
}

TEST(RealContainers, TruncationAtEvery64thByteIsAnErrorWithAnOffset) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("hwx"));
  for (const std::string& path : RealFiles()) {
    const auto bytes = ReadFile(path).value();
    for (size_t size = 0; size < bytes.size(); size += 64) {
      const auto parsed = Parse(ByteSpan(bytes).first(size));
      ASSERT_FALSE(parsed.ok()) << path << " cut to " << size;
      EXPECT_NE(parsed.error().offset, Error::kNoOffset);
      EXPECT_EQ(parsed.error().message.find('\n'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace anecheck::hwx
