// eval, judge, check and lower as a model author meets them.
#include <cstring>
#include <fmt/format.h>
#include <string>

#include "harness/base/half.h"
#include "harness/base/testing/test_data.h"
#include "harness/cli/testing/tool_test.h"
#include "harness/formats/npz/npz.h"

namespace anecheck {
namespace {

using Outcome = testing::ToolOutcome;

npz::NamedArray Halves(const std::string& name, std::vector<uint64_t> shape,
                       const std::vector<double>& numbers) {
  npz::NamedArray named{name, {npz::ElementType::kFloat16, std::move(shape), {}}};
  for (const double number : numbers) {
    const Half half = DoubleToHalf(number);
    named.array.data.push_back(static_cast<uint8_t>(half.bits));
    named.array.data.push_back(static_cast<uint8_t>(half.bits >> 8));
  }
  return named;
}

std::vector<double> Numbers(const npz::Array& array) {
  std::vector<double> numbers;
  for (size_t i = 0; i + 1 < array.data.size(); i += 2) {
    numbers.push_back(HalfToDouble(Half{
        static_cast<uint16_t>(array.data[i] | static_cast<uint16_t>(array.data[i + 1]) << 8)}));
  }
  return numbers;
}

class ModelCommands : public testing::ToolTest {
 protected:
  void WriteArrays(const std::string& name, const std::vector<npz::NamedArray>& arrays) {
    ASSERT_TRUE(npz::WriteNpzFile(Path(name), arrays).ok());
  }
  // The array of that name in a file, as numbers.
  std::vector<double> Read(const std::string& file, const std::string& name) {
    const auto arrays = npz::ReadNpzFile(Path(file));
    if (!arrays.ok()) return {};
    for (const npz::NamedArray& named : *arrays) {
      if (named.name == name) return Numbers(named.array);
    }
    return {};
  }
};

constexpr std::string_view kProduct =
    "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 2]> x, tensor<fp16, [2, 1]> w) {\n"
    "tensor<fp16, [1, 1]> y = matmul(x = x, y = w);\n} -> (y);\n}";

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

constexpr std::string_view kCounter =
    "program(1.3)\n{\n func main<ios18>(state<tensor<fp16, [2]>> s, tensor<fp16, [2]> x) {\n"
    "tensor<fp16, [2]> old = read_state(input = s);\n"
    "tensor<fp16, [2]> new = add(x = old, y = x);\nwrite_state(input = s, data = new);\n"
    "tensor<fp16, [2]> y = relu(x = old);\n} -> (y);\n}";

TEST_F(ModelCommands, WhatAStateHoldsIsFedFromExecutionToExecution) {
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

TEST_F(ModelCommands, JudgeHoldsAStateThatIsGiven) {
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

// The sum goes into the state alone: of one execution no output of the model shows a fault of it.
TEST_F(ModelCommands, CheckJudgesWhatAStateHoldsThatIsGiven) {
  WriteText("model.mil", kCounter);
  WriteArrays("in.npz", {Halves("x", {2}, {10, 20}), Halves("s", {2}, {1, 2})});
  const std::string check = "check " + Path("model.mil") + " --target h15 --quirk all=off" +
                            " --inputs " + Path("in.npz");
  const Outcome given = Tool(check);
  EXPECT_EQ(given.code, 0) << given.out << given.err;
  EXPECT_NE(given.out.find("and are judged afterwards: s\n"), std::string::npos) << given.out;
  const Outcome wrong = Tool(check + " --fault add-one-ulp-everywhere");
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_EQ(wrong.out.find("in the second execution"), std::string::npos) << wrong.out;
  EXPECT_NE(wrong.out.find("the first operation that goes wrong is add \"new\""), std::string::npos)
      << wrong.out;
}

TEST_F(ModelCommands, EvalWidensUnderAnEnginesContractAlone) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1]> x) {\n"
            "tensor<fp16, [1]> y = sigmoid(x = x);\n} -> (y);\n}");
  WriteArrays("in.npz", {Halves("x", {1}, {1})});
  for (const std::string contract : {"h13", "ieee"}) {
    const Outcome eval = Tool("eval " + Path("model.mil") + " --inputs " + Path("in.npz") +
                              " --out " + Path("out.npz") + " --bounds --contract " + contract);
    ASSERT_EQ(eval.code, 0) << eval.err;
    EXPECT_EQ(Read("out.npz", "y.lo") < Read("out.npz", "y.hi"), contract == "h13");
  }
}

TEST_F(ModelCommands, ErrorsNameTheFileAndWhatIsWrongWithIt) {
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
                ": x: the array has shape [1, 3], the model wants tensor<fp16, [1, 2]>");
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

TEST_F(ModelCommands, JudgeTellsRightFromWrong) {
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

TEST_F(ModelCommands, JudgeCallsNothingAKnownDefectThatOnlyAnOpenIntervalExplains) {
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
  EXPECT_EQ(Tool(judge + "ieee").code, 1);
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

TEST_F(ModelCommands, JudgeTellsErrorsThatLeanToOneSide) {
  constexpr int kElements = 64;
  WriteText("model.mil",
            fmt::format("program(1.3)\n{{\n func main<ios18>(tensor<fp16, [{0}]> x) {{\n"
                        "tensor<fp16, [{0}]> y = sigmoid(x = x);\n}} -> (y);\n}}",
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
  EXPECT_EQ(high.code, 0) << "inside the bound";
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
  EXPECT_NE(outcome.err.find("the model wants tensor<fp16, [1, 2]>"), std::string::npos)
      << outcome.err;
}

npz::NamedArray Singles(const std::string& name, std::vector<uint64_t> shape,
                        const std::vector<float>& numbers) {
  npz::NamedArray named{name, {npz::ElementType::kFloat32, std::move(shape), {}}};
  named.array.data.resize(4 * numbers.size());
  std::memcpy(named.array.data.data(), numbers.data(), named.array.data.size());
  return named;
}

TEST_F(ModelCommands, WhatIsLostOfArraysIsSaid) {
  WriteText("model.mil", kProduct);
  WriteArrays("in.npz", {Singles("x", {1, 2}, {1e6f, 4}), Halves("w", {2, 1}, {0.5, 0.25}),
                         Halves("z", {1}, {1})});
  const Outcome eval = Tool("eval " + Path("model.mil") + " --inputs " + Path("in.npz") +
                            " --out " + Path("out.npz"));
  EXPECT_NE(eval.err.find("x: 1 of 2 numbers"), std::string::npos) << eval.err;
  EXPECT_NE(eval.err.find("taken as infinite"), std::string::npos) << eval.err;
  EXPECT_NE(eval.err.find("the array \"z\" is no input of the model and was ignored"),
            std::string::npos)
      << eval.err;
  WriteArrays("good.npz", {Halves("x", {1, 2}, {4, 4}), Halves("w", {2, 1}, {0.5, 0.25})});
  WriteArrays("actual.npz", {Singles("y", {1, 1}, {3.0009f})});
  const Outcome judge = Tool("judge " + Path("model.mil") + " --inputs " + Path("good.npz") +
                             " --actual " + Path("actual.npz"));
  EXPECT_NE(judge.err.find("y: 1 of 1 numbers"), std::string::npos) << judge.err;
  EXPECT_NE(judge.err.find("were rounded to it"), std::string::npos) << judge.err;
}

TEST_F(ModelCommands, MissingWeightsAreMadeUpAndSaidSo) {
  WriteText("model.mil",
            "program(1.0)\n{\n func main<ios16>(tensor<fp16, [1, 4]> x) {\n"
            "tensor<fp16, [3, 4]> w = const()[val = tensor<fp16, [3, 4]>(BLOBFILE(path = "
            "tensor<string, []>(\"@model_path/weights/weight.bin\"), offset = tensor<uint64, "
            "[]>(64)))];\n"
            "tensor<fp16, [1, 3]> y = linear(weight = w, x = x);\n} -> (y);\n}");
  const std::string eval = "eval " + Path("model.mil") + " --out " + Path("out.npz");
  const Outcome made_up = Tool(eval);
  EXPECT_EQ(made_up.code, 0) << made_up.err;
  EXPECT_NE(made_up.err.find("1 constants are filled with made-up numbers"), std::string::npos)
      << made_up.err;
  EXPECT_EQ(Read("out.npz", "y").size(), 3u);
  EXPECT_EQ(Tool(eval + " --weights " + Path("no-such.bin")).code, 2);
}

TEST_F(ModelCommands, CheckNamesTheFirstOperationThatGoesWrong) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 4]> x) {\n"
            "tensor<fp16, [3, 4]> w = const()[val = tensor<fp16, [3, 4]>([[1, 2, 3, 4], [5, 6, 7, "
            "8], [9, 10, 11, 12]])];\n"
            "tensor<fp16, [3]> b = const()[val = tensor<fp16, [3]>([1, 2, 3])];\n"
            "tensor<fp16, [1, 4]> r = relu(x = x);\n"
            "tensor<fp16, [1, 3]> y = linear(bias = b, weight = w, x = r);\n"
            "tensor<fp16, [1, 3]> z = relu(x = y);\n} -> (z);\n}");
  const std::string check = "check " + Path("model.mil") + " --target h13 --quirk all=off --json";
  const Outcome clean = Tool(check);
  EXPECT_EQ(clean.code, 0) << clean.out << clean.err;
  EXPECT_EQ((*ParseJson(clean.out))["targets"][0]["verdict"], "pass");
  const Outcome faulty = Tool(check + " --fault linear-bias-dropped");
  EXPECT_EQ(faulty.code, 1) << faulty.out << faulty.err;
  const auto location = (*ParseJson(faulty.out))["locations"][0];
  EXPECT_EQ(location["first_wrong"], "linear");
  EXPECT_EQ(location["name"], "y");
  EXPECT_NE(location["message"].get<std::string>().find("elements outside; worst at"),
            std::string::npos)
      << location;
}

TEST_F(ModelCommands, CheckRunsWhatLiesBetweenTheCastsOfAModelsBoundary) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp32, [1, 4]> x) {\n"
            "tensor<fp16, [1, 4]> h = cast(x = x, dtype = string(\"fp16\"));\n"
            "tensor<fp16, [1, 4]> r = relu(x = h);\n"
            "tensor<fp32, [1, 4]> y = cast(x = r, dtype = string(\"fp32\"));\n} -> (y);\n}");
  const Outcome check = Tool("check " + Path("model.mil") + " --target h13");
  EXPECT_EQ(check.code, 0) << check.out << check.err;
  EXPECT_NE(check.out.find("without the casts of fp32 inputs (x) and outputs (y)"),
            std::string::npos)
      << check.out;
  EXPECT_NE(check.out.find("h13: pass"), std::string::npos) << check.out;
  EXPECT_NE(check.err.find("made-up numbers"), std::string::npos) << check.err;
}

// A row of a table by a number from outside, and the position of the largest of what it makes.
TEST_F(ModelCommands, CheckComputesTheInt32EdgesOfAModelOnTheHost) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<int32, [1]> token) {\n"
            "tensor<fp16, [3, 4]> t = const()[val = tensor<fp16, [3, 4]>([[1, 2, 3, 4], [8, 7, 6, "
            "5], [9, 12, 11, 10]])];\n"
            "tensor<fp16, [1, 4]> row = gather(x = t, indices = token, axis = int32(0), batch_dims "
            "= int32(0), validate_indices = bool(false));\n"
            "tensor<fp16, [1, 4]> twice = add(x = row, y = row);\n"
            "tensor<int32, [1]> at = reduce_argmax(x = twice, axis = int32(1), keep_dims = "
            "bool(false));\n} -> (twice, at);\n}");
  npz::NamedArray token{"token", {npz::ElementType::kInt32, {1}, {2, 0, 0, 0}}};
  WriteArrays("in.npz", {token});
  const std::string check =
      "check " + Path("model.mil") + " --inputs " + Path("in.npz") + " --target h13 --json";
  const Outcome clean = Tool(check + " --quirk all=off");
  ASSERT_EQ(clean.code, 0) << clean.out << clean.err;
  EXPECT_EQ(clean.err, "") << "every array is an input of the model";
  const Json json = *ParseJson(clean.out);
  EXPECT_EQ(json["targets"][0]["verdict"], "pass");
  EXPECT_EQ(json["on_the_host"]["computed"], Json::array({"gather \"row\""}));
  EXPECT_EQ(json["on_the_host"]["widened_outputs"], Json::array({"at"}));
  // What the engine does is judged as ever.
  const Outcome faulty = Tool(check + " --quirk all=off --fault add-one-ulp-everywhere");
  EXPECT_EQ(faulty.code, 1) << faulty.out << faulty.err;
  EXPECT_EQ((*ParseJson(faulty.out))["locations"][0]["first_wrong"], "add");
}

// A token by which the host takes a row, and an operand that is the engine's.
TEST_F(ModelCommands, CheckWarnsOfArraysThatAreNoInputsOfTheModelAlone) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<int32, [1]> token, tensor<fp16, [1, 2]> x) "
            "{\n"
            "tensor<fp16, [2, 2]> t = const()[val = tensor<fp16, [2, 2]>([[1, 2], [8, 7]])];\n"
            "tensor<fp16, [1, 2]> row = gather(x = t, indices = token, axis = int32(0), batch_dims "
            "= int32(0), validate_indices = bool(false));\n"
            "tensor<fp16, [1, 2]> y = add(x = row, y = x);\n} -> (y);\n}");
  const npz::NamedArray token{"token", {npz::ElementType::kInt32, {1}, {1, 0, 0, 0}}};
  WriteArrays("in.npz", {token, Halves("x", {1, 2}, {1, 2})});
  const std::string check = "check " + Path("model.mil") + " --target h13 --quirk all=off";
  const Outcome given = Tool(check + " --inputs " + Path("in.npz"));
  EXPECT_EQ(given.code, 0) << given.out;
  EXPECT_EQ(given.err, "");
  const Outcome made_up = Tool(check);
  EXPECT_EQ(made_up.code, 0) << made_up.out;
  EXPECT_EQ(made_up.err.find("is no input"), std::string::npos) << made_up.err;
  // An inner value is no input, though the host gives it to the engine.
  WriteArrays("in.npz", {token, Halves("x", {1, 2}, {1, 2}), Halves("row", {1, 2}, {1, 2})});
  const Outcome more = Tool(check + " --inputs " + Path("in.npz"));
  EXPECT_EQ(more.code, 0) << more.out;
  EXPECT_EQ(more.err,
            "anecheck: warning: the array \"row\" is no input of the model and was ignored\n");
}

// Casts of one value, the value itself among the outputs, and one output twice.
TEST_F(ModelCommands, CheckRunsModelsOfWhichOneValueIsSeveralOutputs) {
  for (const std::string type : {"int32", "fp32"}) {
    for (const std::string outputs : {"r, n", "n, m", "r, r"}) {
      WriteText("model.mil",
                fmt::format("program(1.3)\n{{\n func main<ios18>(tensor<fp16, [2]> x) {{\n"
                            "tensor<fp16, [2]> r = round(x = x);\n"
                            "tensor<{0}, [2]> n = cast(x = r, dtype = string(\"{0}\"));\n"
                            "tensor<{0}, [2]> m = cast(x = r, dtype = string(\"{0}\"));\n"
                            "}} -> ({1});\n}}",
                            type, outputs));
      const Outcome check = Tool("check " + Path("model.mil") + " --target h13");
      EXPECT_EQ(check.code, 0) << type << " " << outputs << "\n" << check.out;
      EXPECT_NE(check.out.find("h13: pass"), std::string::npos) << check.out << check.err;
    }
  }
}

TEST_F(ModelCommands, CheckSaysWhatTheTablesDoNotAttest) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 2]> x) {\n"
            "tensor<fp16, [1, 2]> y = sin(x = x);\n} -> (y);\n}");
  const Outcome check = Tool("check " + Path("model.mil") + " --target h13,h15 --json");
  const auto json = ParseJson(check.out);
  ASSERT_TRUE(json.ok()) << check.err;
  EXPECT_EQ((*json)["targets"][0]["not_attested"][0]["op"], "sin");
  EXPECT_NE((*json)["targets"][0]["not_attested"][0]["reason"], "");
  EXPECT_TRUE((*json)["targets"][1]["not_attested"].empty()) << check.out;
}

// What lies around an operation without a path is run all the same, and a fault there found.
TEST_F(ModelCommands, CheckRunsThePartsAroundWhatTheTablesRefuse) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp32, [1, 4]> x) {\n"
            "tensor<fp16, [1, 4]> h = cast(x = x, dtype = string(\"fp16\"));\n"
            "tensor<fp16, [1, 4]> r = relu(x = h);\n"
            "tensor<fp16, [1, 4]> a = add(x = r, y = h);\n"
            "tensor<fp16, [1, 4]> s = sin(x = a);\n"
            "tensor<fp16, [1, 4]> y = abs(x = s);\n} -> (y);\n}");
  const std::string check = "check " + Path("model.mil") + " --target h13 --quirk all=off";
  const Outcome text = Tool(check);
  EXPECT_EQ(text.code, 1) << text.err;
  EXPECT_NE(text.out.find("  not attested: sin \"s\": "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("  part 1 of 2 around these, 2 operations from relu \"r\" to add \"a\": "
                          "pass\n  part 2 of 2 around these, abs \"y\": pass\n"),
            std::string::npos)
      << text.out;
  EXPECT_EQ(text.out.find("attested, not reached"), std::string::npos) << text.out;
  const Outcome faulty =
      Tool(check + " --json --fault add-one-ulp-everywhere --db " + Path("check.sqlite"));
  const auto json = ParseJson(faulty.out);
  ASSERT_TRUE(json.ok()) << faulty.err;
  const auto& target = (*json)["targets"][0];
  EXPECT_EQ(target["verdict"], "rejected");
  EXPECT_EQ(target["parts"][0]["verdict"], "wrong");
  EXPECT_EQ(target["parts"][1]["verdict"], "pass");
  EXPECT_EQ((*json)["locations"][0]["name"], "a");
  EXPECT_EQ((*json)["summary"]["cases"], 3);
  ASSERT_EQ((*json)["findings"].size(), 2u);
  EXPECT_EQ((*json)["findings"][1]["name"], "a");
  const Outcome replay = Tool((*json)["findings"][1]["replay"].get<std::string>().substr(9));
  EXPECT_EQ(replay.code, 1) << replay.out << replay.err;
}

// An engine that refuses what the tables attest: the report names the operation and goes on around
// it.
TEST_F(ModelCommands, CheckFindsTheOperationThatTheEngineRefusesThoughTheTablesAttestIt) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [2, 4]> x) {\n"
            "tensor<fp16, [2, 4]> r = relu(x = x);\n"
            "tensor<int32, [2]> p = const()[val = tensor<int32, [2]>([1, 0])];\n"
            "tensor<fp16, [4, 2]> t = transpose(x = r, perm = p);\n"
            "tensor<fp16, [4, 2]> y = abs(x = t);\n} -> (y);\n}");
  const std::string check = "check " + Path("model.mil") + " --target h13";
  const Outcome text = Tool(check + " --fault rejects-transpose");
  EXPECT_EQ(text.code, 1) << text.err;
  EXPECT_NE(text.out.find("  attested, not reached: transpose\n"
                          "  attested, but not taken alone either: transpose \"t\": rejected: "),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("  part 1 of 2 around these, relu \"r\": pass\n"
                          "  part 2 of 2 around these, abs \"y\": pass\n"),
            std::string::npos)
      << text.out;
  const Outcome clean = Tool(check + " --json");
  EXPECT_EQ(clean.code, 0) << clean.out << clean.err;
  const auto json = ParseJson(clean.out);
  ASSERT_TRUE(json.ok()) << clean.err;
  EXPECT_TRUE((*json)["targets"][0]["parts"].empty()) << clean.out;
  EXPECT_EQ((*json)["targets"][0]["searched"], false);
}

// The tables refuse one operation, the engine another one of a part behind it.
TEST_F(ModelCommands, CheckSearchesThePartsThatTheEngineRefusesToo) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [2, 4]> x) {\n"
            "tensor<fp16, [2, 4]> r = relu(x = x);\n"
            "tensor<fp16, [2, 4]> s = sin(x = r);\n"
            "tensor<fp16, [2, 4]> a = abs(x = s);\n"
            "tensor<fp16, [2, 4]> m = softmax(x = a, axis = int32(1));\n"
            "tensor<fp16, [2, 4]> y = sqrt(x = m);\n} -> (y);\n}");
  const Outcome check =
      Tool("check " + Path("model.mil") + " --target h13 --fault rejects-softmax --json");
  EXPECT_EQ(check.code, 1) << check.err;
  const auto json = ParseJson(check.out);
  ASSERT_TRUE(json.ok()) << check.err;
  const auto& target = (*json)["targets"][0];
  EXPECT_EQ(target["not_attested"][0]["name"], "s");
  ASSERT_EQ(target["refused_alone"].size(), 1u) << check.out;
  EXPECT_EQ(target["refused_alone"][0]["name"], "m");
  ASSERT_EQ(target["parts"].size(), 3u) << check.out;
  for (const auto& part : target["parts"]) EXPECT_EQ(part["verdict"], "pass") << check.out;
  EXPECT_EQ(target["attested_not_reached"], nlohmann::json({"softmax"}));
}

TEST_F(ModelCommands, CheckWarnsNearACliff) {
  WriteText("model.mil", kProduct);
  WriteArrays("in.npz", {Halves("x", {1, 2}, {200, 10}), Halves("w", {2, 1}, {150, 10})});
  const Outcome check = Tool("check " + Path("model.mil") + " --inputs " + Path("in.npz") +
                             " --target h13,h15 --json");
  const auto json = ParseJson(check.out);
  ASSERT_TRUE(json.ok()) << check.err;
  // 30100 passes; a third more does not. Only A13, A14 and A17 have the port.
  ASSERT_EQ((*json)["warnings"].size(), 1u) << check.out;
  EXPECT_EQ((*json)["warnings"][0]["target"], "h13");
  EXPECT_EQ((*json)["warnings"][0]["op"], "matmul");
  EXPECT_EQ((*json)["warnings"][0]["cliff"], "D01");
  EXPECT_EQ((*json)["warnings"][0]["past"], false);
  EXPECT_EQ((*json)["warnings"][0]["result"], 30096);
  EXPECT_EQ((*json)["targets"].size(), 2u);
}

// What is NaN with a defect and without it is not past that defect's cliff.
TEST_F(ModelCommands, CheckDoesNotTakeNanForACliff) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 2]> x) {\n"
            "tensor<fp16, []> e = const()[val = tensor<fp16, []>(0.001)];\n"
            "tensor<fp16, [1, 2]> y = rsqrt(x = x, epsilon = e);\n} -> (y);\n}");
  WriteArrays("in.npz", {Halves("x", {1, 2}, {-1, 1})});
  const Outcome check = Tool("check " + Path("model.mil") + " --inputs " + Path("in.npz") +
                             " --target h13,h17s --json");
  const auto json = ParseJson(check.out);
  ASSERT_TRUE(json.ok()) << check.err;
  EXPECT_TRUE((*json)["warnings"].empty()) << check.out;
}

TEST_F(ModelCommands, RealModelsEvaluate) {
  // Those whose operations are all in the table and whose shapes are fixed; all with made-up
  // weights, and under the ideal contract, which keeps no bounds.
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
    const Outcome eval =
        Tool("eval " + path + " --contract ieee --out " + Path("out.npz") + " --json");
    EXPECT_EQ(eval.code, 0) << name << eval.err;
  }
}

TEST_F(ModelCommands, CheckTellsTheAuthorsOfRealModelsWhatStopsThem) {
  const struct {
    const char* name;
    std::vector<const char*> says;  // on its output or its error output
  } models[] = {
      {"coremltools__add_model__model-a413e2be.mil",
       {"h13: pass", "no value comes near a known cliff", "follow from made-up inputs"}},
      {"FluidAudio__TransposeEncoder__model-26f5318a.mil", {"h13: pass"}},
      {"FluidAudio__Argmax__model-e1d1ff9c.mil",
       {"an engine gives fp16: int32 outputs that the host widens: index", "h13: pass"}},
      {"FluidAudio__TokenDurationPrediction__model-4de79cdc.mil",
       {"int32 outputs that the host widens: var_17, var_24", "h13: pass"}},
      {"FluidAudio__decoder__model-5ead417f.mil",
       {"the host computes what an engine takes no operands of: cast \"targets_to_int16\", gather "
        "\"y_cast_fp16_cast_uint16\"",
        "not attested: lstm"}},
      {"mobius__silero-vad-unified-v6.0.0__model-810386da.mil",
       {"without the casts of fp32 inputs (audio_input, cell_state, hidden_state)",
        "h13: rejected: conv: kW must be <=15", "not attested: conv \"stft_out_cast_fp16\"",
        "not attested: lstm \"lstm_out_batch_first_0\": no path by the placement",
        "part 3 of 3 around these, 8 operations from expand_dims \"hn_cast_fp16\" to squeeze "
        "\"new_cell_state\": pass",
        "follow from 13 made-up constants and made-up inputs"}},
      {"FluidAudio__parakeet_eou_preprocessor__model-25db6a13.mil",
       {"`?` axes have their default extents, arrays give others"}},
  };
  for (const auto& model : models) {
    const std::string path = testing::RealDataPath("mil/" + std::string(model.name));
    ANECHECK_SKIP_WITHOUT(path);
    const Outcome check = Tool("check " + path + " --target h13");
    for (const char* words : model.says) {
      EXPECT_NE((check.out + check.err).find(words), std::string::npos)
          << model.name << " does not say: " << words << "\n"
          << check.out << check.err;
    }
  }
}

// ---- lower --------------------------------------------------------------------------------------

// sin exists from A15; relu everywhere.
constexpr std::string_view kTangent =
    "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 2]> x) {\n"
    "tensor<fp16, [1, 2]> t = tan(x = x);\ntensor<fp16, [1, 2]> y = relu(x = t);\n} -> (y);\n}";

TEST_F(ModelCommands, LowerWritesThePlanAndTheProgramsThatCanBeSpelt) {
  WriteText("model.mil", kTangent);
  const Outcome lower =
      Tool("lower " + Path("model.mil") + " --target h15 --out " + Path("lowered") + " --json");
  ASSERT_EQ(lower.code, 0) << lower.err;
  const Json json = *ParseJson(lower.out);
  EXPECT_EQ(json["plan"]["dispatches"], 1);
  EXPECT_EQ(json["plan"]["compiles"], true);
  EXPECT_EQ(json["plan"]["rewrites"][0]["occasion"], "host");
  // The host's rewrite stands in the program; what the compiler makes stands in lowered.json.
  const std::string mil = *ReadTextFile(Path("lowered/model.mil"));
  EXPECT_NE(mil.find("sin("), std::string::npos);
  EXPECT_EQ(mil.find("tan("), std::string::npos);
  EXPECT_EQ((*ParseJson(*ReadTextFile(Path("lowered/plan.json"))))["target"], "h15");
  EXPECT_NE(ReadTextFile(Path("lowered/plan.txt"))->find("h15 by mil: compiles"),
            std::string::npos);
  EXPECT_EQ((*ParseJson(*ReadTextFile(Path("lowered/lowered.json"))))["ops"].size(), 4u);
  // No source spells sine in a network description, nor the registers of A15's tasks.
  std::vector<std::string> missing;
  for (const Json& file : json["missing"]) missing.push_back(file["file"]);
  EXPECT_EQ(missing, (std::vector<std::string>{"net.plist", "model.hwx"}));
  EXPECT_EQ(Tool("inspect --verify " + Path("lowered/program.e5")).code, 0);
}

TEST_F(ModelCommands, LowerWritesANetworkDescriptionWhereItsUnitsAreSpelt) {
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

TEST_F(ModelCommands, LowerNamesWhatDoesNotCompile) {
  WriteText("model.mil", kTangent);
  const Outcome lower = Tool("lower " + Path("model.mil") + " --target h14");
  EXPECT_EQ(lower.code, 0) << lower.err;
  EXPECT_NE(lower.out.find("h14 by mil: does not compile"), std::string::npos);
  EXPECT_NE(lower.out.find("(sin): rejected"), std::string::npos);
  EXPECT_EQ(Tool("lower " + Path("model.mil") + " --target h99").code, 2);
  EXPECT_EQ(Tool("lower " + Path("none.mil") + " --target h13").code, 2);
}

}  // namespace
}  // namespace anecheck
