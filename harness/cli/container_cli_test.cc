// Tests of the commands that read and write containers, on real containers.
#include <span>
#include <string>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/cli/testing/tool_test.h"

namespace anecheck {
namespace {

using Outcome = testing::ToolOutcome;
using CliTest = testing::ToolTest;

struct RealContainer {
  std::string name;  // the file's name
  int tasks;
  std::vector<std::string> tensors;  // name, type, extents, strides
};
const RealContainer kRealContainers[] = {
    {"concat-0f988933",
     2,
     {"input input_0: float16 [1, 16384, 1, 1] strides s1048576n/s64c/s64h/s2w",
      "input input_1: float16 [1, 16, 1, 1] strides s1024n/s64c/s64h/s2w",
      "output output@output: float16 [1, 16400, 1, 1] strides s1049600n/s64c/s64h/s2w"}},
    {"conv-8a6bd427",
     1,
     {"input image: float16 [1, 3, 1, 1] strides s192n/s64c/s64h/s2w",
      "output probs@output: float16 [1, 3, 1, 1] strides s192n/s64c/s64h/s2w"}},
    {"gemm-ef7e5c24",
     1,
     {"input image: float16 [1, 64, 1, 1] strides s4096n/s64c/s64h/s2w",
      "output probs@output: float16 [1, 64, 1, 1] strides s4096n/s64c/s64h/s2w"}},
    {"model_golden-32a7ae2d",
     1,
     {"input image: float16 [1, 3, 1, 1] strides s192n/s64c/s64h/s2w",
      "output probs@output: float16 [1, 3, 1, 1] strides s192n/s64c/s64h/s2w"}},
    {"model_golden-c20271e3",
     1,
     {"input image: float16 [1, 3, 1, 1] strides s192n/s64c/s64h/s2w",
      "output probs@output: float16 [1, 3, 1, 1] strides s192n/s64c/s64h/s2w"}},
    {"model_signed-4e6bd6e6",
     1,
     {"input image: float16 [1, 3, 1, 1] strides s192n/s64c/s64h/s2w",
      "output probs@output: float16 [1, 2, 1, 1] strides s128n/s64c/s64h/s2w"}},
    {"relu-d66a665b",
     1,
     {"input image: float16 [1, 1, 1, 16] strides s64n/s64c/s64h/s2w",
      "output probs@output: float16 [1, 1, 1, 16] strides s64n/s64c/s64h/s2w"}},
    {"sigmoid-7cc79341",
     1,
     {"input image: float16 [1, 1, 1, 77] strides s192n/s192c/s192h/s2w",
      "output probs@output: float16 [1, 1, 1, 77] strides s192n/s192c/s192h/s2w"}},
    {"sum-1b1855b8",
     1,
     {"input image: float16 [1, 64, 1, 1] strides s4096n/s64c/s64h/s2w",
      "input image2: float16 [1, 64, 1, 1] strides s4096n/s64c/s64h/s2w",
      "output probs@output: float16 [1, 64, 1, 1] strides s4096n/s64c/s64h/s2w"}}};

TEST_F(CliTest, InspectNamesTheContentOfEachRealContainer) {
  const std::string folder = testing::RealDataPath("hwx");
  ANECHECK_SKIP_WITHOUT(folder);
  EXPECT_EQ(testing::FilesUnder(folder).size(), std::size(kRealContainers));
  for (const RealContainer& container : kRealContainers) {
    const Outcome outcome = Tool("inspect --verify " + folder + "/" + container.name + ".hwx");
    EXPECT_EQ(outcome.code, 0) << container.name << outcome.err;
    std::vector<std::string> expected = {"target: H13\n",
                                         "compiler: zin_ane_compiler 4.2.1, -t h13\n",
                                         "tasks: " + std::to_string(container.tasks) + "\n"};
    expected.insert(expected.end(), container.tensors.begin(), container.tensors.end());
    for (const std::string& line : expected) {
      EXPECT_NE(outcome.out.find(line), std::string::npos) << container.name << ": " << line;
    }
  }
}

TEST_F(CliTest, InspectAndEncodeAreInverse) {
  const std::string folder = testing::RealDataPath("hwx");
  ANECHECK_SKIP_WITHOUT(folder);
  const std::string path = testing::FilesUnder(folder).front();
  const Outcome json = Tool("inspect --json " + path);
  ASSERT_EQ(json.code, 0) << json.err;
  ASSERT_TRUE(WriteFileAtomic(Path("file.json"), json.out).ok());
  const Outcome encoded = Tool("encode " + Path("file.json") + " " + Path("file.hwx"));
  ASSERT_EQ(encoded.code, 0) << encoded.err;
  EXPECT_EQ(*ReadFile(Path("file.hwx")), *ReadFile(path));
}

TEST_F(CliTest, ATruncatedContainerGivesAnErrorLineWithAnOffset) {
  const std::string folder = testing::RealDataPath("hwx");
  ANECHECK_SKIP_WITHOUT(folder);
  const auto bytes = ReadFile(testing::FilesUnder(folder).front());
  ASSERT_TRUE(bytes.ok());
  for (size_t size = 64; size < 4096; size += 512) {
    ASSERT_TRUE(WriteFileAtomic(Path("cut.hwx"), std::span(*bytes).first(size)).ok());
    const Outcome outcome = Tool("inspect " + Path("cut.hwx"));
    EXPECT_EQ(outcome.code, 2) << size;
    EXPECT_NE(outcome.err.find("0x"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace anecheck
