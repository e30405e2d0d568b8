// Only the files of the current compilation may prove a placement. Files that the folder contained
// before must prove nothing.
#include "harness/runners/bundle_folder.h"

#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "harness/base/file.h"

namespace anecheck {
namespace {

constexpr std::string_view kEngine = R"(conv()[SelectedBackend = string("ane")];)";
constexpr std::string_view kOther = R"(conv()[SelectedBackend = string("bnns")];)";

class BundleFolderTest : public ::testing::Test {
 protected:
  std::string Analytics() const { return folder_->File("bundle/analytics.mil"); }
  // Acts like a compiler that writes a new file and renames it.
  void Replace(std::string_view text) { ASSERT_TRUE(WriteFileAtomic(Analytics(), text).ok()); }
  // Acts like a compiler that overwrites existing files.
  void WriteOver(std::string_view text) const {
    std::FILE* file = std::fopen(Analytics().c_str(), "r+");
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(std::fwrite(text.data(), 1, text.size(), file), text.size());
    std::fclose(file);
  }
  // Compiles a program and reads its backend.
  void Compile(std::string_view text) {
    ASSERT_TRUE(bundle_.Clear().ok());
    Replace(text);
    ASSERT_NE(bundle_.SelectedBackend(), "");
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-bundle-");
  BundleFolder bundle_{folder_->File("bundle")};
};

TEST_F(BundleFolderTest, AnalyticsProveOnlyTheirOwnProgram) {
  for (int program = 0; program < 3; ++program) {
    ASSERT_TRUE(bundle_.Clear().ok());
    EXPECT_EQ(bundle_.SelectedBackend(), "") << "nothing was compiled";
    ASSERT_TRUE(bundle_.Clear().ok());
    Replace(program == 1 ? kOther : kEngine);
    EXPECT_EQ(bundle_.SelectedBackend(), program == 1 ? "bnns" : "ane");
  }
  ASSERT_TRUE(bundle_.Clear().ok());
  EXPECT_EQ(bundle_.SelectedBackend(), "");
}

TEST_F(BundleFolderTest, AnOverwrittenFileShowsNothingOfItsOldContent) {
  Compile(std::string(kEngine) + std::string(kOther));
  ASSERT_TRUE(bundle_.Clear().ok());
  WriteOver(kEngine);
  EXPECT_EQ(bundle_.SelectedBackend(), "ane");
  ASSERT_TRUE(bundle_.Clear().ok());
  WriteOver("conv()");
  EXPECT_EQ(bundle_.SelectedBackend(), "");
}

TEST_F(BundleFolderTest, AFileFromBeforeTheCompilationProvesNothing) {
  Compile(kEngine);
  std::filesystem::rename(Analytics(), folder_->File("away.mil"));
  Replace(kEngine);
  ASSERT_TRUE(bundle_.Clear().ok());
  EXPECT_EQ(bundle_.SelectedBackend(), "");
  Compile(kEngine);
}

TEST_F(BundleFolderTest, ACompilerMayReplaceTheFolder) {
  Compile(kEngine);
  ASSERT_TRUE(bundle_.Clear().ok());
  std::filesystem::remove_all(bundle_.path());
  std::filesystem::create_directory(bundle_.path());
  Replace(kEngine);
  EXPECT_EQ(bundle_.SelectedBackend(), "ane");
  ASSERT_TRUE(bundle_.Clear().ok());
  std::filesystem::create_directory(bundle_.path() + "/parts");
  ASSERT_TRUE(WriteFileAtomic(bundle_.path() + "/parts/analytics.mil", kEngine).ok());
  EXPECT_EQ(bundle_.SelectedBackend(), "") << "one of the two files names no backend";
  Replace(kEngine);
  EXPECT_EQ(bundle_.SelectedBackend(), "ane");
}

}  // namespace
}  // namespace anecheck
