// Input and output of whole files.
#include "harness/base/file.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/mapped_file.h"
#include "harness/base/testing/generators.h"
#include "harness/base/testing/test_data.h"

namespace anecheck {
namespace {

using testing::PathExists;

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDirectory::Create("anecheck-file-test-");
    ASSERT_TRUE(folder.ok()) << folder.error().message;
    folder_.emplace(*std::move(folder));
  }
  std::string Path(std::string_view name) const { return folder_->File(name); }

  std::optional<TempDirectory> folder_;
};

RC_GTEST_FIXTURE_PROP(FileTest, WrittenFilesReadBack, ()) {
  if (!folder_) SetUp();
  const auto bytes = *testing::AnyBytes();
  RC_ASSERT(WriteFileAtomic(Path("a"), bytes).ok());
  const auto read = ReadFile(Path("a"));
  RC_ASSERT(read.ok());
  RC_ASSERT(*read == bytes);
}

TEST_F(FileTest, ReadsFilesLargerThanItsBuffer) {
  std::string text(300'001, 'x');
  text[200'000] = 'y';
  ASSERT_TRUE(WriteFileAtomic(Path("a"), text).ok());
  const auto read = ReadTextFile(Path("a"));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, text);
}

TEST_F(FileTest, RefusesOnlyFilesAboveTheLimit) {
  ASSERT_TRUE(WriteFileAtomic(Path("a"), std::string_view("12345")).ok());
  EXPECT_TRUE(ReadFile(Path("a"), 5).ok());
  const auto read = ReadFile(Path("a"), 4);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kLimit);
  EXPECT_EQ(read.error().message, Path("a") + ": more than 4 bytes");
}

TEST_F(FileTest, ReadingAnEndlessDeviceStopsAtTheLimit) {
  const auto read = ReadFile("/dev/zero", 1'000'000);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kLimit);
}

TEST_F(FileTest, ErrorsNameThePathAndTheReason) {
  const auto missing = ReadFile(Path("none"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().message, Path("none") + ": cannot open: No such file or directory");

  const auto folder = ReadTextFile(folder_->path());
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(folder.error().message, folder_->path() + ": cannot read: Is a directory");

  const Status nowhere = WriteFileAtomic(Path("none/a"), std::string_view("x"));
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().message, Path("none/a") + ": cannot create: No such file or directory");
}

TEST_F(FileTest, RefusesPointersOfGitLfsAndGitAnnex) {
  const std::string of_lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
  for (const auto& [text, words] :
       {std::pair(of_lfs,
                  "is a pointer of Git LFS, not the file itself; fetch it with `git lfs pull`"),
        std::pair(
            std::string("/annex/objects/SHA256E-s9--0.bin\n"),
            "is a pointer of git-annex, not the file itself; fetch it with `git annex get`")}) {
    ASSERT_TRUE(WriteFileAtomic(Path("pointer"), text).ok());
    const auto refused = [&](const auto& read) {
      ASSERT_FALSE(read.ok()) << words;
      EXPECT_EQ(read.error().code, ErrorCode::kNotFound);
      EXPECT_EQ(read.error().message, fmt::format("{}: {}", Path("pointer"), words));
    };
    refused(ReadFile(Path("pointer")));
    refused(ReadTextFile(Path("pointer")));
    refused(MappedFile::Open(Path("pointer")));
  }
  // A file that begins like a pointer of Git LFS but is longer is no pointer.
  ASSERT_TRUE(WriteFileAtomic(Path("notes"), of_lfs + std::string(1024, 'x')).ok());
  EXPECT_TRUE(ReadFile(Path("notes")).ok());
  EXPECT_TRUE(MappedFile::Open(Path("notes")).ok());
}

TEST_F(FileTest, ReplacesALinkInsteadOfWritingThroughIt) {
  // /dev/full refuses every write, so a write through the link would fail.
  if (!PathExists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  ASSERT_EQ(symlink("/dev/full", Path("full").c_str()), 0);
  const Status status = WriteFileAtomic(Path("full"), std::string_view("x"));
  EXPECT_TRUE(status.ok()) << "the link is replaced, not followed";
  EXPECT_EQ(*ReadTextFile(Path("full")), "x");
}

TEST_F(FileTest, AFailedReplacementLeavesNothingBehind) {
  ASSERT_TRUE(MakeDirectories(Path("folder")).ok());
  const Status status = WriteFileAtomic(Path("folder"), std::string_view("x"));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalid);
  EXPECT_NE(status.error().message.find("cannot replace"), std::string::npos);
  const auto files = ListFiles(folder_->path());
  ASSERT_TRUE(files.ok());
  EXPECT_TRUE(files->empty());
}

#if defined(O_TMPFILE)

// A limit of the file size kills the process during the write.
TEST_F(FileTest, AKilledWriterLeavesTheOldFileAlone) {
  const int nameless = open(folder_->path().c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (nameless < 0) GTEST_SKIP() << "this file system has no files without a name";
  close(nameless);
  ASSERT_TRUE(WriteFileAtomic(Path("old"), std::string_view("x")).ok());
  for (const char* name : {"old", "fresh"}) {
    const std::string path = Path(name);
    const std::string large(100'000, 'y');
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const rlimit none = {0, 0}, small = {4096, 4096};
      setrlimit(RLIMIT_CORE, &none);
      setrlimit(RLIMIT_FSIZE, &small);
      signal(SIGXFSZ, SIG_DFL);
      _exit(WriteFileAtomic(path, large).ok() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_EQ(*ListFiles(folder_->path()), std::vector<std::string>{"old"}) << name;
    EXPECT_EQ(*ReadTextFile(Path("old")), "x");
  }
}

#endif

TEST_F(FileTest, DescriptorsAreClosed) {
  ASSERT_TRUE(WriteFileAtomic(Path("a"), std::string_view("x")).ok());
  const int before = dup(0);
  close(before);
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE(ReadFile(Path("a")).ok());
    ASSERT_TRUE(WriteFileAtomic(Path("a"), std::string_view("x")).ok());
    ASSERT_FALSE(ReadFile(Path("a"), 0).ok());
  }
  const int after = dup(0);
  close(after);
  EXPECT_EQ(after, before) << "the lowest free descriptor is the same as before";
}

TEST_F(FileTest, PermissionsFollowTheUmask) {
  const mode_t old = umask(027);
  ASSERT_TRUE(WriteFileAtomic(Path("a"), std::string_view("x")).ok());
  umask(old);
  struct stat status{};
  ASSERT_EQ(stat(Path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST_F(FileTest, MakesFoldersWithTheirParents) {
  ASSERT_TRUE(MakeDirectories(Path("a/b/c")).ok());
  ASSERT_TRUE(MakeDirectories(Path("a/b/c")).ok());
  EXPECT_TRUE(PathExists(Path("a/b/c")));
  ASSERT_TRUE(WriteFileAtomic(Path("f"), std::string_view("x")).ok());
  const Status blocked = MakeDirectories(Path("f/g"));
  ASSERT_FALSE(blocked.ok());
  EXPECT_EQ(blocked.error().message, Path("f/g") + ": cannot make folder: Not a directory");
}

TEST_F(FileTest, ListsRegularFilesSorted) {
  for (const char* name : {"b", "a", "C"}) {
    ASSERT_TRUE(WriteFileAtomic(Path(name), std::string_view("x")).ok());
  }
  ASSERT_TRUE(MakeDirectories(Path("folder")).ok());
  const auto files = ListFiles(folder_->path());
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(*files, (std::vector<std::string>{"C", "a", "b"}));
  const auto missing = ListFiles(Path("none"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

TEST(TempDirectory, RemovesItsContentWithItself) {
  std::string path;
  {
    auto folder = TempDirectory::Create("anecheck-temp-test-");
    ASSERT_TRUE(folder.ok());
    path = folder->path();
    EXPECT_NE(path.find("/anecheck-temp-test-"), std::string::npos);
    EXPECT_EQ(folder->File("a"), path + "/a");
    ASSERT_TRUE(MakeDirectories(folder->File("a/b")).ok());
    ASSERT_TRUE(WriteFileAtomic(folder->File("a/b/c"), std::string_view("x")).ok());
    EXPECT_TRUE(PathExists(path + "/a/b/c"));
  }
  EXPECT_FALSE(PathExists(path));
}

TEST(TempDirectory, AssignmentRemovesTheOldFolderAndKeepLeavesTheNewOne) {
  auto first = TempDirectory::Create("anecheck-temp-test-");
  auto second = TempDirectory::Create("anecheck-temp-test-");
  ASSERT_TRUE(first.ok() && second.ok());
  const std::string first_path = first->path();
  const std::string second_path = second->path();
  EXPECT_NE(first_path, second_path);
  *first = *std::move(second);
  EXPECT_FALSE(PathExists(first_path)) << "assignment removes the folder that is replaced";
  EXPECT_TRUE(PathExists(second_path));
  EXPECT_EQ(first->Keep(), second_path);
  first = MakeError(ErrorCode::kInternal, "dropped");
  EXPECT_TRUE(PathExists(second_path));
  EXPECT_EQ(rmdir(second_path.c_str()), 0);
}

TEST(TempDirectory, InMemoryPrefersTmpdir) {
  const auto place = TempDirectory::Create("anecheck-temp-test-");
  ASSERT_TRUE(place.ok());
  const char* before = getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", place->path().c_str(), 1);
  const auto named = TempDirectory::CreateInMemory("folder-");
  unsetenv("TMPDIR");
  const auto plain = TempDirectory::CreateInMemory("anecheck-temp-test-");
  if (before != nullptr) setenv("TMPDIR", kept.c_str(), 1);
  ASSERT_TRUE(named.ok());
  EXPECT_TRUE(named->path().starts_with(place->path() + "/folder-")) << named->path();
  ASSERT_TRUE(plain.ok());
  EXPECT_TRUE(std::filesystem::is_directory(plain->path()));
}

TEST(TempDirectory, RemovesAnAdoptedFolder) {
  auto first = TempDirectory::Create("anecheck-temp-test-");
  ASSERT_TRUE(first.ok());
  const std::string path = first->Keep();
  {
    const TempDirectory adopted = TempDirectory::Adopt(path);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TempDirectory, FailsIfTheParentFolderIsMissing) {
  const auto folder = TempDirectory::Create("no/such/folder-");
  ASSERT_FALSE(folder.ok());
  EXPECT_NE(folder.error().message.find("cannot make temporary folder"), std::string::npos);
}

}  // namespace
}  // namespace anecheck
