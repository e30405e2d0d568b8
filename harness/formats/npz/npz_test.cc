// Tests .npz files, and compares the results with NumPy if it is installed.
#include "harness/formats/npz/npz.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/file.h"
#include "harness/formats/npz/zip.h"

namespace anecheck::npz {
namespace {

std::vector<NamedArray> Sample() {
  return {{"x", {ElementType::kFloat16, {2, 2}, {0, 0x3c, 0, 0xbc, 1, 0, 0, 0x7c}}},
          {"mask", {ElementType::kBool, {3}, {1, 0, 1}}},
          {"s", {ElementType::kInt64, {}, {5, 0, 0, 0, 0, 0, 0, 0}}},
          {"empty", {ElementType::kFloat32, {0, 4}, {}}}};
}

TEST(Npz, ArraysReadBackInOrder) {
  for (const bool compress : {false, true}) {
    const auto bytes = WriteNpz(Sample(), compress);
    ASSERT_TRUE(bytes.ok());
    const auto arrays = ReadNpz(*bytes);
    ASSERT_TRUE(arrays.ok()) << arrays.error().message;
    EXPECT_EQ(*arrays, Sample());
    EXPECT_EQ(*WriteNpz(Sample(), compress), *bytes);
  }
}

TEST(Npz, CompressedArchivesAreSmaller) {
  const std::vector<NamedArray> arrays = {
      {"x", {ElementType::kUint8, {100'000}, std::vector<uint8_t>(100'000)}}};
  EXPECT_LT(WriteNpz(arrays, true)->size(), 2000U);
  EXPECT_GT(WriteNpz(arrays, false)->size(), 100'000U);
}

TEST(Npz, NamesMustBePresentAndUnique) {
  std::vector<NamedArray> arrays = Sample();
  arrays[1].name = "x";
  EXPECT_EQ(WriteNpz(arrays).error().message, "npz: array name 'x' is empty or comes twice");
  arrays[1].name = "";
  EXPECT_EQ(WriteNpz(arrays).error().code, ErrorCode::kInvalid);
  arrays = Sample();
  arrays[0].array.data.pop_back();
  EXPECT_TRUE(WriteNpz(arrays).error().message.starts_with("x: npy: shape (2, 2) of <f2"));
}

TEST(Npz, MembersMustBeArraysWithUniqueNames) {
  ZipArchive archive;
  ASSERT_TRUE(AddToZip(archive, "readme.txt", std::vector<uint8_t>{1}, false).ok());
  ASSERT_TRUE(FinishZip(archive).ok());
  EXPECT_EQ(ReadNpz(WriteZip(archive)).error().message,
            "npz: member 'readme.txt' is no .npy array");

  ZipArchive twice;
  const auto npy = WriteNpy(Sample()[0].array);
  ASSERT_TRUE(npy.ok());
  ASSERT_TRUE(AddToZip(twice, "x.npy", *npy, false).ok());
  ASSERT_TRUE(AddToZip(twice, "x.npy", *npy, false).ok());
  ASSERT_TRUE(FinishZip(twice).ok());
  EXPECT_EQ(ReadNpz(WriteZip(twice)).error().message, "npz: member 'x' comes twice");
}

TEST(Npz, ErrorsInAStoredMemberCountFromTheFilesStart) {
  ZipArchive archive;
  ASSERT_TRUE(AddToZip(archive, "x.npy", std::vector<uint8_t>{0x93, 'N', 'U'}, false).ok());
  ASSERT_TRUE(FinishZip(archive).ok());
  const auto arrays = ReadNpz(WriteZip(archive));
  ASSERT_FALSE(arrays.ok());
  EXPECT_EQ(arrays.error().message, "x: npy.magic: need 6 bytes at 0x23, 3 left");
}

TEST(Npz, TheLimitCountsAllMembersTogether) {
  const auto bytes = WriteNpz(Sample(), true);
  ASSERT_TRUE(bytes.ok());
  EXPECT_TRUE(ReadNpz(*bytes, 4 * 128 + 8 + 3 + 8).ok());
  EXPECT_EQ(ReadNpz(*bytes, 4 * 128 + 8 + 3 + 8 - 1).error().code, ErrorCode::kLimit);
}

TEST(Npz, ErrorsOfFilesNameTheirPath) {
  const auto folder = TempDirectory::Create("anecheck-npz-");
  ASSERT_TRUE(folder.ok());
  const std::string path = folder->File("a.npz");
  ASSERT_TRUE(WriteNpzFile(path, Sample()).ok());
  EXPECT_EQ(*ReadNpzFile(path), Sample());
  ASSERT_TRUE(WriteFileAtomic(path, std::string_view("PK")).ok());
  EXPECT_EQ(ReadNpzFile(path).error().message,
            path + ": zip: no end record: not a ZIP file, or cut short");
  ASSERT_TRUE(WriteFileAtomic(path, *WriteNpy(Sample()[0].array)).ok());
  EXPECT_EQ(ReadNpzFile(path).error().message,
            path +
                ": a .npy file holds one array without a name; write it with "
                "numpy.savez(FILE, name=array) as .npz");
  EXPECT_EQ(ReadNpzFile(folder->File("none")).error().code, ErrorCode::kNotFound);
}

// Runs a Python program that imports numpy. Returns false if numpy is missing.
bool RunNumPy(const std::string& program, const std::string& folder) {
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    const std::string probe = std::string(python) + " -c 'import numpy' >/dev/null 2>&1";
    if (std::system(probe.c_str()) != 0) continue;
    const std::string path = folder + "/program.py";
    EXPECT_TRUE(WriteFileAtomic(path, program).ok());
    const std::string command = "cd " + folder + " && " + python + " " + path;
    EXPECT_EQ(std::system(command.c_str()), 0);
    return true;
  }
  return false;
}

TEST(Npz, NumPyReadsOurFilesAndWeReadItsFiles) {
  const auto folder = TempDirectory::Create("anecheck-npz-");
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(WriteNpzFile(folder->File("stored.npz"), Sample(), false).ok());
  ASSERT_TRUE(WriteNpzFile(folder->File("deflated.npz"), Sample(), true).ok());
  const std::string program = R"(
import numpy as np
for name in ("stored", "deflated"):
    a = np.load(name + ".npz")
    assert list(a) == ["x", "mask", "s", "empty"], list(a)
    assert a["x"].dtype == np.float16 and a["x"].shape == (2, 2)
    assert a["x"][0, 0] == 1 and a["x"][0, 1] == -1 and np.isinf(a["x"][1, 1])
    assert a["mask"].tolist() == [True, False, True] and a["s"] == 5
    np.savez("numpy_" + name + ".npz", **a)
    np.savez_compressed("numpy_packed_" + name + ".npz", **a)
)";
  if (!RunNumPy(program, folder->path())) GTEST_SKIP() << "python3 with numpy is missing";
  for (const char* name : {"numpy_stored.npz", "numpy_packed_stored.npz"}) {
    const auto arrays = ReadNpzFile(folder->File(name));
    ASSERT_TRUE(arrays.ok()) << arrays.error().message;
    EXPECT_EQ(*arrays, Sample());
    const auto bytes = ReadFile(folder->File(name));
    ASSERT_TRUE(bytes.ok());
    const auto archive = ParseZip(*bytes);
    ASSERT_TRUE(archive.ok());
    EXPECT_EQ(WriteZip(*archive), *bytes);
  }
}

}  // namespace
}  // namespace anecheck::npz
