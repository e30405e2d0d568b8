#include "harness/base/mapped_file.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/file.h"

namespace anecheck {
namespace {

class MappedFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDirectory::Create("anecheck-mapped-file-test-");
    ASSERT_TRUE(folder.ok()) << folder.error().message;
    folder_.emplace(*std::move(folder));
    ASSERT_TRUE(MakeDirectories(Path("model/weights")).ok());
    ASSERT_TRUE(WriteFileAtomic(Path("model/weights/w.bin"), std::string_view("abc")).ok());
    ASSERT_TRUE(WriteFileAtomic(Path("secret"), std::string_view("s")).ok());
  }
  std::string Path(std::string_view name) const { return folder_->File(name); }
  // Returns "" if `path` is inside the folder of the model, else the reason.
  std::string Refusal(const std::string& path) const {
    const std::string folder = Path("model");
    const auto real = ResolveInside(path, {&folder, 1});
    return real.ok() ? "" : real.error().message;
  }

  std::optional<TempDirectory> folder_;
};

TEST_F(MappedFileTest, HoldsTheFilesBytes) {
  auto file = MappedFile::Open(Path("secret"));
  ASSERT_TRUE(file.ok()) << file.error().message;
  MappedFile moved = std::move(*file);
  ASSERT_EQ(moved.bytes().size(), 1u);
  EXPECT_EQ(moved.bytes()[0], 's');
  ASSERT_TRUE(WriteFileAtomic(Path("empty"), std::string_view()).ok());
  const auto empty = MappedFile::Open(Path("empty"));
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(empty->bytes().empty());
}

TEST_F(MappedFileTest, RefusesIrregularFilesWithoutReadingThem) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  for (const std::string& path : {Path("pipe"), Path("model"), std::string("/dev/zero")}) {
    const auto file = MappedFile::Open(path);
    ASSERT_FALSE(file.ok()) << path;
    EXPECT_EQ(file.error().code, ErrorCode::kInvalid);
    EXPECT_EQ(file.error().message, path + ": is no regular file");
  }
  EXPECT_EQ(MappedFile::Open(Path("none")).error().code, ErrorCode::kNotFound);
}

// A read beyond the last page of the shortened file raises SIGBUS.
TEST_F(MappedFileTest, AShortenedFileEndsTheProcessWithAMessageThatNamesIt) {
  ASSERT_TRUE(WriteFileAtomic(Path("weights"), std::string(size_t{1} << 18, 'x')).ok());
  const auto read_shortened = [&] {
    EndAtShortenedFiles();
    const auto other = MappedFile::Open(Path("secret"));
    const auto file = MappedFile::Open(Path("weights"));
    if (truncate(Path("weights").c_str(), 1) != 0) std::_Exit(1);
    std::_Exit(file->bytes().back() == 'x' ? 3 : 4);
  };
  EXPECT_EXIT(read_shortened(), ::testing::ExitedWithCode(2),
              "^error: .*/weights: became shorter while it was read");
}

#ifdef __linux__
// Returns the number of bytes of mapped files that are in the memory of this process.
uint64_t MappedBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t size = 0, resident = 0, shared = 0;
  file >> size >> resident >> shared;
  return shared * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST_F(MappedFileTest, DroppedPagesLeaveTheMemory) {
  constexpr size_t kSize = size_t{16} << 20, kPart = size_t{1} << 16;
  ASSERT_TRUE(WriteFileAtomic(Path("large"), std::string(kSize, 'x')).ok());
  const auto file = MappedFile::Open(Path("large"));
  ASSERT_TRUE(file.ok());
  const uint64_t before = MappedBytes();
  uint64_t most = 0;
  for (size_t at = 0; at < kSize; at += kPart) {
    const auto part = file->bytes().subspan(at, kPart);
    ASSERT_EQ(part[0], 'x');
    DropPages(part);
    most = std::max(most, MappedBytes());
  }
  EXPECT_LT(most, before + kSize / 4);
  EXPECT_EQ(file->bytes()[kSize - 1], 'x') << "dropped pages are read from the file again";
}
#endif

TEST_F(MappedFileTest, PathsStayInsideTheFolders) {
  EXPECT_EQ(Refusal(Path("model/weights/w.bin")), "");
  EXPECT_EQ(Refusal(Path("model/weights/../weights/w.bin")), "");
  EXPECT_NE(Refusal(Path("model/../secret")).find("lies outside"), std::string::npos);
  EXPECT_NE(Refusal("/dev/zero").find("lies outside"), std::string::npos);
  ASSERT_EQ(symlink(Path("secret").c_str(), Path("model/out").c_str()), 0);
  EXPECT_NE(Refusal(Path("model/out")).find("lies outside"), std::string::npos);
  ASSERT_EQ(symlink("weights/w.bin", Path("model/in").c_str()), 0);
  EXPECT_EQ(Refusal(Path("model/in")), "");
  ASSERT_EQ(symlink(Path("model/b").c_str(), Path("model/a").c_str()), 0);
  ASSERT_EQ(symlink(Path("model/a").c_str(), Path("model/b").c_str()), 0);
  EXPECT_NE(Refusal(Path("model/a")).find("symbolic link"), std::string::npos)
      << Refusal(Path("model/a"));
  // This folder is outside of the model's folder, but its name begins with that folder's name.
  ASSERT_TRUE(MakeDirectories(Path("model2")).ok());
  ASSERT_TRUE(WriteFileAtomic(Path("model2/w"), std::string_view("w")).ok());
  EXPECT_NE(Refusal(Path("model2/w")).find("lies outside"), std::string::npos);
}

}  // namespace
}  // namespace anecheck
