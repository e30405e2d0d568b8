#include "harness/models/model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
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

TEST_F(ModelTest, ErrorsOfAWeightFileHaveNoPlaceInTheText) {
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

TEST_F(ModelTest, ANetworkOfEspressoIsRefusedAsOne) {
  for (const char* text : {R"({"storage": "w", "format_version": 200, "layers": []})",
                           R"({"layer_shapes": {"x": {"n": 1}}})"}) {
    const std::string path = Write("model.espresso.net", text);
    EXPECT_EQ(ErrorOf(path),
              path +
                  ": is a network of Espresso, which `anecheck inspect` shows; its layers are "
                  "not evaluated: give the model as an ML Program, as MIL text or as a graph");
  }
}

TEST_F(ModelTest, AGivenFileThatTheModelDoesNotNameIsRefused) {
  const auto error = [](const std::string& path, std::vector<std::string> given) {
    const auto model = Model::Open(path, {.files = std::move(given)});
    return model.ok() ? "" : model.error().message;
  };
  const std::string none = Write("none.mil", ProgramOf(Relu("main", 4)));
  EXPECT_EQ(error(none, {"/a/w.bin"}),
            none + ": --weights /a/w.bin: the model names no weight file");
  const auto constant = [](std::string_view name, std::string_view file) {
    return fmt::format(
        " tensor<fp16, [4]> {} = const()[val = tensor<fp16, [4]>(BLOBFILE(path = "
        "string(\"@model_path/{}\"), offset = uint64(64)))];\n",
        name, file);
  };
  const std::string two =
      Write("two.mil", ProgramOf("func main<ios18>(tensor<fp16, [4]> x) {\n" +
                                 constant("v", "v.bin") + constant("w", "w.bin") +
                                 " tensor<fp16, [4]> y = add(x = v, y = w);\n} -> (y);\n"));
  EXPECT_EQ(error(two, {"/a/w.bin", "/a/v.bin"}), "");
  EXPECT_EQ(error(two, {"/a/w.bin", "/a/u.bin"}),
            two + ": --weights /a/u.bin: the model names v.bin, w.bin, none of that name");
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

// Every real description is read, except one with an input of a type that graphs do not read.
TEST(RealNetworks, AreReadAsModels) {
  const std::string folder = testing::RealDataPath("netlist");
  ANECHECK_SKIP_WITHOUT(folder);
  const std::map<std::string, std::string> refused = {
      {"simple_convuint8-2a24af46.plist",
       "input image: needs extents of one rank and type Float16"},
  };
  size_t read = 0;
  for (const std::string& path : testing::FilesUnder(folder)) {
    const auto model = Model::Open(path, {.made_up = true});
    ASSERT_TRUE(model.ok()) << path << ": " << model.error().message;
    const auto graph = model->Read();
    const auto known = refused.find(path.substr(path.rfind('/') + 1));
    if (known == refused.end()) {
      EXPECT_TRUE(graph.ok()) << path << ": " << graph.error().message;
      ++read;
    } else {
      ASSERT_FALSE(graph.ok()) << path;
      EXPECT_NE(graph.error().message.find(known->second), std::string::npos)
          << graph.error().message;
    }
  }
  EXPECT_EQ(read, 19u);
}

// The kernels are Float32 in one file, and the bias is Float16 in another.
TEST(RealNetworks, WeightsComeFromTheFileOfTheirIndex) {
  const std::string path = testing::RealDataPath("netlist/net-a18df353.plist");
  ANECHECK_SKIP_WITHOUT(path);
  auto folder = TempDirectory::Create("anecheck-model-test-");
  ASSERT_TRUE(folder.ok());
  const auto copy = [&](const std::string& from, const std::string& to) {
    const auto bytes = ReadFile(testing::RealDataPath(from));
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    ASSERT_TRUE(WriteFileAtomic(folder->File(to), std::span<const uint8_t>(*bytes)).ok());
  };
  copy("netlist/net-a18df353.plist", "net.plist");
  copy("weights/model.espresso-3ebfe1fc.weights", "model.espresso.weights");
  copy("weights/net.additional-31188c55.weights", "net.additional.weights");
  const auto model = Model::Open(folder->File("net.plist"));
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto read = model->Read();
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->made_up, 0u);
  std::vector<int64_t> elements;
  for (const ValueId id : read->graph.ValuesOfKind(ValueKind::kConst)) {
    EXPECT_EQ(read->graph.type(id).dtype, DType::kFp16);
    elements.push_back(read->graph.type(id).shape.Elements());
  }
  EXPECT_EQ(elements, (std::vector<int64_t>{6, 2}));
}

}  // namespace
}  // namespace anecheck
