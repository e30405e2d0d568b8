// Tests `eval`, `judge` and `lower` on a user's model.
#include <cstring>
#include <fmt/format.h>
#include <string>

#include "harness/base/file.h"
#include "harness/base/half.h"
#include "harness/base/testing/test_data.h"
#include "harness/cli/testing/model_commands.h"
#include "harness/formats/milweights/weight_file.h"
#include "harness/formats/npz/npz.h"

namespace anecheck {
namespace {

using testing::Halves;
using testing::kCounter;
using testing::kProduct;
using testing::ModelCommands;
using Outcome = testing::ToolOutcome;

TEST_F(ModelCommands, EvalWritesValuesAndBounds) {
  WriteText("model.mil", kProduct);
  WriteArrays("in.npz", {Halves("x", {1, 2}, {3, 4}), Halves("w", {2, 1}, {0.5, 0.25})});
  const Outcome eval = Tool("eval " + Path("model.mil") + " --inputs " + Path("in.npz") +
                            " --out " + Path("out.npz") + " --bounds --json");
  ASSERT_EQ(eval.code, 0) << eval.err;
  EXPECT_EQ((*ParseJson(eval.out))["outputs"][0]["name"], "y");
  EXPECT_EQ(Read("out.npz", "y"), std::vector<double>{2.5});
  EXPECT_EQ(Read("out.npz", "y.lo"), std::vector<double>{2.5});
  EXPECT_EQ(Read("out.npz", "y.hi"), std::vector<double>{2.5});
}

TEST_F(ModelCommands, AClassifierIsEvaluatedWithoutItsLabels) {
  WriteText("model.mil",
            "program(1.0)\n{\n func main<ios15>(tensor<fp16, [1, 2]> x) {\n"
            "tensor<fp16, [1, 2]> p = relu(x = x);\n"
            "tensor<string, []> label, dict<tensor<string, []>, tensor<fp64, []>> all = "
            "classify(classes = tensor<string, [2]>([\"cat\", \"dog\"]), probabilities = p);\n"
            "} -> (label, all);\n}");
  WriteArrays("in.npz", {Halves("x", {1, 2}, {-3, 4})});
  const Outcome eval = Tool("eval " + Path("model.mil") + " --inputs " + Path("in.npz"));
  EXPECT_EQ(eval.out, "p: tensor<fp16, [1, 2]>, from 0 to 4\n");
  EXPECT_NE(eval.err.find("warning: classify, which the host does, is left out"), std::string::npos)
      << eval.err;
}

// Without --out the tool prints one line for each output.
TEST_F(ModelCommands, EvalPrintsALineForEachOutput) {
  WriteText("model.mil", kProduct);
  WriteArrays("in.npz", {Halves("x", {1, 2}, {3, 4}), Halves("w", {2, 1}, {0.5, 0.25})});
  const std::string eval = "eval " + Path("model.mil") + " --inputs " + Path("in.npz");
  EXPECT_EQ(Tool(eval).out, "y: tensor<fp16, [1, 1]>, from 2.5 to 2.5\n");
  EXPECT_EQ(Tool(eval + " --bounds")
                .out.find("y: tensor<fp16, [1, 1]>, from 2.5 to 2.5; an engine may err by 0, 1 of "
                          "1 element exact\n"),
            0u);
  const Json json = JsonOf(Tool(eval + " --json"));
  EXPECT_EQ(json["out"].is_null(), true);
  EXPECT_EQ(json["outputs"][0]["greatest"], 2.5);
}

// The arrays of bounds in a file that `eval` wrote cause no warning.
TEST_F(ModelCommands, JudgeReadsTheArraysOfEvalWithoutAWarning) {
  WriteText("model.mil", kProduct);
  WriteArrays("in.npz", {Halves("x", {1, 2}, {3, 4}), Halves("w", {2, 1}, {0.5, 0.25})});
  const std::string model = Path("model.mil") + " --inputs " + Path("in.npz");
  ASSERT_EQ(Tool("eval " + model + " --bounds --out " + Path("out.npz")).code, 0);
  const Outcome judge = Tool("judge " + model + " --actual " + Path("out.npz"));
  EXPECT_EQ(judge.code, 0);
  EXPECT_EQ(judge.err, "");
}

TEST_F(ModelCommands, StatesOfOneExecutionAreInputsOfTheNext) {
  WriteText("model.mil", kCounter);
  const std::string eval = "eval " + Path("model.mil") + " --out " + Path("out.npz") + " --inputs ";
  WriteArrays("first.npz", {Halves("x", {2}, {1, 2})});
  ASSERT_EQ(Tool(eval + Path("first.npz")).code, 0);
  EXPECT_EQ(Read("out.npz", "s"), (std::vector<double>{1, 2}));
  EXPECT_EQ(Read("out.npz", "y"), (std::vector<double>{0, 0}));
  WriteArrays("second.npz", {Halves("x", {2}, {10, 20}), Halves("s", {2}, Read("out.npz", "s"))});
  ASSERT_EQ(Tool(eval + Path("second.npz")).code, 0);
  EXPECT_EQ(Read("out.npz", "s"), (std::vector<double>{11, 22}));
  EXPECT_EQ(Read("out.npz", "y"), (std::vector<double>{1, 2}));
}

TEST_F(ModelCommands, JudgeJudgesAStateIfItIsGiven) {
  WriteText("model.mil", kCounter);
  WriteArrays("in.npz", {Halves("x", {2}, {10, 20}), Halves("s", {2}, {1, 2})});
  const auto judge = [&](const std::vector<npz::NamedArray>& actual) {
    WriteArrays("actual.npz", actual);
    return Tool("judge " + Path("model.mil") + " --inputs " + Path("in.npz") + " --actual " +
                Path("actual.npz"));
  };
  EXPECT_EQ(judge({Halves("y", {2}, {1, 2})}).code, 0);
  EXPECT_EQ(judge({Halves("y", {2}, {0, 0})}).code, 1);
  EXPECT_EQ(judge({Halves("y", {2}, {1, 2}), Halves("s", {2}, {11, 22})}).code, 0);
  const Outcome wrong = judge({Halves("y", {2}, {1, 2}), Halves("s", {2}, {10, 20})});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.out.find("\ns: wrong"), std::string::npos) << wrong.out;
}

TEST_F(ModelCommands, EvalHasWiderBoundsOnlyUnderAnEnginesContract) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1]> x) {\n"
            "tensor<fp16, [1]> y = exp2(x = x);\n} -> (y);\n}");
  WriteArrays("in.npz", {Halves("x", {1}, {0.25})});
  for (const std::string contract : {"h13", "ieee"}) {
    const Outcome eval = Tool("eval " + Path("model.mil") + " --inputs " + Path("in.npz") +
                              " --out " + Path("out.npz") + " --bounds --contract " + contract);
    ASSERT_EQ(eval.code, 0) << eval.err;
    EXPECT_EQ(Read("out.npz", "y.lo") < Read("out.npz", "y.hi"), contract == "h13");
  }
}

TEST_F(ModelCommands, ErrorsNameTheFileAndItsFault) {
  WriteText("model.mil", kProduct);
  const npz::NamedArray weights = Halves("w", {2, 1}, {0.5, 0.25});
  const auto error = [&](const std::string& arguments) {
    const Outcome outcome = Tool(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    return outcome.err.substr(0, outcome.err.find('\n'));
  };
  const std::string prefix = "anecheck: error: ";
  const std::string eval =
      "eval " + Path("model.mil") + " --out " + Path("out.npz") + " --inputs " + Path("in.npz");
  WriteArrays("in.npz", {Halves("x", {1, 3}, {3, 4, 5}), weights});
  EXPECT_EQ(error(eval),
            prefix + Path("in.npz") +
                ": x: the array has shape [1, 3]; the model takes tensor<fp16, [1, 2]>");
  WriteArrays("in.npz", {weights});
  EXPECT_EQ(error(eval),
            prefix + Path("in.npz") + ": the arrays have no \"x\" (tensor<fp16, [1, 2]>)");
  WriteText("graph.json", R"({"version": 1, "format": "graph"})");
  EXPECT_EQ(error("eval --out " + Path("out.npz") + " " + Path("graph.json"))
                .find(prefix + Path("graph.json") + ": graph: "),
            0u);
  WriteText("bare.json", "{}");
  EXPECT_EQ(error("replay " + Path("bare.json")),
            prefix + Path("bare.json") + ": finding: version: is missing");
  EXPECT_EQ(error("finding export " + Path("bare.json") + " --out " + Path("bare")),
            prefix + Path("bare.json") + ": finding: version: is missing");
  WriteText("root.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 4, 1, 8]> x) {\n"
            "tensor<fp16, [1, 4, 1, 8]> y = rsqrt(x = x);\n} -> (y);\n}");
  const Outcome netlist = Tool("check " + Path("root.mil") + " --target h13 --route netlist");
  EXPECT_EQ(netlist.code, 2);
  EXPECT_NE(netlist.err.find("error: " + Path("root.mil") + ": rsqrt: "), std::string::npos)
      << netlist.err;
  EXPECT_NE(netlist.err.find("; give --route mil\n"), std::string::npos) << netlist.err;
}

TEST_F(ModelCommands, JudgeDistinguishesRightFromWrong) {
  WriteText("model.mil", kProduct);
  WriteArrays("in.npz", {Halves("x", {1, 2}, {3, 4}), Halves("w", {2, 1}, {0.5, 0.25})});
  const std::string judge =
      "judge " + Path("model.mil") + " --inputs " + Path("in.npz") + " --actual ";
  WriteArrays("right.npz", {Halves("y", {1, 1}, {2.5})});
  WriteArrays("wrong.npz", {Halves("y", {1, 1}, {2.75})});
  EXPECT_EQ(Tool(judge + Path("right.npz")).code, 0);
  const Outcome wrong = Tool(judge + Path("wrong.npz") + " --json");
  EXPECT_EQ(wrong.code, 1);
  const auto json = ParseJson(wrong.out);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["outputs"][0]["verdict"], "wrong");
  EXPECT_EQ((*json)["outputs"][0]["first_bad"], 0);
}

TEST_F(ModelCommands, JudgeRefusesAFileOfBoundsInPlaceOfOutputs) {
  WriteText("model.mil", kProduct);
  WriteArrays("in.npz", {Halves("x", {1, 2}, {3, 4}), Halves("w", {2, 1}, {0.5, 0.25})});
  WriteArrays("expected.npz", {Halves("y.value", {1, 1}, {2.5}), Halves("y.low", {1, 1}, {2.5}),
                               Halves("y.high", {1, 1}, {2.5})});
  const Outcome judged = Tool("judge " + Path("model.mil") + " --inputs " + Path("in.npz") +
                              " --actual " + Path("expected.npz"));
  EXPECT_EQ(judged.code, 2);
  EXPECT_EQ(judged.err, "anecheck: error: " + Path("expected.npz") +
                            ": holds the bounds of y and no output; give a file with the array "
                            "\"y\", as actual.npz beside it has it\n");
}

TEST_F(ModelCommands, JudgeNamesNoDefectThatOnlyAnUnboundedIntervalExplains) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 2]> x, tensor<fp16, [2, 1]> w) {\n"
            "tensor<fp16, [1, 1]> p = matmul(x = x, y = w);\n"
            "tensor<fp16, [1, 1]> y = sigmoid(x = p);\n} -> (y);\n}");
  WriteArrays("in.npz", {Halves("x", {1, 2}, {200, 1}), Halves("w", {2, 1}, {200, -39999.0 / 32})});
  WriteArrays("wrong.npz", {Halves("y", {1, 1}, {0.25})});
  const std::string judge = "judge " + Path("model.mil") + " --inputs " + Path("in.npz") +
                            " --actual " + Path("wrong.npz") + " --contract ";
  for (const std::string contract : {"h13", "ieee"}) {
    const Outcome outcome = Tool(judge + contract);
    EXPECT_EQ(outcome.code, 1) << contract << outcome.out;
    EXPECT_NE(outcome.out.find("y: wrong"), std::string::npos) << outcome.out;
  }
}

TEST_F(ModelCommands, IdealArithmeticHasNoKnownDefects) {
  WriteText("model.mil", kProduct);
  WriteArrays("in.npz", {Halves("x", {1, 2}, {200, 10}), Halves("w", {2, 1}, {200, 10})});
  npz::NamedArray infinity = Halves("y", {1, 1}, {0});
  infinity.array.data = {0x00, 0x7c};
  WriteArrays("inf.npz", {infinity});
  const std::string judge = "judge " + Path("model.mil") + " --inputs " + Path("in.npz") +
                            " --actual " + Path("inf.npz") + " --contract ";
  const Outcome engine = Tool(judge + "h13");
  EXPECT_EQ(engine.code, 0) << engine.out;
  EXPECT_NE(engine.out.find("known-defect D01"), std::string::npos) << engine.out;
  for (const std::string contract : {"ieee", "float"}) {
    const Outcome other = Tool(judge + contract);
    EXPECT_EQ(other.code, 1) << contract << other.err;
    EXPECT_NE(other.out.find("y: wrong"), std::string::npos) << contract << other.out;
  }
}

TEST_F(ModelCommands, DefectsOfAUsersEngineAreTriedToo) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1]> x) {\n"
            "tensor<fp16, [1]> y = relu(x = x);\n} -> (y);\n}");
  WriteArrays("in.npz", {Halves("x", {1}, {300})});
  WriteArrays("theirs.npz", {Halves("y", {1}, {7})});
  WriteText("mine.json",
            R"({"departures": [{"id": "U1", "effect": "value_from", "op": "relu", "a": 256, "b": 7,
                "families": ["A13"], "what": "relu sticks at 7", "source": "bench 3"}]})");
  const std::string judge = "judge " + Path("model.mil") + " --inputs " + Path("in.npz") +
                            " --actual " + Path("theirs.npz");
  EXPECT_EQ(Tool(judge).code, 1);
  const Outcome known = Tool(judge + " --defects " + Path("mine.json"));
  EXPECT_EQ(known.code, 0) << known.err;
  EXPECT_NE(known.out.find("known-defect U1"), std::string::npos) << known.out;
  WriteText("mine.json", R"({"departures": [{"id": "U1"}]})");
  const Outcome broken = Tool(judge + " --defects " + Path("mine.json"));
  EXPECT_EQ(broken.code, 2);
  EXPECT_NE(broken.err.find("departures[0]"), std::string::npos) << broken.err;
}

TEST_F(ModelCommands, JudgeReportsErrorsThatLeanToOneSide) {
  constexpr int kElements = 64;
  WriteText("model.mil",
            fmt::format("program(1.3)\n{{\n func main<ios18>(tensor<fp16, [{0}]> x) {{\n"
                        "tensor<fp16, [{0}]> y = exp2(x = x);\n}} -> (y);\n}}",
                        kElements));
  std::vector<double> x(kElements);
  for (int i = 0; i < kElements; ++i) x[i] = 0.03125 * (i + 1);
  WriteArrays("in.npz", {Halves("x", {kElements}, x)});
  const std::string model = Path("model.mil") + " --inputs " + Path("in.npz");
  ASSERT_EQ(Tool("eval " + model + " --out " + Path("out.npz") + " --bounds").code, 0);
  const std::string judge = "judge " + model + " --actual ";
  WriteArrays("value.npz", {Halves("y", {kElements}, Read("out.npz", "y"))});
  WriteArrays("high.npz", {Halves("y", {kElements}, Read("out.npz", "y.hi"))});

  const Outcome value = Tool(judge + Path("value.npz"));
  EXPECT_EQ(value.code, 0);
  EXPECT_EQ(value.out.find("lean"), std::string::npos) << value.out;
  const Outcome high = Tool(judge + Path("high.npz"));
  EXPECT_EQ(high.code, 0) << "each error is inside its bound";
  EXPECT_NE(high.out.find("errors lean to one side: their mean is +1.000"), std::string::npos)
      << high.out;
  const auto json = ParseJson(Tool(judge + Path("high.npz") + " --json").out);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["outputs"][0]["errors"]["on_end"], kElements);
}

TEST_F(ModelCommands, WrongArraysAreNamed) {
  WriteText("model.mil", kProduct);
  const std::string eval =
      "eval " + Path("model.mil") + " --out " + Path("out.npz") + " --inputs " + Path("in.npz");
  WriteArrays("in.npz", {Halves("x", {1, 2}, {3, 4})});
  Outcome outcome = Tool(eval);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("have no \"w\""), std::string::npos) << outcome.err;
  WriteArrays("in.npz", {Halves("x", {2}, {3, 4}), Halves("w", {2, 1}, {1, 1})});
  outcome = Tool(eval);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("the model takes tensor<fp16, [1, 2]>"), std::string::npos)
      << outcome.err;
}

npz::NamedArray Singles(const std::string& name, std::vector<uint64_t> shape,
                        const std::vector<float>& numbers) {
  npz::NamedArray named{name, {npz::ElementType::kFloat32, std::move(shape), {}}};
  named.array.data.resize(4 * numbers.size());
  std::memcpy(named.array.data.data(), numbers.data(), named.array.data.size());
  return named;
}

TEST_F(ModelCommands, LossesOfArraysAreReported) {
  WriteText("model.mil", kProduct);
  WriteArrays("in.npz", {Singles("x", {1, 2}, {1e6f, 4}), Halves("w", {2, 1}, {0.5, 0.25}),
                         Halves("z", {1}, {1})});
  const Outcome eval = Tool("eval " + Path("model.mil") + " --inputs " + Path("in.npz") +
                            " --out " + Path("out.npz"));
  EXPECT_NE(eval.err.find("x: 1 of 2 numbers (<f4) beyond fp16, taken as infinite"),
            std::string::npos)
      << eval.err;
  EXPECT_NE(eval.err.find("the array \"z\" is no input of the model and was ignored"),
            std::string::npos)
      << eval.err;
  WriteArrays("good.npz", {Halves("x", {1, 2}, {4, 4}), Halves("w", {2, 1}, {0.5, 0.25})});
  WriteArrays("actual.npz", {Singles("y", {1, 1}, {3.0009f})});
  const Outcome judge = Tool("judge " + Path("model.mil") + " --inputs " + Path("good.npz") +
                             " --actual " + Path("actual.npz"));
  EXPECT_NE(judge.err.find("y: 1 of 1 number (<f4) not exact in fp16, rounded"), std::string::npos)
      << judge.err;
}

// Returns a program that adds the blob of each file in `files` to x.
std::string AddsBlobs(const std::vector<std::string>& files) {
  std::string text = "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 4]> x) {\n", outputs;
  for (size_t i = 0; i < files.size(); ++i) {
    text += fmt::format(
        "tensor<fp16, [1, 4]> w{0} = const()[val = tensor<fp16, [1, 4]>(BLOBFILE(path = "
        "string(\"{1}\"), offset = uint64(64)))];\ntensor<fp16, [1, 4]> y{0} = add(x = x, y = "
        "w{0});\n",
        i, files[i]);
    outputs += fmt::format("{}y{}", i == 0 ? "" : ", ", i);
  }
  return text + "} -> (" + outputs + ");\n}";
}

// Returns a weight file with one fp16 row, filled with `number`.
std::string WeightsOf(double number) {
  const std::vector<uint8_t> row = Halves("", {4}, std::vector<double>(4, number)).array.data;
  milweights::WeightFileWriter writer;
  EXPECT_TRUE(writer.Append(mil::DataType::kFp16, row).ok());
  const Bytes bytes = std::move(writer).Take();
  return {bytes.begin(), bytes.end()};
}

TEST_F(ModelCommands, EachConstantComesFromItsOwnFile) {
  ASSERT_TRUE(MakeDirectories(Path("weights")).ok());
  WriteText("weights/a.bin", WeightsOf(1));
  WriteText("weights/b.bin", WeightsOf(10));
  WriteText("model.mil", AddsBlobs({"@model_path/weights/a.bin", "@model_path/weights/b.bin"}));
  WriteArrays("in.npz", {Halves("x", {1, 4}, {0, 0, 0, 0})});
  const std::string model = Path("model.mil");
  const Outcome eval =
      Tool("eval " + model + " --inputs " + Path("in.npz") + " --out " + Path("out.npz"));
  ASSERT_EQ(eval.code, 0) << eval.err;
  EXPECT_EQ(Read("out.npz", "y0"), std::vector<double>(4, 1));
  EXPECT_EQ(Read("out.npz", "y1"), std::vector<double>(4, 10));
  ASSERT_EQ(Tool("lower " + model + " --target h13 --out " + Path("lowered")).code, 0);
  const Outcome lowered = Tool("eval " + Path("lowered/model.mil") + " --inputs " + Path("in.npz") +
                               " --out " + Path("again.npz"));
  ASSERT_EQ(lowered.code, 0) << lowered.err;
  EXPECT_EQ(Read("again.npz", "y1"), std::vector<double>(4, 10));
}

TEST_F(ModelCommands, MissingWeightsAreAnErrorUnlessTheyMayBeMadeUp) {
  WriteText("model.mil", AddsBlobs({"@model_path/weights/weight.bin"}));
  const std::string eval = "eval " + Path("model.mil") + " --out " + Path("out.npz");
  const Outcome missing = Tool(eval);
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("weights/weight.bin: cannot read"), std::string::npos) << missing.err;
  const Outcome made_up = Tool(eval + " --made-up-weights");
  EXPECT_EQ(made_up.code, 0) << made_up.err;
  EXPECT_NE(made_up.err.find("constants filled with made-up numbers: 1"), std::string::npos)
      << made_up.err;
  EXPECT_EQ(Read("out.npz", "y0").size(), 4u);
  EXPECT_EQ(Tool(eval + " --weights " + Path("no-such.bin")).code, 2);
  WriteText("other.bin", WeightsOf(3));
  EXPECT_EQ(Tool(eval + " --weights " + Path("other.bin")).code, 0);
}

TEST_F(ModelCommands, AModelOpensNoFileOutsideOfItsFolder) {
  ASSERT_TRUE(MakeDirectories(Path("model")).ok());
  WriteText("outside.bin", WeightsOf(3));
  for (const char* path : {"/dev/zero", "@model_path/../outside.bin", "../outside.bin"}) {
    WriteText("model/model.mil", AddsBlobs({path}));
    const std::string eval = "eval " + Path("model/model.mil") + " --out " + Path("out.npz");
    const Outcome outcome = Tool(eval + " --made-up-weights");
    EXPECT_EQ(outcome.code, 2) << path;
    EXPECT_NE(outcome.err.find("lies outside of the model's folder"), std::string::npos)
        << outcome.err;
    if (path[0] == '/') continue;
    EXPECT_EQ(Tool(eval + " --allow-path " + Path(".")).code, 0) << path;
  }
}

TEST_F(ModelCommands, FunctionsAreNamedAndAllOfThemChecked) {
  WriteText("model.mil",
            "program(1.3)\n{\n func prefill<ios18>(tensor<fp16, [1, 4]> x) {\ntensor<fp16, [1, 4]> "
            "y = relu(x = x);\n} -> (y);\n func decode<ios18>(tensor<fp16, [1, 1]> x) {\n"
            "tensor<fp16, [1, 1]> y = relu(x = x);\n} -> (y);\n}");
  const std::string eval = "eval " + Path("model.mil") + " --out " + Path("out.npz");
  const Outcome unnamed = Tool(eval);
  EXPECT_EQ(unnamed.code, 2);
  EXPECT_NE(unnamed.err.find("no function \"main\" but prefill, decode; name one with --function"),
            std::string::npos)
      << unnamed.err;
  EXPECT_EQ(Tool(eval + " --function decode").code, 0);
  EXPECT_EQ(Read("out.npz", "y").size(), 1u);
  const std::string check = "check " + Path("model.mil") + " --target h13 --json";
  const Outcome both = Tool(check);
  ASSERT_EQ(both.code, 0) << both.err;
  const auto reports = *ParseJson(both.out);
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0]["function"], "prefill");
  EXPECT_EQ(reports[1]["function"], "decode");
  const Outcome one = Tool(check + " --function decode");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ((*ParseJson(one.out))["function"], "decode");
}

TEST_F(ModelCommands, RealModelsEvaluate) {
  // The real models whose operations are all in the table and whose shapes are fixed. All run with
  // made-up weights under the ideal contract, which keeps no bounds.
  for (const std::string name :
       {"coremltools__add_model__model-a413e2be.mil", "FluidAudio__Argmax__model-e1d1ff9c.mil",
        "FluidAudio__TokenDurationPrediction__model-4de79cdc.mil",
        "FluidAudio__decoder__model-5ead417f.mil",
        "mobius__silero-vad-unified-v6.0.0__model-810386da.mil",
        "mobius__unified_mixed__model-dfb10759.mil",
        "mobius__unified_palette_4bit__model-474209c4.mil",
        "mobius__unified_pruned_int8__model-8c2aeece.mil"}) {
    const std::string path = testing::RealDataPath("mil/" + name);
    ANECHECK_SKIP_WITHOUT(path);
    const Outcome eval = Tool("eval " + path + " --made-up-weights --contract ieee --out " +
                              Path("out.npz") + " --json");
    EXPECT_EQ(eval.code, 0) << name << eval.err;
  }
}

// Engines have sin from A15 on, and relu on every family.
constexpr std::string_view kTangent =
    "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 2]> x) {\n"
    "tensor<fp16, [1, 2]> t = tan(x = x);\ntensor<fp16, [1, 2]> y = relu(x = t);\n} -> (y);\n}";

TEST_F(ModelCommands, LowerWritesThePlanAndTheFormsThatSourcesDescribe) {
  WriteText("model.mil", kTangent);
  const Outcome lower =
      Tool("lower " + Path("model.mil") + " --target h15 --out " + Path("lowered") + " --json");
  ASSERT_EQ(lower.code, 0) << lower.err;
  const Json json = *ParseJson(lower.out);
  EXPECT_EQ(json["plan"]["dispatches"], 1);
  EXPECT_EQ(json["plan"]["compiles"], true);
  EXPECT_EQ(json["plan"]["rewrites"][0]["occasion"], "host");
  // The program has the rewrites of the host. The rewrites of the compiler are in lowered.json.
  const std::string mil = *ReadTextFile(Path("lowered/model.mil"));
  EXPECT_NE(mil.find("sin("), std::string::npos);
  EXPECT_EQ(mil.find("tan("), std::string::npos);
  EXPECT_EQ((*ParseJson(*ReadTextFile(Path("lowered/plan.json"))))["target"], "h15");
  EXPECT_NE(ReadTextFile(Path("lowered/plan.txt"))->find("h15 by mil: compiles"),
            std::string::npos);
  EXPECT_EQ((*ParseJson(*ReadTextFile(Path("lowered/lowered.json"))))["ops"].size(), 4u);
  // No source describes the sine of network descriptions or the registers of A15's tasks.
  std::vector<std::string> missing;
  for (const Json& file : json["missing"]) missing.push_back(file["file"].text());
  EXPECT_EQ(missing, (std::vector<std::string>{"net.plist", "model.hwx"}));
  EXPECT_EQ(Tool("inspect --verify " + Path("lowered/program.e5")).code, 0);
}

// A model file may be verified outside its folder, but a package without its weights is broken.
TEST_F(ModelCommands, InspectVerifiesAModelFileWithoutItsWeights) {
  const std::string real = testing::RealDataPath("models/mobius_stft_mlpackage_model.mlmodel");
  ANECHECK_SKIP_WITHOUT(real);
  const Outcome alone = Tool("inspect --verify " + real);
  EXPECT_EQ(alone.code, 0) << alone.out;
  EXPECT_NE(alone.out.find("warning: @model_path/weights/weight.bin is not verified"),
            std::string::npos)
      << alone.out;
  const std::string package = testing::RealDataPath("models/unified_mixed.mlpackage");
  std::filesystem::copy(package, Path("m.mlpackage"), std::filesystem::copy_options::recursive);
  EXPECT_EQ(Tool("inspect --verify " + Path("m.mlpackage")).code, 0);
  const std::string data = Path("m.mlpackage/Data/com.apple.CoreML");
  std::filesystem::permissions(data, std::filesystem::perms::owner_all);
  std::filesystem::permissions(data + "/weights", std::filesystem::perms::owner_all);
  std::filesystem::remove_all(data + "/weights");
  const Outcome broken = Tool("inspect --verify " + Path("m.mlpackage"));
  EXPECT_EQ(broken.code, 1) << broken.out;
  EXPECT_NE(broken.out.find("error: @model_path/weights/weight.bin is not readable"),
            std::string::npos)
      << broken.out;
}

TEST_F(ModelCommands, LowerWritesANetworkDescriptionIfItsUnitsAreKnown) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 2]> x) {\n"
            "tensor<fp16, [1, 2]> y = relu(x = x);\n} -> (y);\n}");
  const Outcome lower =
      Tool("lower " + Path("model.mil") + " --target h13 --plan --out " + Path("lowered"));
  ASSERT_EQ(lower.code, 0) << lower.err;
  EXPECT_NE(lower.out.find("descriptor Cast(x) AneInference(y) Cast(y)"), std::string::npos);
  EXPECT_EQ(Tool("inspect --verify " + Path("lowered/net.plist")).code, 0);
  const std::string pair = Path("lowered/program.e5") + " " + Path("lowered/model.hwx");
  EXPECT_EQ(Tool("inspect --verify --strict " + pair).code, 0);
}

TEST_F(ModelCommands, LowerNamesOperationsThatDoNotCompile) {
  WriteText("model.mil", kTangent);
  const Outcome lower = Tool("lower " + Path("model.mil") + " --target h14");
  EXPECT_EQ(lower.code, 0) << lower.err;
  EXPECT_NE(lower.out.find("h14 by mil: does not compile"), std::string::npos);
  EXPECT_NE(lower.out.find("(sin): rejected"), std::string::npos);
  const Outcome written =
      Tool("lower " + Path("model.mil") + " --target h14 --out " + Path("lowered"));
  EXPECT_NE(written.out.find("model.hwx: the program does not compile for h14; plan.txt names what "
                             "is rejected"),
            std::string::npos)
      << written.out;
  EXPECT_NE(ReadTextFile(Path("lowered/plan.txt")).value().find("(sin): rejected"),
            std::string::npos);
  EXPECT_EQ(Tool("lower " + Path("model.mil") + " --target h99").code, 2);
  EXPECT_EQ(Tool("lower " + Path("none.mil") + " --target h13").code, 2);
}

}  // namespace
}  // namespace anecheck
