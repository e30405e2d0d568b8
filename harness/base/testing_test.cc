// Laws of the test helpers themselves: a helper that finds nothing would make other tests pass.
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sstream>
#include <zlib.h>

#include "harness/base/file.h"
#include "harness/base/testing/generators.h"
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

TEST(Generators, ReachTheSpecialValues) {
  int nans = 0;
  int infinities = 0;
  int subnormals = 0;
  int inexact = 0;
  int overflowing_floats = 0;
  rc::check("sample", [&] {
    const Half half = *AnyHalf();
    nans += half.IsNan() ? 1 : 0;
    infinities += half.IsInf() ? 1 : 0;
    subnormals += half.IsSubnormal() ? 1 : 0;
    const double value = *AnyDouble();
    inexact += HalfToDouble(DoubleToHalf(value)) != value ? 1 : 0;
    overflowing_floats += FloatToHalf(*AnyFloat()).IsInf() ? 1 : 0;
    RC_ASSERT((*FiniteHalf()).IsFinite());
    RC_ASSERT(!(*NumberHalf()).IsNan());
    RC_ASSERT((*BytesOfSize(7)).size() == 7U);
    RC_ASSERT(static_cast<int>(*AnyRounding()) <= static_cast<int>(Rounding::kDown));
  });
  EXPECT_GT(nans, 0);
  EXPECT_GT(infinities, 0);
  EXPECT_GT(subnormals, 0);
  EXPECT_GT(inexact, 0);
  EXPECT_GT(overflowing_floats, 0);
}

TEST(Generators, HalvesPrintTheirBitsAndValue) {
  std::ostringstream out;
  showValue(Half{0x3c00}, out);
  EXPECT_EQ(out.str(), "Half 0x3c00 (1)");
}

TEST(Generators, BytesVaryInLength) {
  size_t longest = 0;
  rc::check("sample", [&] { longest = std::max(longest, (*AnyBytes()).size()); });
  EXPECT_GT(longest, 10U);
}

}  // namespace
}  // namespace anecheck::testing
