// The weight files that a model names: the files that are opened, and the messages for the others.
#include "harness/models/weight_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/formats/milweights/weight_file.h"

namespace anecheck {
namespace {

const TensorType kRow{DType::kFp16, {4}};

class WeightFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDirectory::Create("anecheck-weight-files-test-");
    ASSERT_TRUE(folder.ok()) << folder.error().message;
    folder_.emplace(*std::move(folder));
    ASSERT_TRUE(MakeDirectories(Path("model/weights")).ok());
    ASSERT_TRUE(MakeDirectories(Path("elsewhere")).ok());
    WriteRow("model/weights/a.bin", 1);
    WriteRow("model/weights/b.bin", 2);
    WriteRow("elsewhere/c.bin", 3);
  }
  std::string Path(std::string_view name) const { return folder_->File(name); }
  // A file of one fp16 row; every byte of the row is `byte`.
  void WriteRow(std::string_view name, uint8_t byte) const {
    milweights::WeightFileWriter writer;
    ASSERT_TRUE(writer.Append(mil::DataType::kFp16, Bytes(8, byte)).ok());
    ASSERT_TRUE(WriteFileAtomic(Path(name), std::move(writer).Take()).ok());
  }
  WeightFiles Files(std::vector<std::string> named, WeightOptions options = {}) const {
    return WeightFiles(Path("model"), named, std::move(options));
  }
  // Returns the first byte of the row in the file `path`, or the error's message without the
  // folder.
  std::string First(WeightFiles& files, std::string_view path, uint64_t offset = 64) const {
    const auto bytes = files.Read(path, offset, kRow);
    if (bytes.ok()) return std::to_string(bytes->bytes[0]);
    EXPECT_EQ(bytes.error().offset, Error::kNoOffset);
    std::string message = bytes.error().message;
    const size_t at = message.find(folder_->path());
    return at == std::string::npos ? message : message.erase(at, folder_->path().size());
  }

  std::optional<TempDirectory> folder_;
};

TEST_F(WeightFilesTest, EachConstantIsReadFromItsOwnFile) {
  WeightFiles files = Files({"@model_path/weights/a.bin", "@model_path/weights/b.bin"});
  EXPECT_EQ(First(files, "@model_path/weights/a.bin"), "1");
  EXPECT_EQ(First(files, "@model_path/weights/b.bin"), "2");
  EXPECT_EQ(First(files, "weights/b.bin"), "2");
  EXPECT_EQ(files.made_up_count(), 0u);
}

TEST_F(WeightFilesTest, OpensNothingOutsideOfTheModelsFolderUnlessAllowed) {
  ASSERT_EQ(symlink(Path("elsewhere/c.bin").c_str(), Path("model/link.bin").c_str()), 0);
  const std::string absolute = Path("elsewhere/c.bin");
  for (const std::string& path :
       {std::string("/dev/zero"), std::string("/dev/stdin"), absolute,
        std::string("@model_path/../elsewhere/c.bin"), std::string("@model_path/link.bin"),
        std::string("../elsewhere/c.bin")}) {
    WeightFiles files = Files({path}, {.made_up = true});
    EXPECT_NE(First(files, path).find("lies outside of the model's folder"), std::string::npos)
        << path << ": " << First(files, path);
    EXPECT_EQ(files.made_up_count(), 0u) << path;
    WeightFiles allowed = Files({path}, {.allowed = {Path("elsewhere")}});
    if (path[0] != '/' || path == absolute) EXPECT_EQ(First(allowed, path), "3") << path;
  }
}

TEST_F(WeightFilesTest, IrregularFilesAreRefusedAtOnce) {
  ASSERT_EQ(mkfifo(Path("model/pipe").c_str(), 0600), 0);
  ASSERT_EQ(symlink("loop", Path("model/loop").c_str()), 0);
  WeightFiles files = Files({}, {.made_up = true});
  EXPECT_EQ(First(files, "pipe"), "/model/pipe: is no regular file");
  EXPECT_EQ(First(files, "weights"), "/model/weights: is no regular file");
  EXPECT_NE(First(files, "loop").find("symbolic link"), std::string::npos);
  EXPECT_EQ(First(files, std::string_view("a\0b", 3)),
            "the path of a weight file holds a zero byte");
}

// A clone without its large files contains such pointers.
TEST_F(WeightFilesTest, APointerOfGitLfsCountsAsAMissingFile) {
  const std::string_view pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
  ASSERT_TRUE(WriteFileAtomic(Path("model/weights/pointer.bin"), pointer).ok());
  WeightFiles files = Files({"weights/pointer.bin"});
  EXPECT_EQ(First(files, "weights/pointer.bin"),
            "/model/weights/pointer.bin: is a pointer of Git LFS, not the file itself; fetch it "
            "with `git lfs pull`; name the file with --weights, or give --made-up-weights");
  WeightFiles made_up = Files({"weights/pointer.bin"}, {.made_up = true});
  EXPECT_TRUE(made_up.Read("weights/pointer.bin", 64, kRow).ok());
  EXPECT_EQ(made_up.missing(), std::set<std::string>{Path("model/weights/pointer.bin")});
}

TEST_F(WeightFilesTest, AMissingFileIsAnErrorUnlessNumbersMayBeMadeUp) {
  WeightFiles files = Files({"weights/none.bin"});
  EXPECT_EQ(First(files, "weights/none.bin"),
            "/model/weights/none.bin: cannot read: No such file or directory; name the file with "
            "--weights, or give --made-up-weights");
  WeightFiles made_up = Files({"weights/none.bin", "weights/b.bin"}, {.made_up = true});
  EXPECT_TRUE(made_up.Read("weights/none.bin", 64, kRow).ok());
  EXPECT_EQ(First(made_up, "weights/b.bin"), "2");
  EXPECT_EQ(made_up.made_up_count(), 1u);
  EXPECT_EQ(made_up.missing(), std::set<std::string>{Path("model/weights/none.bin")});
}

// `inspect` has no option for weights.
TEST_F(WeightFilesTest, AGivenRemedyReplacesTheAdviceAboutOptions) {
  ASSERT_TRUE(WriteFileAtomic(Path("model/pointer.bin"),
                              "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
                  .ok());
  for (const char* name : {"none.bin", "../a.bin", "pointer.bin"}) {
    WeightFiles files = Files({name}, {.remedy = "do this"});
    const std::string error = First(files, name);
    EXPECT_TRUE(error.ends_with("; do this")) << error;
    EXPECT_EQ(error.find("--"), std::string::npos) << error;
  }
}

TEST_F(WeightFilesTest, AGivenFileReplacesTheNamedOneOfItsName) {
  WriteRow("elsewhere/b.bin", 4);
  WeightFiles files = Files({"weights/a.bin", "weights/b.bin"},
                            {.files = {Path("elsewhere/b.bin"), Path("elsewhere/c.bin")}});
  EXPECT_EQ(First(files, "weights/a.bin"), "1");
  EXPECT_EQ(First(files, "weights/b.bin"), "4");
  WeightFiles single =
      Files({"weights/a.bin", "weights/a.bin"}, {.files = {Path("elsewhere/c.bin")}});
  EXPECT_EQ(First(single, "weights/a.bin"), "3");
}

TEST_F(WeightFilesTest, ErrorsInsideAFileNameItAndTheOffset) {
  WeightFiles files = Files({"weights/a.bin"});
  EXPECT_EQ(First(files, "weights/a.bin", 128).find("/model/weights/a.bin: weight blob at 0x80: "),
            0u);
}

TEST_F(WeightFilesTest, DataOutliveTheFiles) {
  SharedBytes bytes;
  {
    WeightFiles files = Files({});
    auto read = files.Read("weights/b.bin", 64, kRow);
    ASSERT_TRUE(read.ok()) << read.error().message;
    bytes = *read;
  }
  EXPECT_EQ(std::vector<uint8_t>(bytes.bytes.begin(), bytes.bytes.end()),
            std::vector<uint8_t>(8, 2));
}

}  // namespace
}  // namespace anecheck
