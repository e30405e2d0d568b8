// Packages and compiled models: reading, writing, and hostile files.
#include "harness/models/package.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include "generators/graph_generator.h"
#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mlmodel/model.h"
#include "harness/formats/netlist/model.h"
#include "harness/graph/fingerprint.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/lowering/graph_to_netlist.h"
#include "harness/lowering/netlist_axes.h"
#include "harness/models/inspected_model.h"
#include "harness/models/model.h"

namespace anecheck {
namespace {

class PackageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDirectory::Create("anecheck-package-test-");
    ASSERT_TRUE(folder.ok()) << folder.error().message;
    folder_.emplace(*std::move(folder));
  }
  std::string Path(std::string_view name) const { return folder_->File(name); }
  void Write(std::string_view name, std::string_view text) const {
    const std::string path = Path(name);
    ASSERT_TRUE(MakeDirectories(std::filesystem::path(path).parent_path().string()).ok());
    ASSERT_TRUE(WriteFileAtomic(path, text).ok());
  }
  // The error of opening the model, or "" if there is none.
  std::string ErrorOf(std::string_view name) const {
    const auto model = Model::Open(Path(name));
    return model.ok() ? "" : model.error().message;
  }
  void WriteManifest(std::string_view package, std::string_view path) const {
    Write(fmt::format("{}/Manifest.json", package),
          fmt::format(
              R"({{"fileFormatVersion": "1.0.0", "itemInfoEntries": {{"A": {{"path": "{}"}}}},)"
              R"("rootModelIdentifier": "A"}})",
              path));
  }

  std::optional<TempDirectory> folder_;
};

TEST_F(PackageTest, GeneratedGraphsRoundTripThroughAPackage) {
  constexpr CaseMode kModes[] = {CaseMode::kFloat, CaseMode::kCompressed, CaseMode::kState};
  for (uint64_t seed = 0; seed < 60; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Graph graph;
    GenerateGraph(choices, {.family = 6, .mode = kModes[seed % std::size(kModes)]}, graph);
    const auto program = GraphToMilProgram(graph, {.in_text = -1, .least = 0});
    ASSERT_TRUE(program.ok());
    const auto bytes = mlmodel::ModelBytes(*mil::Parse(program->text));
    // Core ML has no inputs or outputs of some types that an engine has.
    if (!bytes.ok() && bytes.error().code == ErrorCode::kUnsupported) continue;
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    const std::string package = Path(fmt::format("{}.mlpackage", seed));
    ASSERT_TRUE(WritePackage(package, *bytes, program->weights).ok());
    const auto model = Model::Open(package + "/");
    ASSERT_TRUE(model.ok()) << model.error().message;
    const auto read = model->Read();
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(GraphFingerprint(graph), GraphFingerprint(read->graph)) << seed;
    EXPECT_FALSE(WritePackage(package, *bytes, program->weights).ok())
        << "the package exists already";
  }
}

TEST_F(PackageTest, RealPackagesAndCompiledModelsAreRead) {
  const std::string folder = testing::RealDataPath("models");
  ANECHECK_SKIP_WITHOUT(folder);
  for (const char* name :
       {"unified_mixed.mlpackage", "unified_mixed.mlmodelc", "unified_palette_4bit.mlmodelc"}) {
    const auto model = Model::Open(folder + "/" + name);
    ASSERT_TRUE(model.ok()) << model.error().message;
    const auto read = model->Read();
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->made_up, 0u) << name;
    EXPECT_GT(read->graph.nodes().size(), 50u) << name;
  }
}

TEST_F(PackageTest, InputsOfOpenExtentTakeTheModelsDefaults) {
  const auto bytes =
      mlmodel::ModelBytes(*mil::Parse("program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, ?]> x) "
                                      "{\n tensor<fp16, [1, ?]> y = relu(x "
                                      "= x);\n} -> (y);\n}"));
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  Write("open.mlmodel", *bytes);
  const auto model = Model::Open(Path("open.mlmodel"));
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->Read()->graph.type(0).shape, (Shape{1, 1}));
  EXPECT_EQ(model->Read("", {{"x", {1, 7}}})->graph.type(0).shape, (Shape{1, 7}));
}

// The last field claims more bytes than the file has, so the content does not look like a model.
TEST_F(PackageTest, ADamagedModelFileIsCalledDamaged) {
  const std::string bytes("\x08\x07\xb2\x1f\xff\xff\xff\xff\x0fxx", 11);
  Write("damaged.mlmodel", bytes);
  const auto model = Model::Open(Path("damaged.mlmodel"));
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.error().message, ::testing::HasSubstr("damaged, or no protocol buffers"));
  const auto inspected = InspectModel(Path("damaged.mlmodel"));
  ASSERT_FALSE(inspected.ok());
  EXPECT_THAT(inspected.error().message, ::testing::HasSubstr("damaged, or no protocol buffers"));
  Write("text.mlmodel",
        "program(1.3)\n{\n func main<ios18>(tensor<fp16, [2]> x) {\n"
        "tensor<fp16, [2]> y = relu(x = x);\n} -> (y);\n}");
  EXPECT_TRUE(Model::Open(Path("text.mlmodel")).ok());
}

TEST_F(PackageTest, NetworkDescriptionsAreModelsWithTheirWeights) {
  size_t with_weights = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Graph graph;
    GenerateGraph(choices, {.family = 2}, graph);
    const auto program = GraphToNetlist(graph);
    if (!program.ok()) continue;
    const Bytes description = netlist::Write(program->description);
    Write("net/net.plist", {reinterpret_cast<const char*>(description.data()), description.size()});
    Write(fmt::format("net/{}", kNetlistWeightFile),
          {reinterpret_cast<const char*>(program->weights.data()), program->weights.size()});
    const auto model = Model::Open(Path("net/net.plist"));
    ASSERT_TRUE(model.ok()) << model.error().message;
    const auto read = model->Read();
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->graph.outputs().size(), graph.outputs().size());
    const auto again = GraphToNetlist(read->graph);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again->weights, program->weights) << seed;
    with_weights += program->weights.empty() ? 0 : 1;
  }
  EXPECT_GE(with_weights, 3u);
}

TEST_F(PackageTest, FilesBesideModelsAreRecognised) {
  const auto describe = [](std::string_view text, std::string_view name) {
    return DescribeCompanion({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, name)
        .value_or("");
  };
  EXPECT_EQ(describe(R"({"itemInfoEntries": {"A": {"path": "a/b"}}})", "x/Manifest.json"),
            "the manifest of a Core ML package: a/b; inspect the package itself");
  EXPECT_EQ(describe(R"([{"metadataOutputVersion": "3.0", "inputSchema": [{"name": "x"}]}])",
                     "metadata.json"),
            "the metadata of a compiled Core ML model: inputs x, outputs none");
  EXPECT_NE(describe(std::string_view("\xf6\x01\0\0\x05", 5), "coremldata.bin").find("ML Program"),
            std::string::npos);
  EXPECT_NE(describe(std::string_view("\x08\0\0\0\0\0\0\0", 8), "a.ane").find("Linux driver"),
            std::string::npos);
  EXPECT_EQ(describe("{}", "Manifest.json"), "");
  EXPECT_EQ(describe("", "coremldata.bin"), "");
  for (const auto& [name, text] : std::initializer_list<std::pair<const char*, std::string>>{
           {"Manifest.json", R"({"itemInfoEntries": {"A": {"path": "a/b"}}})"},
           {"metadata.json", R"([{"metadataOutputVersion": "3.0"}])"},
           {"coremldata.bin", {"\xca\0\0\0", 4}}}) {
    Write(name, text);
    EXPECT_THAT(ErrorOf(name), ::testing::HasSubstr(": is the "));
    EXPECT_TRUE(ErrorOf(name).ends_with("; give the model's folder")) << ErrorOf(name);
  }
  Write("model.espresso.net", "pbze\x01");
  EXPECT_NE(ErrorOf("model.espresso.net").find("compressed by LZFSE (pbze)"), std::string::npos);
}

TEST_F(PackageTest, InspectionNamesThePartsOfAModel) {
  const auto bytes =
      mlmodel::ModelBytes(*mil::Parse("program(1.3)\n{\n func main<ios18>(tensor<fp16, [4]> x) {\n "
                                      "tensor<fp16, [4]> w = const()[val "
                                      "= tensor<fp16, [4]>(BLOBFILE(path = "
                                      "string(\"@model_path/w.bin\"), offset = uint64(64)))];\n} "
                                      "-> (w);\n}"));
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  Write("m/model.mlmodel", *bytes);
  const auto missing = InspectModel(Path("m/model.mlmodel"));
  ASSERT_TRUE(missing.ok() && *missing);
  EXPECT_EQ((*missing)->specification_version, 9);
  ASSERT_EQ((*missing)->weights.size(), 1u);
  EXPECT_NE((*missing)->weights[0].error, "");
  Write("m/w.bin", std::string(100, '\0'));
  const auto there = InspectModel(Path("m/model.mlmodel"));
  EXPECT_EQ((*there)->weights[0].bytes, 100u);
  EXPECT_EQ((*there)->weights[0].error, "");
  Write("m/model.mil", "program(1.3)\n{\n}");
  EXPECT_EQ(InspectModel(Path("m"))->value().form, "compiled model");
  EXPECT_FALSE(InspectModel(Path("m/model.mil"))->has_value());
}

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}

// A field of a message of protocol buffers that holds bytes.
std::string FieldOf(uint32_t number, std::string_view content) {
  return Varint(number << 3 | 2) + Varint(content.size()) + std::string(content);
}

TEST_F(PackageTest, AReadPipelineNamesTheModelsThatAreLeftOut) {
  const auto program = mlmodel::ModelBytes(
      *mil::Parse("program(1.3)\n{\n func main<ios18>(tensor<fp16, [4]> x) {\n} -> (x);\n}"));
  ASSERT_TRUE(program.ok()) << program.error().message;
  const std::string suppression = "\x08\x05" + FieldOf(610, "");
  Write("pipe.mlmodel",
        "\x08\x05" + FieldOf(2, "") + FieldOf(202, FieldOf(1, *program) + FieldOf(1, suppression)));
  const auto model = Model::Open(Path("pipe.mlmodel"));
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->Read()->pipeline_left_out, "non-maximum suppression");
  EXPECT_EQ(InspectModel(Path("pipe.mlmodel"))->value().left_out, "non-maximum suppression");
  Write("alone.mlmodel", *program);
  EXPECT_EQ(Model::Open(Path("alone.mlmodel"))->Read()->pipeline_left_out, "");
}

TEST_F(PackageTest, FoldersWithoutAModelAreRefusedWithTheReason) {
  Write("empty/readme", "x");
  EXPECT_NE(ErrorOf("empty").find("neither a package nor a compiled model"), std::string::npos);
  Write("net.mlmodelc/model.espresso.net", "{}");
  EXPECT_NE(ErrorOf("net.mlmodelc").find("of the kind \"neural network\" (Espresso)"),
            std::string::npos);
  EXPECT_NE(ErrorOf("net.mlmodelc").find("net.mlmodelc/model.espresso.net` shows the network"),
            std::string::npos);
  Write("tree.mlmodelc/coremldata.bin", "x");
  EXPECT_NE(ErrorOf("tree.mlmodelc").find("is a compiled model without model.mil"),
            std::string::npos);
  Write("pipe.mlmodelc/model0/coremldata.bin", "x");
  EXPECT_NE(ErrorOf("pipe.mlmodelc").find("is a compiled pipeline without ML Programs"),
            std::string::npos);
  Write("pipe.mlmodelc/model1/model.mil", "x");
  EXPECT_TRUE(
      ErrorOf("pipe.mlmodelc").ends_with("name its ML Program: " + Path("pipe.mlmodelc/model1")));
  EXPECT_NE(ErrorOf("nothing.mlpackage").find("No such file"), std::string::npos);
}

// Reading a pipe without a writer would wait forever, and a device has no end.
TEST_F(PackageTest, AnIrregularFileIsNoModel) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  for (const std::string& path : {Path("pipe"), std::string("/dev/zero")}) {
    const auto opened = Model::Open(path);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().message, path + ": is no regular file");
    const auto inspected = InspectModel(path);
    ASSERT_FALSE(inspected.ok());
    EXPECT_EQ(inspected.error().message, path + ": is no regular file");
  }
}

TEST_F(PackageTest, HostilePackagesAreRefusedAtOnce) {
  const auto start = std::chrono::steady_clock::now();
  Write("outside/model.mlmodel", "x");
  WriteManifest("escape.mlpackage", "../../outside/model.mlmodel");
  Write("escape.mlpackage/Data/x", "");
  EXPECT_NE(ErrorOf("escape.mlpackage").find("lies outside"), std::string::npos)
      << ErrorOf("escape.mlpackage");
  WriteManifest("absolute.mlpackage", "/../../../../../../../../../../dev/zero");
  EXPECT_NE(ErrorOf("absolute.mlpackage"), "");
  WriteManifest("link.mlpackage", "model.mlmodel");
  ASSERT_TRUE(MakeDirectories(Path("link.mlpackage/Data")).ok());
  ASSERT_EQ(symlink("/dev/zero", Path("link.mlpackage/Data/model.mlmodel").c_str()), 0);
  EXPECT_NE(ErrorOf("link.mlpackage").find("lies outside"), std::string::npos);
  WriteManifest("loop.mlpackage", "a/model.mlmodel");
  ASSERT_TRUE(MakeDirectories(Path("loop.mlpackage/Data")).ok());
  ASSERT_EQ(symlink("a", Path("loop.mlpackage/Data/a").c_str()), 0);
  EXPECT_NE(ErrorOf("loop.mlpackage").find("symbolic link"), std::string::npos);
  WriteManifest("none.mlpackage", "model.mlmodel");
  EXPECT_NE(ErrorOf("none.mlpackage").find("No such file"), std::string::npos);
  for (const std::string_view manifest :
       {"", "[]", "{}", R"({"rootModelIdentifier": "A"})",
        R"({"rootModelIdentifier": "A", "itemInfoEntries": {"B": {}}})",
        R"({"rootModelIdentifier": "A", "itemInfoEntries": {"A": {}}})"}) {
    Write("bad.mlpackage/Manifest.json", manifest);
    EXPECT_NE(ErrorOf("bad.mlpackage").find("Manifest.json"), std::string::npos) << manifest;
  }
  std::filesystem::resize_file(Path("bad.mlpackage/Manifest.json"), uint64_t{10} << 30);
  EXPECT_NE(ErrorOf("bad.mlpackage").find("more than 1048576 bytes"), std::string::npos);
  Write("huge.mlmodel", "\x08\x07\x12");
  std::filesystem::resize_file(Path("huge.mlmodel"), uint64_t{10} << 30);
  EXPECT_NE(ErrorOf("huge.mlmodel"), "");
  Write("huge.mil", "program(1.3)");
  std::filesystem::resize_file(Path("huge.mil"), uint64_t{10} << 30);
  EXPECT_NE(ErrorOf("huge.mil").find("at most"), std::string::npos);
  for (const std::string_view begin : {"{", "<?xml version=\"1.0\"?><plist>", "bplist00"}) {
    Write("huge.plist", begin);
    std::filesystem::resize_file(Path("huge.plist"), uint64_t{3} << 30);
    EXPECT_NE(ErrorOf("huge.plist").find("at most"), std::string::npos) << ErrorOf("huge.plist");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace anecheck
