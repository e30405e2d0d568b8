// Tests the JSON form, version 1. It preserves the graph, and the message of every mistake names
// its path.
#include "harness/graph/json.h"

#include <functional>
#include <gtest/gtest.h>

#include "harness/base/json.h"
#include "harness/graph/fingerprint.h"
#include "harness/graph/test_vocabulary.h"

namespace anecheck {
namespace {

using testing::ExampleGraph;
using testing::TestVocabulary;

TEST(GraphJson, RoundTripKeepsEverything) {
  const Graph graph = ExampleGraph();
  const Json json = GraphToJson(graph);
  const auto back = GraphFromJson(json, TestVocabulary());
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(GraphFingerprint(*back), GraphFingerprint(graph));
  EXPECT_EQ(GraphToJson(*back), json);
  EXPECT_EQ(back->name, "example");
  const auto from_text = GraphFromText(json.dump(), TestVocabulary());
  ASSERT_TRUE(from_text.ok()) << from_text.error().message;
  EXPECT_EQ(GraphToJson(*from_text), json);
}

TEST(GraphJson, IsWrittenInTheDocumentedForm) {
  EXPECT_EQ(
      GraphToJson(ExampleGraph()).dump(),
      R"({"version":1,"name":"example","inputs":[{"name":"x","dtype":"fp16","shape":[2,3]}],)"
      R"("consts":[{"name":"table","dtype":"fp16","shape":[2],"data":"AQIDBA=="}],)"
      R"("ops":[{"op":"mix","name":"y","inputs":{"x":["x"],"table":["table"]},"attrs":{"count":7,)"
      R"("scale":0.1,"flag":true,"mode":"down","sizes":[3,-1,4],"weights":[0.5,-2.0],"mask":[true,false]},)"
      R"("outputs":[{"name":"y","dtype":"fp16","shape":[2,3]}]},)"
      R"({"op":"halves","name":"z","inputs":{"x":["y"]},"attrs":{},"outputs":[)"
      R"({"name":"z","dtype":"fp16","shape":[2,3]},{"name":"z_flag","dtype":"bool","shape":[2,3]}]}],)"
      R"("outputs":["z","z_flag"]})");
}

TEST(GraphJson, StatesAndBlocksAndInfinitiesSurvive) {
  Graph block;
  block.AddOutput(block.AddInput({DType::kFp16, {1}}, "inner"));
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {1}}, "x");
  graph.AddState({DType::kFp16, {4}}, "memory");
  graph.BeginNode(&testing::kMix);
  graph.AddArgument(0, x);
  graph.AddFloat(testing::Mix::kScale, -std::numeric_limits<double>::infinity());
  graph.AddFloats(testing::Mix::kWeights,
                  std::array<double, 2>{std::numeric_limits<double>::infinity(), 0});
  ASSERT_TRUE(graph.FinishNode().ok());
  graph.BeginNode(&testing::kWrap);
  graph.AddArgument(0, x);
  graph.AddBlock(block);
  graph.AddOutput(*graph.FinishNode());
  const Json json = GraphToJson(graph);
  EXPECT_EQ(json["states"][0]["name"], "memory");
  EXPECT_EQ(json["ops"][0]["attrs"]["scale"], "-Infinity");
  EXPECT_EQ(json["ops"][1]["blocks"][0]["inputs"][0]["name"], "inner");
  const auto back = GraphFromJson(json, TestVocabulary());
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(GraphFingerprint(*back), GraphFingerprint(graph));
}

struct Mistake {
  std::function<void(Json&)> make;
  const char* message;
};

TEST(GraphJson, EveryMistakeIsNamedByItsPath) {
  const Mistake kMistakes[] = {
      {[](Json& j) { j = 3; }, "graph: must be an object"},
      {[](Json& j) { j["version"] = 2; }, "version: must be 1"},
      {[](Json& j) { j["version"] = 1.0; }, "version: must be 1"},
      {[](Json& j) { j["ops"][0]["name"] = 5; }, "ops[0].name: must be a string"},
      {[](Json& j) { j["ops"][0]["name"] = "z"; },
       "ops[0].name: \"z\" is not the name of its first output, \"y\""},
      {[](Json& j) { j["ops"][0]["name"] = "v\n2\x7f"; },
       "ops[0].name: \"v\\x0a2\\x7f\" is not the name of its first output, \"y\""},
      {[](Json& j) { j["ops"][0]["blocks"] = {GraphToJson(ExampleGraph()), 3}; },
       "ops[0].blocks[1]: graph: must be an object"},
      {[](Json& j) { j["extra"] = 1; }, "graph: unknown key \"extra\""},
      {[](Json& j) { j.erase("ops"); }, "graph: \"ops\" is missing"},
      {[](Json& j) { j["name"] = 1; }, "name: must be a string"},
      {[](Json& j) { j["inputs"] = 1; }, "inputs: must be a list"},
      {[](Json& j) { j["inputs"][0]["dtype"] = "fp17"; }, "inputs[0]: dtype \"fp17\" is unknown"},
      {[](Json& j) { j["inputs"][0]["shape"] = {1, 2, 3, 4, 5, 6, 7, 8, 9}; },
       "inputs[0]: shape must be a list of at most 8"},
      {[](Json& j) { j["inputs"][0]["shape"][0] = -1; }, "inputs[0]: extent -1 is negative"},
      {[](Json& j) { j["inputs"][0]["shape"][0] = 1.5; }, "inputs[0].shape: must be an integer"},
      {[](Json& j) { j["inputs"][0]["shape"] = {1u << 20, 1u << 20}; },
       "inputs[0]: has more than 2^31 elements"},
      {[](Json& j) { j["inputs"][0]["shape"] = {0, 1u << 20, 1u << 20}; },
       "inputs[0]: has more than 2^31 elements"},
      {[](Json& j) { j["inputs"][0]["shape"][0] = 18446744073709551615u; },
       "inputs[0].shape: is too large"},
      {[](Json& j) { j["inputs"][0]["name"] = ""; }, "inputs[0]: name is empty"},
      {[](Json& j) { j["consts"][0]["name"] = "x"; }, "consts[0]: name \"x\" is used twice"},
      {[](Json& j) { j["consts"][0]["data"] = "AQID"; },
       "consts[0].data: has 3 bytes, tensor<fp16, [2]> needs 4"},
      {[](Json& j) { j["consts"][0]["data"] = "!"; }, "consts[0].data"},
      {[](Json& j) { j["ops"] = 1; }, "ops: must be a list"},
      {[](Json& j) { j["ops"][0]["op"] = "nothing"; }, "ops[0]: operation \"nothing\" is unknown"},
      {[](Json& j) { j["ops"][0]["inputs"]["y"] = Json::array({"x"}); },
       "ops[0].inputs.y: mix has no such argument"},
      {[](Json& j) { j["ops"][0]["inputs"]["x"] = "x"; },
       "ops[0].inputs.x: must be a list of names"},
      {[](Json& j) { j["ops"][0]["inputs"]["x"] = Json::array({"later"}); },
       "ops[0].inputs.x: \"later\" is not defined before it"},
      {[](Json& j) { j["ops"][0]["inputs"] = 1; }, "ops[0].inputs: must be an object"},
      {[](Json& j) { j["ops"][0]["attrs"]["sort"] = 1; },
       "ops[0].attrs.sort: mix has no such attribute"},
      {[](Json& j) { j["ops"][0]["attrs"] = 1; }, "ops[0].attrs: must be an object"},
      {[](Json& j) { j["ops"][0]["attrs"]["count"] = "7"; },
       "ops[0].attrs.count: must be an integer"},
      {[](Json& j) { j["ops"][0]["attrs"]["count"] = int64_t{1} << 31; },
       "mix: count: 2147483648 is no int32"},
      {[](Json& j) { j["ops"][0]["attrs"]["sizes"] = {1, -(int64_t{1} << 31) - 1}; },
       "mix: sizes: -2147483649 is no int32"},
      {[](Json& j) { j["ops"][0]["attrs"]["scale"] = "much"; },
       "ops[0].attrs.scale: must be a number"},
      {[](Json& j) { j["ops"][0]["attrs"]["flag"] = 1; },
       "ops[0].attrs.flag: must be true or false"},
      {[](Json& j) { j["ops"][0]["attrs"]["mode"] = 1; }, "ops[0].attrs.mode: must be a string"},
      {[](Json& j) { j["ops"][0]["attrs"]["sizes"] = 1; }, "ops[0].attrs.sizes: must be a list"},
      {[](Json& j) { j["ops"][0]["attrs"]["mask"] = Json::array({1}); },
       "ops[0].attrs.mask: must be a list of true and false"},
      {[](Json& j) { j["ops"][0]["attrs"]["x"] = 1; },
       "ops[0].attrs.x: is a tensor argument and belongs under inputs"},
      {[](Json& j) { j["ops"][0]["outputs"] = Json::array(); },
       "ops[0].outputs: must be a list, not empty"},
      {[](Json& j) { j["ops"][0]["blocks"] = 1; }, "ops[0].blocks: must be a list"},
      {[](Json& j) { j["ops"][0]["blocks"] = Json::array({1}); },
       "ops[0].blocks[0]: graph: must be an object"},
      {[](Json& j) { j["ops"][0]["outputs"][0]["shape"] = Json::array({1}); },
       "ops[0] \"y\": mix: result 0 is declared"},
      {[](Json& j) { j["outputs"] = 1; }, "outputs: must be a list"},
      {[](Json& j) { j["outputs"] = Json::array({"none"}); },
       "outputs: \"none\" is not defined before it"},
      {[](Json& j) { j["outputs"] = Json::array(); }, "the graph has no outputs"},
  };
  for (const Mistake& mistake : kMistakes) {
    Json json = GraphToJson(ExampleGraph());
    mistake.make(json);
    const auto graph = GraphFromJson(json, TestVocabulary());
    ASSERT_FALSE(graph.ok()) << mistake.message;
    EXPECT_NE(graph.error().message.find(mistake.message), std::string::npos)
        << mistake.message << " was " << graph.error().message;
    const auto from_text = GraphFromText(json.dump(), TestVocabulary());
    ASSERT_FALSE(from_text.ok()) << mistake.message;
    EXPECT_EQ(from_text.error().message, graph.error().message);
  }
}

TEST(GraphJson, TextThatIsNoJsonIsRefusedUnderItsName) {
  const auto graph = GraphFromText("{\"version\": 1,", TestVocabulary(), "model.json");
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.error().code, ErrorCode::kMalformed);
  EXPECT_TRUE(graph.error().message.starts_with("model.json: at ")) << graph.error().message;
}

TEST(GraphJson, DeepBlocksAreRefused) {
  Json json = GraphToJson(ExampleGraph());
  for (int depth = 0; depth < 40; ++depth) {
    Json outer = GraphToJson(ExampleGraph());
    outer["ops"][0]["blocks"] = Json::array({json});
    json = std::move(outer);
  }
  const auto graph = GraphFromJson(json, TestVocabulary());
  ASSERT_FALSE(graph.ok());
  EXPECT_NE(graph.error().message.find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace anecheck
