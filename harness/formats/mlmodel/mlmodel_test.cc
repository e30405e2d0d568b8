// Tests model files: round trips of real models, texts and random graphs, and refused models.
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>
#include <tuple>

#include "generators/graph_generator.h"
#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/printer.h"
#include "harness/formats/mil/test_files.h"
#include "harness/formats/mil/verify.h"
#include "harness/formats/mlmodel/model.h"
#include "harness/formats/mlmodel/program_bytes.h"
#include "harness/formats/mlmodel/program_text.h"
#include "harness/formats/mlmodel/same_program.h"
#include "harness/formats/mlmodel/schema.h"
#include "harness/lowering/graph_to_mil.h"

namespace anecheck::mlmodel {
namespace {

using protozero::pbf_writer;

mil::Program Parsed(std::string text) {
  auto program = mil::Parse(text);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().message) << "\n" << text;
  return program.ok() ? std::move(*program) : mil::Program();
}

// Returns the text of a program after it is converted to a message and back.
std::string There(const mil::Program& program) {
  const auto bytes = ProgramBytes(program);
  EXPECT_TRUE(bytes.ok()) << bytes.error().message;
  if (!bytes.ok()) return "";
  const auto text = ProgramText(*bytes);
  EXPECT_TRUE(text.ok()) << text.error().message;
  return text.ok() ? *text : "";
}

void ExpectSame(const mil::Program& program) {
  const mil::Program again = Parsed(There(program));
  EXPECT_EQ(ProgramDifference(program, again), "");
  EXPECT_EQ(ProgramDifference(again, program), "");
}

std::string Body(std::string_view statements) {
  return fmt::format(
      "program(1.3)\n{{\n func main<ios18>(tensor<fp16, [2]> x) {{\n{}\n}} -> (x);\n}}",
      statements);
}

TEST(MlModel, RealTextsRoundTrip) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("mil"));
  for (const auto& file : mil::test::RealMilFiles()) {
    SCOPED_TRACE(file.name);
    const mil::Program program = Parsed(file.text);
    ExpectSame(program);
    // ProgramText has the spelling of compiled texts.
    EXPECT_TRUE(There(program) == mil::Print(program));
  }
}

TEST(MlModel, GeneratedGraphsRoundTrip) {
  constexpr CaseMode kModes[] = {CaseMode::kFloat, CaseMode::kCompressed, CaseMode::kState,
                                 CaseMode::kSpecial};
  uint64_t blobs = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Graph graph;
    GenerateGraph(choices, {.family = 6, .mode = kModes[seed % std::size(kModes)]}, graph);
    const auto program = GraphToMilProgram(
        graph, seed % 2 == 0 ? SideFileLimits{} : SideFileLimits{.in_text = -1, .least = 0});
    ASSERT_TRUE(program.ok()) << program.error().message;
    blobs += program->weights.empty() ? 0 : 1;
    const mil::Program parsed = Parsed(program->text);
    const mil::Program again = Parsed(There(parsed));
    ASSERT_EQ(ProgramDifference(parsed, again), "") << seed << "\n" << program->text;
  }
  EXPECT_GT(blobs, 500u);
}

TEST(MlModel, EveryTypeAndValueRoundTrips) {
  const mil::Program program = Parsed(
      "program(1.3)\n[buildInfo = dict<string, string>({{\"a\", \"b\\\"c\"}}), none = dict<string, "
      "int32>({{}})]\n{\n func main<ios18>(tensor<fp16, [2, ?]> x, state<tensor<fp32, [2]>> s, "
      "list<string, ?> l) [t = tuple<tuple<string, dict<string, tensor<int32, [?]>>>, "
      "bool>(((\"D\", "
      "{{\"x\", [1, 2, 3]}}), true))] {\n"
      "tensor<int4, [3]> a = const()[val = tensor<int4, [3]>([-8, 7, -1])];\n"
      "tensor<uint1, [9]> b = const()[val = tensor<uint1, [9]>([1, 0, 0, 1, 1, 1, 0, 1, 1])];\n"
      "tensor<uint3, [3]> c = const()[val = tensor<uint3, [3]>([7, 1, 5])];\n"
      "tensor<uint6, [2]> d = const()[val = tensor<uint6, [2]>([63, 1])];\n"
      "tensor<fp8e4m3fn, [2]> e = const()[val = tensor<fp8e4m3fn, [2]>([0x7f, 0x01])];\n"
      "tensor<bf16, [1]> f = const()[val = tensor<bf16, [1]>([0x3f80])];\n"
      "tensor<fp32, [3]> g = const()[val = tensor<fp32, [3]>([inf, -0x1.8p-140, nan])];\n"
      "fp64 h = const()[val = fp64(0x1.5p-1000)];\n"
      "uint64 i = const()[val = uint64(18446744073709551615)];\n"
      "int64 j = const()[val = int64(-9223372036854775808)];\n"
      "uint32 k = const()[val = uint32(4294967295)];\n"
      "uint16 m = const()[val = uint16(65535)];\n"
      "int16 n = const()[val = int16(-32768)];\n"
      "tensor<string, [2]> o = const()[val = tensor<string, [2]>([\"a\", \"\"])];\n"
      "list<string, 2> p = const()[val = list<string, 2>([\"a\", \"b\"])];\n"
      "tensor<fp16, [0, 3]> q = const()[val = tensor<fp16, [0, 3]>([])];\n"
      "tensor<bool, [2]> r = const()[val = tensor<bool, [2]>([true, false])];\n"
      "tensor<fp16, [2]> u = const()[val = tensor<fp16, [2]>(BLOBFILE(path = string(\"w\"), offset "
      "= "
      "uint64(18446744073709551552)))];\n"
      "tensor<fp16, [2]> y, fp16 z = op(a = x, b = (x, u), c = int32(3), d = (x, fp16(0x1p+0)));\n"
      "} -> (y, z);\n func g<ios18>(bool c) {\n bool y = cond(pred = c) _true_fn { bool t = relu(x "
      "= "
      "c); } -> (t) _false_fn (bool v) { } -> (v);\n} -> (y);\n}");
  ExpectSame(program);
}

TEST(MlModel, ProgramDifferenceSeesEachChange) {
  const std::string_view statement =
      "tensor<fp16, [2]> y = op(a = x, b = int32(3))[n = fp16(0x1p+0)];";
  const mil::Program program = Parsed(Body(statement));
  for (const auto& [from, to] :
       std::initializer_list<std::pair<const char*, const char*>>{{"[2]> y", "[3]> y"},
                                                                  {"op(", "oq("},
                                                                  {"b = ", "c = "},
                                                                  {"(3)", "(4)"},
                                                                  {"0x1p", "0x3p"},
                                                                  {"n = ", "m = "}}) {
    std::string other(statement);
    other.replace(other.find(from), std::string_view(from).size(), to);
    EXPECT_NE(ProgramDifference(program, Parsed(Body(other))), "") << to;
  }
}

TEST(MlModel, RefusesTextThatAModelFileCannotExpress) {
  for (const auto& [statement, message] :
       std::initializer_list<std::pair<const char*, const char*>>{
           {"op<ios17>(a = x);", "no opsets of single operations (offset 0x38)"},
           {"op(x);", "no arguments without a name (offset 0x3b)"},
           {"op(a = 3);", "no values without a type: write type(value) (offset 0x3f)"},
           {"op(a = tensor<fp16, [3]>([1, 2]));", "requires 3 elements, the literal has 2"},
           {"op(a = string([]));", "requires 1 element, the literal has 0"},
           {"op(a = list<fp16, 1>(3));", "the value is not of its type"},
           {"op(a = fp4(3));", "element type fp4 has no number"}}) {
    const auto bytes = ProgramBytes(Parsed(Body(statement)));
    ASSERT_FALSE(bytes.ok()) << statement;
    EXPECT_NE(bytes.error().message.find(message), std::string::npos) << bytes.error().message;
  }
}

// ---- whole models -------------------------------------------------------------------------------

TEST(MlModel, RealModelsRoundTrip) {
  const std::string folder = testing::RealDataPath("models");
  ANECHECK_SKIP_WITHOUT(folder);
  size_t models = 0;
  for (const std::string& path : testing::FilesUnder(folder)) {
    if (!path.ends_with(".mlmodel")) continue;
    SCOPED_TRACE(path);
    ++models;
    const std::string bytes = *ReadTextFile(path);
    EXPECT_TRUE(MayBeModel(bytes));
    const auto model = ReadModel(bytes);
    ASSERT_TRUE(model.ok()) << model.error().message;
    const auto text = ProgramText(model->program, model->inputs);
    ASSERT_TRUE(text.ok()) << text.error().message;
    const mil::Program program = Parsed(*text);
    EXPECT_EQ(mil::Verify(program).size(), 0u);
    const auto written = ModelBytes(program);
    ASSERT_TRUE(written.ok()) << written.error().message;
    const auto again = ReadModel(*written);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again->specification_version, model->specification_version);
    EXPECT_EQ(ProgramDifference(program, Parsed(*ProgramText(again->program, again->inputs))), "");
  }
  EXPECT_EQ(models, 3u);
}

// Core ML's compiler renames values and rounds the constants of its text, so the test compares only
// the operations and the types of their results, in order.
TEST(MlModel, APackageHasTheOperationsOfItsCompiledText) {
  const std::string folder = testing::RealDataPath("models/unified_mixed");
  ANECHECK_SKIP_WITHOUT(folder + ".mlpackage");
  const std::string bytes =
      *ReadTextFile(folder + ".mlpackage/Data/com.apple.CoreML/model.mlmodel");
  const mil::Program package = Parsed(*ProgramText(ReadModel(bytes)->program));
  const mil::Program compiled = Parsed(*ReadTextFile(folder + ".mlmodelc/model.mil"));
  const auto shapes = [](const mil::Program& program) {
    std::vector<std::string> lines;
    for (const mil::StatementView statement : mil::Functions(program)[0].block().statements()) {
      if (statement.op() == "const") continue;
      lines.push_back(
          fmt::format("{} {}", statement.op(), mil::PrintType(statement.results()[0].type())));
    }
    return lines;
  };
  EXPECT_EQ(shapes(package), shapes(compiled));
}

std::string ModelOf(uint32_t kind) {
  std::string bytes;
  pbf_writer model(bytes);
  model.add_int32(field::kSpecificationVersion, 4);
  model.add_message(field::kDescription, std::string());
  model.add_message(kind, std::string("\x0a\x00", 2));
  return bytes;
}

TEST(MlModel, OtherKindsAreRefusedByTheirName) {
  EXPECT_TRUE(ReadModel(ModelOf(502)).ok());
  for (const auto& [kind, name] : std::initializer_list<std::pair<uint32_t, const char*>>{
           {500, "neural network"}, {403, "neural network classifier"}, {202, "pipeline"}}) {
    const auto model = ReadModel(ModelOf(kind));
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(model.error().message.find(fmt::format("of the kind \"{}\"", name)),
              std::string::npos)
        << model.error().message;
  }
  EXPECT_EQ(ReadModel("program(1.0)").error().code, ErrorCode::kMalformed);
  EXPECT_EQ(ReadModel("").error().code, ErrorCode::kMalformed);
}

// No converter makes an ML Program from a tree model, so the message must not advise a conversion.
TEST(MlModel, TheAdviceFitsTheKind) {
  for (const auto& [kind, remedy] : std::initializer_list<std::pair<uint32_t, const char*>>{
           {500, "read: convert its source again, with convert_to=\"mlprogram\" of coremltools"},
           {403, "read: convert its source again, with convert_to=\"mlprogram\" of coremltools"},
           {200, "read: save its models on their own, and give those that are ML Programs"},
           {302, "read: a model of this kind cannot become one"},
           {2000, "read: a model of this kind cannot become one"}}) {
    const auto model = ReadModel(ModelOf(kind));
    ASSERT_FALSE(model.ok());
    EXPECT_TRUE(model.error().message.ends_with(remedy)) << model.error().message;
  }
}

// Returns a pipeline whose first model is `program` and whose other models have these kinds.
std::string PipelineOf(const std::string& program, std::initializer_list<uint32_t> others,
                       uint32_t kind = field::kPipeline) {
  std::string parts, of_kind, bytes;
  pbf_writer pipeline(parts);
  pipeline.add_message(field::kModels, program);
  for (const uint32_t other : others) pipeline.add_message(field::kModels, ModelOf(other));
  pbf_writer(of_kind).add_message(field::kPipelineOfKind, parts);
  pbf_writer model(bytes);
  model.add_int32(field::kSpecificationVersion, 9);
  model.add_message(field::kDescription, std::string());
  model.add_message(kind, kind == field::kPipeline ? parts : of_kind);
  return bytes;
}

// Exporters of object detectors add non-maximum suppression on the host after an ML Program.
TEST(MlModel, APipelineWithOneProgramIsReadAsThatProgram) {
  const auto program = ModelBytes(
      Parsed("program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, ?]> x) {\n} -> (x);\n}"));
  ASSERT_TRUE(program.ok()) << program.error().message;
  for (const uint32_t kind : {200u, 201u, 202u}) {
    const std::string bytes = PipelineOf(*program, {610, 604}, kind);
    const auto model = ReadModel(bytes);
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_EQ(model->program.size(), ReadModel(*program)->program.size());
    ASSERT_EQ(model->inputs.size(), 1u);
    EXPECT_EQ(model->inputs[0].input, "x");
    EXPECT_EQ(model->specification_version, 9);
    EXPECT_EQ(model->left_out, "non-maximum suppression, scaler");
  }
  EXPECT_EQ(ReadModel(*program)->left_out, "");
}

TEST(MlModel, OtherPipelinesAreRefusedWithTheirModels) {
  for (const auto& [first, others, text] :
       std::initializer_list<std::tuple<uint32_t, std::initializer_list<uint32_t>, const char*>>{
           {502, {502}, "with 2 ML Programs; a pipeline with one ML Program is read: save its"},
           {500,
            {610},
            "with 0 ML Programs beside: neural network, non-maximum suppression; a "
            "pipeline with one ML Program is read: convert its source again"},
           {604, {610, 604, 610}, "beside: scaler, non-maximum suppression; "},
           {302, {}, "is read: a model of this kind cannot become one"},
           {202, {}, "with 0 ML Programs beside: pipeline; "}}) {
    const auto model = ReadModel(PipelineOf(ModelOf(first), others));
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(model.error().message.find(text), std::string::npos) << model.error().message;
  }
}

TEST(MlModel, DescribesInputsStatesAndFunctions) {
  const auto bytes =
      ModelBytes(Parsed("program(1.3)\n{\n func decode<ios18>(tensor<fp16, [1, ?]> x, "
                        "state<tensor<fp16, [2]>> s) {\n} "
                        "-> (x);\n func prefill<ios18>(tensor<fp32, [3]> x) {\n} -> (x);\n}"));
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  const auto model = ReadModel(*bytes);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->specification_version, 9);
  ASSERT_EQ(model->inputs.size(), 2u);
  EXPECT_EQ(model->inputs[0].function, "decode");
  EXPECT_EQ(model->inputs[0].input, "x");
  EXPECT_EQ(model->inputs[0].extents, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(model->inputs[0].ranges, (std::vector<std::array<int64_t, 2>>{{1, 1}, {1, -1}}));
  EXPECT_EQ(model->inputs[1].extents, std::vector<int64_t>{3});
  EXPECT_FALSE(model->inputs[1].IsFlexible());
  const auto uint8 = ModelBytes(
      Parsed("program(1.3)\n{\n func main<ios18>(tensor<uint8, [1]> x) {\n} -> (x);\n}"));
  ASSERT_FALSE(uint8.ok());
  EXPECT_NE(uint8.error().message.find("Core ML has no inputs and outputs of uint8"),
            std::string::npos);
}

// Returns a model with an input "x" that is an image of 64 by 48 pixels.
std::string ModelOfAnImage(uint64_t color_space, const std::function<void(pbf_writer&)>& sizes) {
  std::string image, feature, bytes;
  pbf_writer writer(image);
  writer.add_int64(field::kImageWidth, 64);
  writer.add_int64(field::kImageHeight, 48);
  writer.add_uint64(field::kColorSpace, color_space);
  sizes(writer);
  {
    pbf_writer input(feature);
    input.add_string(field::kFeatureName, "x");
    pbf_writer type(input, field::kFeatureType);
    type.add_message(field::kImageType, image);
  }
  pbf_writer model(bytes);
  model.add_int32(field::kSpecificationVersion, 7);
  {
    pbf_writer description(model, field::kDescription);
    description.add_message(field::kInput, feature);
  }
  model.add_message(field::kMlProgram, std::string());
  return bytes;
}

void AddImageSize(pbf_writer& sizes, uint64_t width, uint64_t height) {
  pbf_writer size(sizes, field::kSizes);
  size.add_uint64(field::kSizeWidth, width);
  size.add_uint64(field::kSizeHeight, height);
}

TEST(MlModel, ImagesAreArraysOfTheirChannels) {
  const auto fixed = ReadModel(ModelOfAnImage(field::kBgr, [](pbf_writer&) {}));
  ASSERT_TRUE(fixed.ok()) << fixed.error().message;
  ASSERT_EQ(fixed->inputs.size(), 1u);
  EXPECT_EQ(fixed->inputs[0].extents, (std::vector<int64_t>{1, 3, 48, 64}));
  EXPECT_FALSE(fixed->inputs[0].IsFlexible());
  const auto listed = ReadModel(ModelOfAnImage(10, [](pbf_writer& image) {
    pbf_writer sizes(image, field::kEnumeratedSizes);
    AddImageSize(sizes, 64, 48);
    AddImageSize(sizes, 32, 16);
  }));
  ASSERT_TRUE(listed.ok()) << listed.error().message;
  EXPECT_EQ(listed->inputs[0].sets,
            (std::vector<std::vector<int64_t>>{{1, 1, 48, 64}, {1, 1, 16, 32}}));
  const auto ranged = ReadModel(ModelOfAnImage(field::kRgb, [](pbf_writer& image) {
    pbf_writer range(image, field::kImageSizeRange);
    {
      pbf_writer width(range, field::kWidthRange);
      width.add_uint64(field::kLowerBound, 8);
      width.add_int64(field::kUpperBound, -1);
    }
    pbf_writer height(range, field::kHeightRange);
    height.add_uint64(field::kLowerBound, 4);
    height.add_int64(field::kUpperBound, 480);
  }));
  ASSERT_TRUE(ranged.ok()) << ranged.error().message;
  EXPECT_EQ(ranged->inputs[0].ranges,
            (std::vector<std::array<int64_t, 2>>{{1, 1}, {3, 3}, {4, 480}, {8, -1}}));
}

// Returns the text of a program after it is written to a whole model file and read again.
std::string ModelThere(const mil::Program& program) {
  const auto bytes = ModelBytes(program);
  EXPECT_TRUE(bytes.ok()) << bytes.error().message;
  if (!bytes.ok()) return "";
  const auto model = ReadModel(*bytes);
  EXPECT_TRUE(model.ok()) << model.error().message;
  return model.ok() ? *ProgramText(model->program, model->inputs) : "";
}

TEST(MlModel, UnknownAxesWithoutARangeStayWithoutOne) {
  const std::string text =
      "program(1.3)\n{\n    func main<ios18>(tensor<fp16, [1, ?]> x) {\n        } -> (x);\n}";
  EXPECT_EQ(ModelThere(Parsed(text)), text);
}

TEST(MlModel, FlexibleShapesOfRealTextsRoundTrip) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("mil"));
  size_t flexible = 0;
  for (const auto& file : mil::test::RealMilFiles()) {
    if (file.text.find(kFlexibleShapes) == std::string::npos) continue;
    ++flexible;
    const mil::Program program = Parsed(file.text);
    const std::string text = ModelThere(program);
    EXPECT_EQ(ProgramDifference(program, Parsed(text)), "") << file.name;
    EXPECT_TRUE(text == mil::Print(program)) << file.name;
  }
  EXPECT_EQ(flexible, 2u);
}

TEST(MlModel, SetsOfShapesRoundTrip) {
  const std::string text =
      "program(1.3)\n{\n    func main<ios18>(tensor<fp16, [1, ?]> x) [FlexibleShapeInformation = "
      "tuple<tuple<string, dict<string, tensor<int32, [?]>>>, tuple<string, dict<string, "
      "dict<string, tensor<int32, [?]>>>>>(((\"DefaultShapes\", {{\"x\", [1, 8]}}), "
      "(\"EnumeratedShapes\", {{\"set_1\", {{\"x\", [1, 8]}}}, {\"set_2\", {{\"x\", [1, "
      "16]}}}})))] {\n        } -> (x);\n}";
  EXPECT_EQ(ModelThere(Parsed(text)), text);
}

TEST(MlModel, RefusesStepsOfRanges) {
  const auto bytes = ModelBytes(Parsed(
      "program(1.3)\n{\n func main<ios18>(tensor<fp16, [?]> x) [FlexibleShapeInformation = "
      "tuple<tuple<string, dict<string, list<tensor<int32, [3]>, ?>>>>(((\"RangeDims\", {{\"x\", "
      "[[2, 8, 2]]}})))] {\n} -> (x);\n}"));
  ASSERT_FALSE(bytes.ok());
  EXPECT_NE(bytes.error().message.find("no steps of ranges (offset"), std::string::npos)
      << bytes.error().message;
}

// ---- hostile files ------------------------------------------------------------------------------

// Returns a program with one constant, whose value message is `value`.
std::string ProgramOf(const std::string& value) {
  std::string operation, block, bytes;
  {
    pbf_writer writer(operation);
    writer.add_string(field::kOperationType, "const");
    pbf_writer entry(writer, field::kOperationAttributes);
    entry.add_string(field::kEntryKey, "val");
    entry.add_message(field::kEntryValue, value);
  }
  pbf_writer(block).add_message(field::kOperations, operation);
  pbf_writer writer(bytes);
  pbf_writer entry(writer, field::kProgramFunctions);
  entry.add_string(field::kEntryKey, "main");
  pbf_writer function(entry, field::kEntryValue);
  function.add_string(field::kOpset, "CoreML8");
  pbf_writer specialization(function, field::kBlockSpecializations);
  specialization.add_string(field::kEntryKey, "CoreML8");
  specialization.add_message(field::kEntryValue, block);
  return bytes;
}

// Returns an fp16 tensor value that claims these extents but has one element.
std::string TensorOf(const std::vector<uint64_t>& extents) {
  std::string type, bytes;
  pbf_writer tensor(type);
  tensor.add_enum(field::kDataType, 10);
  tensor.add_int64(field::kRank, static_cast<int64_t>(extents.size()));
  for (const uint64_t extent : extents) {
    pbf_writer dimension(tensor, field::kDimensions);
    pbf_writer(dimension, field::kConstant).add_uint64(field::kSize, extent);
  }
  pbf_writer value(bytes);
  {
    pbf_writer value_type(value, field::kValueType);
    value_type.add_message(field::kTensorType, type);
  }
  pbf_writer immediate(value, field::kImmediate);
  pbf_writer elements(immediate, field::kTensor);
  pbf_writer(elements, field::kBytes).add_bytes(field::kValues, std::string(2, '\0'));
  return bytes;
}

TEST(MlModel, RefusesExtentsThatDoNotMatchTheElements) {
  EXPECT_TRUE(ProgramText(ProgramOf(TensorOf({1, 1}))).ok());
  for (const std::vector<uint64_t>& extents : std::vector<std::vector<uint64_t>>{
           {uint64_t{1} << 40}, {~uint64_t{0}, ~uint64_t{0}}, {uint64_t{1} << 40, 0}}) {
    const auto text = ProgramText(ProgramOf(TensorOf(extents)));
    ASSERT_FALSE(text.ok());
    EXPECT_NE(text.error().message.find("elements"), std::string::npos) << text.error().message;
  }
}

TEST(MlModel, DeepNestingIsAnError) {
  std::string type;
  pbf_writer(type).add_message(field::kTensorType, std::string("\x08\x0a", 2));
  for (int depth = 0; depth < 100000; ++depth) {
    std::string state, outer;
    pbf_writer(state).add_message(field::kWrappedType, type);
    pbf_writer(outer).add_message(field::kStateValueType, state);
    if (outer.size() > 4000) break;
    type = std::move(outer);
  }
  std::string value;
  pbf_writer(value).add_message(field::kValueType, type);
  const auto text = ProgramText(ProgramOf(value));
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, ErrorCode::kLimit) << text.error().message;
}

TEST(MlModel, TruncatedAndDamagedFilesNeverCrash) {
  const auto bytes = ModelBytes(Parsed(Body("tensor<fp16, [2]> y = op(a = x, b = int32(3));")));
  ASSERT_TRUE(bytes.ok());
  for (size_t size = 0; size < bytes->size(); ++size) {
    const auto model = ReadModel(std::string_view(*bytes).substr(0, size));
    if (model.ok()) static_cast<void>(ProgramText(model->program));
  }
  for (size_t at = 0; at < bytes->size(); ++at) {
    for (const char byte : {'\x00', '\x01', '\x7f', '\xff'}) {
      std::string damaged = *bytes;
      damaged[at] = byte;
      const auto model = ReadModel(damaged);
      if (!model.ok()) continue;
      const auto text = ProgramText(model->program);
      if (text.ok()) static_cast<void>(mil::Parse(*text));
    }
  }
}

}  // namespace
}  // namespace anecheck::mlmodel
