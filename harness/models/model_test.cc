#include "harness/models/model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/formats/milweights/weight_file.h"

namespace anecheck {
namespace {

class ModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDirectory::Create("anecheck-model-test-");
    ASSERT_TRUE(folder.ok()) << folder.error().message;
    folder_.emplace(*std::move(folder));
  }
  std::string Path(std::string_view name) const { return folder_->File(name); }
  std::string Write(std::string_view name, std::string_view text) const {
    EXPECT_TRUE(WriteFileAtomic(Path(name), text).ok());
    return Path(name);
  }
  std::string ErrorOf(const std::string& path, std::string_view function = {}) const {
    const auto model = Model::Open(path);
    if (!model.ok()) return model.error().message;
    const auto graph = model->Read(function);
    return graph.ok() ? "" : graph.error().message;
  }

  std::optional<TempDirectory> folder_;
};

std::string Relu(std::string_view function, int extent) {
  return fmt::format(
      "func {0}<ios18>(tensor<fp16, [1, {1}]> x) {{\n tensor<fp16, [1, {1}]> y = relu(x = x);\n}} "
      "-> (y);\n",
      function, extent);
}
std::string ProgramOf(std::string_view functions) {
  return fmt::format("program(1.3)\n{{\n{}}}", functions);
}

TEST_F(ModelTest, EachFunctionIsReadByItsName) {
  const std::string path = Write("two.mil", ProgramOf(Relu("prefill", 4) + Relu("decode", 1)));
  const auto model = Model::Open(path);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->functions(), (std::vector<std::string>{"prefill", "decode"}));
  const auto decode = model->Read("decode");
  ASSERT_TRUE(decode.ok()) << decode.error().message;
  EXPECT_EQ(decode->graph.name, "decode");
  EXPECT_EQ(decode->graph.type(0).shape, (Shape{1, 1}));
  EXPECT_EQ(ErrorOf(path), path +
                               ": the program has no function \"main\" but prefill, decode; "
                               "name one with --function");
  EXPECT_EQ(ErrorOf(path, "encode"),
            path +
                ": the program has no function \"encode\" but prefill, decode; name one with "
                "--function");
}

TEST_F(ModelTest, TwoFunctionsOfOneNameAreRefused) {
  const std::string path = Write("same.mil", ProgramOf(Relu("main", 4) + Relu("main", 1)));
  EXPECT_EQ(ErrorOf(path), path + ": 6:1: the program has two functions \"main\" (offset 0x6b)");
}

TEST_F(ModelTest, AnErrorOfAWeightFileIsNoPlaceInTheText) {
  const std::string path = Write(
      "model.mil",
      ProgramOf("func main<ios18>(tensor<fp16, [4]> x) {\n tensor<fp16, [4]> w = const()[val = "
                "tensor<fp16, [4]>(BLOBFILE(path = string(\"@model_path/w.bin\"), offset = "
                "uint64(64)))];\n tensor<fp16, [4]> y = add(x = x, y = w);\n} -> (y);\n"));
  Write("w.bin", std::string(64, '\0'));
  EXPECT_EQ(ErrorOf(path).find(fmt::format("{}: {}: weight blob at 0x40: ", path, Path("w.bin"))),
            0u)
      << ErrorOf(path);
}

TEST_F(ModelTest, ConstantsOfALargeFileAreNotCopied) {
  milweights::WeightFileWriter writer;
  ASSERT_TRUE(writer.Append(mil::DataType::kFp16, Bytes(8, 0x3c)).ok());
  ASSERT_TRUE(WriteFileAtomic(Path("w.bin"), std::move(writer).Take()).ok());
  const std::string path = Write(
      "model.mil",
      ProgramOf("func main<ios18>(tensor<fp16, [4]> x) {\n tensor<fp16, [4]> w = const()[val = "
                "tensor<fp16, [4]>(BLOBFILE(path = string(\"w.bin\"), offset = uint64(64)))];\n "
                "tensor<fp16, [4]> y = add(x = x, y = w);\n} -> (y);\n"));
  const auto model = Model::Open(path);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto read = model->Read();
  ASSERT_TRUE(read.ok()) << read.error().message;
  const ValueId w = *read->graph.FindValue("w");
  const Graph copy = read->graph;
  EXPECT_TRUE(copy.value(w).shared);
  EXPECT_EQ(copy.ConstData(w).data(), read->graph.ConstData(w).data());
  EXPECT_EQ(copy.ConstData(w)[0], 0x3c);
}

}  // namespace
}  // namespace anecheck
