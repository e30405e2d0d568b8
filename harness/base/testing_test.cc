// Tests the test helpers. A helper that wrongly finds nothing would let other tests pass.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <sstream>
#include <zlib.h>

#include "harness/base/file.h"
#include "harness/base/testing/generators.h"
#include "harness/base/testing/shell.h"
#include "harness/base/testing/test_data.h"

namespace anecheck::testing {
namespace {

TEST(TestData, FoldersFollowTheEnvironment) {
  const char* old = std::getenv("ANECHECK_REAL_DATA");
  const std::string saved = old != nullptr ? old : "";
  setenv("ANECHECK_REAL_DATA", "/some/where", 1);
  EXPECT_EQ(RealDataPath("mil/a.mil"), "/some/where/mil/a.mil");
  unsetenv("ANECHECK_REAL_DATA");
  EXPECT_EQ(RealDataPath("x"), SourcePath("../shared/real/x"));
  if (old != nullptr) setenv("ANECHECK_REAL_DATA", saved.c_str(), 1);
  EXPECT_TRUE(VectorPath("x").ends_with("/x"));
  EXPECT_TRUE(PathExists(SourcePath("CMakeLists.txt")));
  EXPECT_FALSE(PathExists(SourcePath("no/such/file")));
}

TEST(TestData, FilesAreFoundAtAnyDepthAndSorted) {
  const auto folder = TempDirectory::Create("anecheck-testing-");
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(MakeDirectories(folder->File("b/c")).ok());
  ASSERT_TRUE(WriteFileAtomic(folder->File("b/c/d"), std::string_view("1")).ok());
  ASSERT_TRUE(WriteFileAtomic(folder->File("a"), std::string_view("2")).ok());
  EXPECT_EQ(FilesUnder(folder->path()),
            (std::vector<std::string>{folder->File("a"), folder->File("b/c/d")}));
  EXPECT_TRUE(FilesUnder(folder->File("none")).empty());
}

TEST(TestData, AFolderWithoutFilesIsNoTestData) {
  const auto folder = TempDirectory::Create("anecheck-testing-");
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(MakeDirectories(folder->File("b/c")).ok());
  EXPECT_FALSE(HasTestData(folder->path()));
  ASSERT_TRUE(WriteFileAtomic(folder->File("b/c/d"), std::string_view("1")).ok());
  EXPECT_TRUE(HasTestData(folder->path()));
  EXPECT_TRUE(HasTestData(folder->File("b/c/d")));
  EXPECT_FALSE(HasTestData(folder->File("none")));
}

TEST(TestData, UnpacksGzip) {
  const auto folder = TempDirectory::Create("anecheck-testing-");
  ASSERT_TRUE(folder.ok());
  const std::string path = folder->File("a.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  const std::string text(100'000, 'z');
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), 100'000);
  ASSERT_EQ(gzclose(file), Z_OK);
  EXPECT_EQ(*ReadGzipFile(path), text);

  auto packed = ReadFile(path);
  ASSERT_TRUE(packed.ok());
  packed->at(packed->size() / 2) ^= 0xff;
  ASSERT_TRUE(WriteFileAtomic(path, *packed).ok());
  EXPECT_FALSE(ReadGzipFile(path).ok());
  EXPECT_EQ(ReadGzipFile(folder->File("none")).error().code, ErrorCode::kNotFound);
}

// The tests of SkipReport run this test in a separate process.
TEST(SkipReport, DISABLED_SkipsForWantOfAFile) { ANECHECK_SKIP_WITHOUT("/no/such/folder"); }

// Returns the exit code of this binary when it runs only the test above, with `variables` in its
// environment.
int ExitCodeOfSkip(const std::string& variables) {
  const std::string command = variables + " '" + ::testing::internal::GetArgvs().front() +
                              "' --gtest_also_run_disabled_tests"
                              " --gtest_filter=SkipReport.DISABLED_* >/dev/null 2>&1";
  return testing::ExitCodeOf(command);
}

TEST(SkipReport, ATestWithoutItsDataFailsIfDataIsRequired) {
  EXPECT_EQ(ExitCodeOfSkip("ANECHECK_REQUIRE_DATA=0"), 0);
  EXPECT_EQ(ExitCodeOfSkip("ANECHECK_REQUIRE_DATA=1"), 1);
}

TEST(SkipReport, NamesTheTestAndItsReason) {
  const auto folder = TempDirectory::Create("anecheck-testing-");
  ASSERT_TRUE(folder.ok());
  const std::string path = folder->File("skipped");
  ASSERT_EQ(ExitCodeOfSkip("ANECHECK_REQUIRE_DATA=0 ANECHECK_SKIP_REPORT='" + path + "'"), 0);
  const auto bytes = ReadFile(path);
  ASSERT_TRUE(bytes.ok());
  const std::string text(bytes->begin(), bytes->end());
  EXPECT_THAT(text, ::testing::StartsWith(
                        "SkipReport.DISABLED_SkipsForWantOfAFile: no data: /no/such/folder is"));
}

// Draws with fixed seeds, so that every run has the same values.
template <typename T>
std::vector<T> Draw(const rc::Gen<T>& gen) {
  std::vector<T> values;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    values.push_back(gen(rc::Random(seed), static_cast<int>(seed % 100)).value());
  }
  return values;
}

TEST(Generators, ReachTheSpecialValues) {
  const auto halves = Draw(AnyHalf());
  EXPECT_TRUE(std::ranges::any_of(halves, &Half::IsNan));
  EXPECT_TRUE(std::ranges::any_of(halves, &Half::IsInf));
  EXPECT_TRUE(std::ranges::any_of(halves, &Half::IsZero));
  EXPECT_TRUE(std::ranges::any_of(halves, &Half::IsSubnormal));
  EXPECT_TRUE(std::ranges::all_of(Draw(FiniteHalf()), &Half::IsFinite));
  EXPECT_TRUE(std::ranges::none_of(Draw(NumberHalf()), &Half::IsNan));
  EXPECT_TRUE(std::ranges::any_of(Draw(NumberHalf()), &Half::IsInf));
  EXPECT_TRUE(std::ranges::any_of(Draw(AnyDouble()), [](double value) {
    return std::isfinite(value) && HalfToDouble(DoubleToHalf(value)) != value;
  }));
  EXPECT_TRUE(std::ranges::any_of(Draw(AnyFloat()), [](float value) {
    return std::isfinite(value) && FloatToHalf(value).IsInf();
  }));
  const auto modes = Draw(AnyRounding());
  EXPECT_EQ(std::set<Rounding>(modes.begin(), modes.end()).size(), 5U);
}

TEST(Generators, HalvesPrintTheirBitsAndValue) {
  std::ostringstream out;
  showValue(Half{0x3c00}, out);
  EXPECT_EQ(out.str(), "Half 0x3c00 (1)");
  out.str("");
  showValue(Half{0x0001}, out);
  EXPECT_EQ(out.str(), "Half 0x0001 (5.960464477539063e-08)");
}

TEST(Generators, BytesVaryInLengthUnlessTheSizeIsGiven) {
  size_t longest = 0;
  for (const auto& bytes : Draw(AnyBytes())) longest = std::max(longest, bytes.size());
  EXPECT_GT(longest, 10U);
  for (const auto& bytes : Draw(BytesOfSize(7))) EXPECT_EQ(bytes.size(), 7U);
}

}  // namespace
}  // namespace anecheck::testing
