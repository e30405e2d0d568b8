// `anecheck check` on a user's model.
#include <fmt/format.h>
#include <string>
#include <vector>

#include "harness/base/file.h"
#include "harness/cli/testing/model_commands.h"

namespace anecheck {
namespace {

using testing::Halves;
using testing::kCounter;
using testing::kProduct;
using testing::ModelCommands;
using Outcome = testing::ToolOutcome;

// No recorded table bounds exp2, and its error is larger than the difference that the model
// computes. So the output of the whole model is unbounded, but each operation has a narrow bound at
// its actual operands.
constexpr std::string_view kSmallDifference =
    "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 4]> x) {\n"
    "tensor<fp16, [1, 4]> s = exp2(x = x);\n"
    "fp16 h = const()[val = fp16(1)];\n"
    "tensor<fp16, [1, 4]> d = sub(x = s, y = h);\n"
    "tensor<fp16, [1, 4]> y = add(x = d, y = d);\n} -> (y);\n}";

// The model writes the sum only to the state, so after one execution no output of the model shows a
// fault of the sum.
TEST_F(ModelCommands, CheckJudgesTheContentOfAGivenState) {
  WriteText("model.mil", kCounter);
  WriteArrays("in.npz", {Halves("x", {2}, {10, 20}), Halves("s", {2}, {1, 2})});
  const std::string check = "check " + Path("model.mil") + " --target h15 --quirk all=off" +
                            " --inputs " + Path("in.npz");
  const Outcome given = Tool(check);
  EXPECT_EQ(given.code, 0) << given.out << given.err;
  EXPECT_NE(given.out.find("and whose final content is judged: s\n"), std::string::npos)
      << given.out;
  const Outcome wrong = Tool(check + " --fault add-one-ulp-everywhere");
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_EQ(wrong.out.find("in the second execution"), std::string::npos) << wrong.out;
  EXPECT_NE(wrong.out.find("the first wrong operation is add \"new\""), std::string::npos)
      << wrong.out;
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

TEST_F(ModelCommands, CheckRunsThePartBetweenTheCastsOfAModelsBoundary) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp32, [1, 4]> x) {\n"
            "tensor<fp16, [1, 4]> h = cast(x = x, dtype = string(\"fp16\"));\n"
            "tensor<fp16, [1, 4]> r = relu(x = h);\n"
            "tensor<fp32, [1, 4]> y = cast(x = r, dtype = string(\"fp32\"));\n} -> (y);\n}");
  const Outcome check = Tool("check " + Path("model.mil") + " --target h13");
  EXPECT_EQ(check.code, 0) << check.out << check.err;
  EXPECT_NE(check.out.find("the casts of fp32 inputs are left out: x\n"), std::string::npos)
      << check.out;
  EXPECT_NE(check.out.find("h13 (A14, M1): pass"), std::string::npos) << check.out;
  EXPECT_NE(check.err.find("made-up numbers"), std::string::npos) << check.err;
}

// An int32 input selects the row of a table. The model returns the position of the row's largest
// element.
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
  EXPECT_EQ(clean.err, "") << "no array is ignored";
  const Json json = *ParseJson(clean.out);
  EXPECT_EQ(json["targets"][0]["verdict"], "pass");
  EXPECT_EQ(json["on_the_host"]["computed"], Json::array({"gather \"row\""}));
  EXPECT_EQ(json["on_the_host"]["widened_outputs"], Json::array({"at"}));
  // The engine's part is judged as usual.
  const Outcome faulty = Tool(check + " --quirk all=off --fault add-one-ulp-everywhere");
  EXPECT_EQ(faulty.code, 1) << faulty.out << faulty.err;
  EXPECT_EQ((*ParseJson(faulty.out))["locations"][0]["first_wrong"], "add");
}

// The host looks up the row of `token`, and `x` is an operand of the engine's part.
TEST_F(ModelCommands, CheckWarnsOnlyOfArraysThatAreNoInputsOfTheModel) {
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
  // An inner value is no input of the model, although the host passes it to the engine.
  WriteArrays("in.npz", {token, Halves("x", {1, 2}, {1, 2}), Halves("row", {1, 2}, {1, 2})});
  const Outcome more = Tool(check + " --inputs " + Path("in.npz"));
  EXPECT_EQ(more.code, 0) << more.out;
  EXPECT_EQ(more.err,
            "anecheck: warning: the array \"row\" is no input of the model and was ignored\n");
}

// The outputs are a value and its cast, two equal casts of a value, or a value twice.
TEST_F(ModelCommands, CheckRunsModelsWithOneValueInSeveralOutputs) {
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
      EXPECT_NE(check.out.find("h13 (A14, M1): pass"), std::string::npos) << check.out << check.err;
    }
  }
}

TEST_F(ModelCommands, CheckShowsAnOperationsPlacementAndItsReason) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 2]> x) {\n"
            "tensor<fp16, [1, 2]> y = sin(x = x);\n} -> (y);\n}");
  const Outcome check = Tool("check " + Path("model.mil") + " --target h13,h15 --json");
  const auto json = ParseJson(check.out);
  ASSERT_TRUE(json.ok()) << check.err;
  const Json& refused = (*json)["targets"][0]["operations"][0];
  EXPECT_EQ(refused["op"], "sin");
  EXPECT_EQ(refused["placement"], "refused");
  EXPECT_NE(refused["reason"], "");
  EXPECT_EQ((*json)["targets"][1]["operations"][0]["placement"], "engine") << check.out;
}

// One operation has no path to the engine. The operations around it still run, and a fault in them
// is found.
TEST_F(ModelCommands, CheckRunsThePartsAroundRefusedOperations) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp32, [1, 4]> x) {\n"
            "tensor<fp16, [1, 4]> h = cast(x = x, dtype = string(\"fp16\"));\n"
            "tensor<fp16, [1, 4]> r = relu(x = h);\n"
            "tensor<fp16, [1, 4]> a = add(x = r, y = h);\n"
            "tensor<fp16, [1, 4]> s = sin(x = a);\n"
            "tensor<fp16, [1, 4]> y = abs(x = s);\n} -> (y);\n}");
  const std::string check = "check " + Path("model.mil") + " --target h13 --quirk all=off";
  const Outcome text = Tool(check);
  EXPECT_EQ(text.code, 0) << "the tables predict the refusal, so it is no finding: " << text.err;
  EXPECT_EQ(Tool(check + " --fail-on refused").code, 1);
  EXPECT_NE(text.out.find("  refused: sin \"s\": "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("  part 1 of 2 around these, 2 operations from relu \"r\" to add \"a\": "
                          "pass\n  part 2 of 2 around these, abs \"y\": pass\n"),
            std::string::npos)
      << text.out;
  EXPECT_EQ(text.out.find("no engine ran them"), std::string::npos) << text.out;
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
  ASSERT_EQ((*json)["findings"].size(), 1u);
  EXPECT_EQ((*json)["findings"][0]["name"], "a");
  const Outcome replay = Tool((*json)["findings"][0]["replay"].get<std::string>().substr(9));
  EXPECT_EQ(replay.code, 1) << replay.out << replay.err;
}

// The engine refuses an attested operation. The report names it, and the parts around it run.
TEST_F(ModelCommands, CheckFindsAnAttestedOperationThatTheEngineRefuses) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [2, 4]> x) {\n"
            "tensor<fp16, [2, 4]> r = relu(x = x);\n"
            "tensor<int32, [2]> p = const()[val = tensor<int32, [2]>([1, 0])];\n"
            "tensor<fp16, [4, 2]> t = transpose(x = r, perm = p);\n"
            "tensor<fp16, [4, 2]> y = abs(x = t);\n} -> (y);\n}");
  const std::string check = "check " + Path("model.mil") + " --target h13";
  const Outcome text = Tool(check + " --fault rejects-transpose");
  EXPECT_EQ(text.code, 1) << text.err;
  EXPECT_NE(text.out.find("  the tables admit these, but no engine ran them: transpose\n"
                          "  the engine refuses, though the tables admit it: transpose \"t\": "
                          "rejected: "),
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

// The tables refuse one operation, and the engine refuses another one in a later part.
TEST_F(ModelCommands, CheckSearchesPartsThatTheEngineRefuses) {
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
  EXPECT_EQ(target["operations"][1]["name"], "s");
  EXPECT_EQ(target["operations"][1]["placement"], "refused");
  ASSERT_EQ(target["refused_alone"].size(), 1u) << check.out;
  EXPECT_EQ(target["refused_alone"][0]["name"], "m");
  ASSERT_EQ(target["parts"].size(), 3u) << check.out;
  for (const auto& part : target["parts"]) EXPECT_EQ(part["verdict"], "pass") << check.out;
  EXPECT_EQ(target["admitted_not_reached"], Json::array({"softmax"}));
}

TEST_F(ModelCommands, CheckJudgesOperationsOneByOneIfTheWholeIsInconclusive) {
  WriteText("model.mil", kSmallDifference);
  WriteArrays("in.npz", {Halves("x", {1, 4}, {0.001, -0.001, 0.0005, -0.0002})});
  const std::string check = "check " + Path("model.mil") + " --target h13 --quirk all=off" +
                            " --inputs " + Path("in.npz");
  const Outcome clean = Tool(check);
  EXPECT_EQ(clean.code, 0) << clean.err;
  EXPECT_NE(clean.out.find("h13 (A14, M1): inconclusive: "), std::string::npos) << clean.out;
  EXPECT_NE(clean.out.find("judged one by one, on the values that the engine fed them: 3 right\n"),
            std::string::npos)
      << clean.out;
  const Outcome faulty =
      Tool(check + " --json --fault add-one-ulp-everywhere --db " + Path("check.sqlite"));
  EXPECT_EQ(faulty.code, 1) << faulty.out << faulty.err;
  const auto json = ParseJson(faulty.out);
  ASSERT_TRUE(json.ok()) << faulty.err;
  EXPECT_EQ((*json)["targets"][0]["verdict"], "inconclusive");
  EXPECT_EQ((*json)["locations"][0]["name"], "y");
  ASSERT_EQ((*json)["findings"].size(), 1u) << faulty.out;
  EXPECT_EQ((*json)["findings"][0]["op"], "add");
  const Outcome replay = Tool((*json)["findings"][0]["replay"].get<std::string>().substr(9));
  EXPECT_EQ(replay.code, 1) << replay.out << replay.err;
}

// An engine that returns the oracle's values, but computes `sub` in place of `add` if the program
// has an exp2.
constexpr std::string_view kDependsOnOthers = R"sh(while read -r line; do
  case $line in *hello*) echo '{"v": 1, "name": "depends"}'; continue ;; esac
  id=${line#*'"id":'}
  graph=${line#*'"graph":"'}
  folder=${graph%%/graph.json*}
  cp "$folder/graph.json" "$folder/run.json"
  grep -q exp2 "$folder/graph.json" &&
    sed 's/"op":"add"/"op":"sub"/' "$folder/graph.json" > "$folder/run.json"
  "$0" eval "$folder/run.json" --inputs "$folder/inputs.npz" --out "$folder/outputs.npz" >/dev/null
  echo "{\"v\": 1, \"id\": ${id%%,*}, \"status\": \"ok\"}"
done
)sh";

// An operation is wrong in the program and right alone, so the finding belongs to the program.
TEST_F(ModelCommands, CheckBlamesTheModelIfTheOperationAloneIsRight) {
  WriteText("model.mil", kSmallDifference);
  WriteText("runner.sh", kDependsOnOthers);
  WriteArrays("in.npz", {Halves("x", {1, 4}, {0.001, -0.001, 0.0005, -0.0002})});
  const Outcome check =
      Tool("check " + Path("model.mil") + " --target h13 --json --inputs " + Path("in.npz") +
           " --runner \"exec:sh -c '. " + Path("runner.sh") + "' " + ANECHECK_TOOL + "\"");
  EXPECT_EQ(check.code, 1) << check.out << check.err;
  const auto json = ParseJson(check.out);
  ASSERT_TRUE(json.ok()) << check.err;
  EXPECT_EQ((*json)["targets"][0]["verdict"], "wrong") << check.out;
  ASSERT_EQ((*json)["findings"].size(), 1u) << check.out;
  EXPECT_EQ((*json)["findings"][0]["name"], "y");
  EXPECT_NE((*json)["findings"][0]["message"].get<std::string>().find("; alone it is right"),
            std::string::npos)
      << check.out;
}

// The first table lists each operation, its placement on each chip, and its error.
TEST_F(ModelCommands, CheckAnswersWithATableOfOperationsByChip) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 4]> x) {\n"
            "tensor<fp16, [1, 4]> r = relu(x = x);\n"
            "tensor<fp16, [1, 4]> s = sin(x = r);\n"
            "tensor<fp16, [1, 4]> y = sigmoid(x = s);\n} -> (y);\n}");
  const std::string check = "check " + Path("model.mil") + " --target M1,M3 --quirk all=off";
  const Outcome text = Tool(check);
  for (const char* words :
       {"operation  name  h13 (A14, M1)", "h15 (A16, M3)", "relu       r     engine, exact",
        "3 operations: 2 may run on the engine, 0 on the host, 1 refused; 2 values handed over "
        "between engine and host",
        "Core ML would place 0 of 3 operations on the engine", "stays on the CPU"}) {
    EXPECT_NE(text.out.find(words), std::string::npos) << words << "\n" << text.out << text.err;
  }
  const auto json = ParseJson(Tool(check + " --json").out);
  ASSERT_TRUE(json.ok());
  const auto& targets = (*json)["targets"];
  EXPECT_EQ(targets[0]["operations"][1]["op"], "sin");
  EXPECT_NE(targets[0]["operations"][1]["placement"], "engine");
  EXPECT_EQ(targets[0]["operations"][1]["error"], nullptr);
  EXPECT_EQ(targets[1]["operations"][1]["placement"], "engine");
  EXPECT_EQ(targets[0]["operations"][0]["error"]["ulp"], 0);
  EXPECT_FALSE(targets[0]["operations"][2]["error"].is_null())
      << "the operation ran in a part of the model";
}

TEST_F(ModelCommands, CheckFailsOnTheRequestedConditions) {
  WriteText("model.mil", kProduct);
  WriteArrays("in.npz", {Halves("x", {1, 2}, {200, 10}), Halves("w", {2, 1}, {150, 10})});
  const std::string check = "check " + Path("model.mil") + " --inputs " + Path("in.npz") +
                            " --target h13 --quirk all=off --fail-on ";
  EXPECT_EQ(Tool(check + "host,refused,error:0.01").code, 0);
  const Outcome cliff = Tool(check + "cliff");
  EXPECT_EQ(cliff.code, 1) << cliff.err;
  EXPECT_NE(cliff.out.find("fail-on: h13 (A14, M1): 1 cliff\n"), std::string::npos) << cliff.out;
  const Outcome wrong = Tool(check + "error:much");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("--fail-on: \"error:much\" is none of host"), std::string::npos);
}

// The simulated engine runs a sum. The tables refuse it on one chip and admit it with a caveat on
// the other.
TEST_F(ModelCommands, CheckSaysThatAnEngineRanWhatTheTablesRefuse) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 64, 1, 64]> x) {\n"
            "tensor<fp16, [1, 64, 1, 64]> acc = cumsum(x = x, axis = int32(1), exclusive = "
            "bool(false), reverse = bool(false));\n} -> (acc);\n}");
  const std::string check = "check " + Path("model.mil") + " --target \"M1,A17 Pro\"";
  const Outcome text = Tool(check);
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* words :
       {"refused (this engine: exact)", "\nh13 (A14, M1): pass\n",
        "\nh16 (A17 Pro): pass; this engine ran 1 operation that the tables refuse: another "
        "compiler may refuse the model\n",
        "shows: does not compile\n",
        "  cumsum \"acc\": not by the standard compile: native only through a curated runtime "
        "path"}) {
    EXPECT_NE(text.out.find(words), std::string::npos) << words << "\n" << text.out;
  }
  const auto json = ParseJson(Tool(check + " --json").out);
  ASSERT_TRUE(json.ok());
  const auto& targets = (*json)["targets"];
  EXPECT_EQ(targets[0]["caveat"], "");
  EXPECT_EQ(targets[0]["operations"][0]["remarks"].size(), 1u);
  EXPECT_NE(targets[1]["caveat"], "");
  EXPECT_TRUE(targets[1]["operations"][0]["remarks"].empty()) << "no layer let it pass";
  const Outcome failed = Tool(check + " --fail-on refused");
  EXPECT_EQ(failed.code, 1);
  EXPECT_NE(failed.out.find("fail-on: h16 (A17 Pro): 1 operation refused\n"), std::string::npos)
      << failed.out;
}

// For the int32 output the tool adds a cast to fp16, which the tables refuse on the A17 Pro.
TEST_F(ModelCommands, CheckLeavesOutTheOperationsThatItAdds) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 8]> x) {\n"
            "tensor<fp16, [1, 8]> r = relu(x = x);\n"
            "tensor<int32, [1]> at = reduce_argmax(x = r, axis = int32(1), keep_dims = "
            "bool(false));\n} -> (at);\n}");
  const std::string check = "check " + Path("model.mil") + " --target h13,h16";
  const Outcome text = Tool(check);
  EXPECT_NE(text.out.find("  2 operations: 2 may run on the engine, 0 on the host, 0 refused;"),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("  2 operations: 1 may run on the engine, 0 on the host, 1 refused;"),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("Core ML would place 0 of 2 operations"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("at_as_fp16"), std::string::npos) << text.out;
  const Outcome answer = Tool(check + " --json");
  const auto json = ParseJson(answer.out);
  ASSERT_TRUE(json.ok()) << answer.err;
  const auto& h16 = (*json)["targets"][1];
  ASSERT_EQ(h16["operations"].size(), 3u);
  EXPECT_EQ(h16["operations"][1]["added"], false);
  EXPECT_EQ(h16["operations"][2]["added"], true);
  ASSERT_EQ(h16["advice"].size(), 1u) << h16["advice"];
  EXPECT_EQ(h16["advice"][0]["name"], "at");
}

// The part after the refused operation ends with a cast to fp16 that the tool adds.
TEST_F(ModelCommands, CheckLeavesAddedOperationsOutOfItsPartsToo) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [2, 4]> x) {\n"
            "tensor<fp16, [2, 4]> s = sin(x = x);\n"
            "tensor<int32, [2]> at = reduce_argmax(x = s, axis = int32(1), keep_dims = "
            "bool(false));\n} -> (at);\n}");
  const Outcome text = Tool("check " + Path("model.mil") + " --target h13");
  EXPECT_NE(text.out.find("part 1 of 1 around these, reduce_argmax \"at\": "), std::string::npos)
      << text.out;
}

// A model whose own result is NaN.
TEST_F(ModelCommands, CheckNamesNanOfAModelsOwnArithmetic) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 2]> x, tensor<fp16, [1, 2]> w) {\n"
            "tensor<fp16, [1, 2]> y = real_div(x = x, y = w);\n} -> (y);\n}");
  WriteArrays("in.npz", {Halves("x", {1, 2}, {0, 1}), Halves("w", {1, 2}, {0, 1})});
  const Outcome check = Tool("check " + Path("model.mil") + " --inputs " + Path("in.npz") +
                             " --target h13 --quirk all=off");
  EXPECT_NE(check.out.find("real_div \"y\" is past a cliff: 0/0"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("to change: real_div \"y\": add an epsilon"), std::string::npos);
  EXPECT_EQ(check.out.find("no value comes near"), std::string::npos) << check.out;
}

// A running sum. Each step of the engine begins with the content of the state after the engine's
// previous step.
TEST_F(ModelCommands, CheckRunsAModelWithStatesStepByStep) {
  WriteText("model.mil", kCounter);
  WriteArrays("in.npz", {Halves("x", {2}, {0.1, 20})});
  const std::string check = "check " + Path("model.mil") + " --inputs " + Path("in.npz") +
                            " --target h15 --quirk all=off --steps 3";
  const auto json = ParseJson(Tool(check + " --json").out);
  ASSERT_TRUE(json.ok());
  const auto& steps = (*json)["targets"][0]["steps"];
  ASSERT_EQ(steps.size(), 3u) << steps;
  EXPECT_EQ(steps[2]["ulp"], 0) << steps;
  const Outcome faulty = Tool(check + " --fault add-one-ulp-everywhere");
  EXPECT_NE(faulty.out.find("  step 1: 1 ulp, "), std::string::npos) << faulty.out << faulty.err;
  EXPECT_EQ(faulty.out.find("  step 3: exact"), std::string::npos) << faulty.out;
}

// An int32 input gives the position at which the model writes to a cache. The engine accepts no
// int32, in the whole model or in a part.
TEST_F(ModelCommands, CheckBlamesNoEngineForTheInt32PositionsOfACache) {
  WriteText(
      "model.mil",
      "program(1.3)\n{\n func main<ios18>(state<tensor<fp16, [4, 2]>> s, tensor<fp16, [1, 2]> "
      "k, tensor<int32, [2]> p, tensor<int32, [2]> q) {\n"
      "tensor<fp16, [4, 2]> old = read_state(input = s);\n"
      "tensor<int32, [2]> b = add(x = p, y = q);\n"
      "tensor<int32, [2]> one = const()[val = tensor<int32, [2]>([1, 2])];\n"
      "tensor<int32, [2]> e = add(x = b, y = one);\n"
      "tensor<fp16, [4, 2]> all = slice_update(x = old, update = k, begin = b, end = e);\n"
      "write_state(data = all, input = s);\n"
      "tensor<fp16, [4, 2]> y = relu(x = all);\n} -> (y);\n}");
  const auto place = [](const char* name) {
    return npz::NamedArray{name, {npz::ElementType::kInt32, {2}, {1, 0, 0, 0, 0, 0, 0, 0}}};
  };
  WriteArrays("in.npz", {Halves("k", {1, 2}, {1, 2}), place("p"), place("q")});
  const Outcome check =
      Tool("check " + Path("model.mil") + " --inputs " + Path("in.npz") + " --target M1,M4");
  EXPECT_EQ(check.code, 0) << check.out << check.err;
  EXPECT_NE(check.out.find("  refused: add \"b\""), std::string::npos) << check.out;
  EXPECT_EQ(check.out.find("\"\""), std::string::npos)
      << "each operation has a name: " << check.out;
}

TEST_F(ModelCommands, CheckWritesAPageOfTheGraphByPlacement) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 4]> x) {\n"
            "tensor<fp16, [1, 4]> s = sin(x = x);\n"
            "tensor<fp16, [1, 4]> y = relu(x = s);\n} -> (y);\n}");
  const Outcome check =
      Tool("check " + Path("model.mil") + " --target h13,h16 --html " + Path("model.html"));
  const auto page = ReadTextFile(Path("model.html"));
  ASSERT_TRUE(page.ok()) << check.err;
  for (const char* words :
       {"class=\"node engine\"", "class=\"node refused\"", "h13 (A14, M1)", "h16 (A17 Pro)",
        "goes to: engine", "<th>Core ML would choose</th>", "bnns and classic_cpu are the CPU"}) {
    EXPECT_NE(page->find(words), std::string::npos) << words;
  }
  EXPECT_EQ(page->find("://"), std::string::npos) << "the page needs no network";
  EXPECT_EQ(page->find("{{"), std::string::npos);
}

TEST_F(ModelCommands, CheckWarnsNearACliff) {
  WriteText("model.mil", kProduct);
  WriteArrays("in.npz", {Halves("x", {1, 2}, {200, 10}), Halves("w", {2, 1}, {150, 10})});
  const Outcome check = Tool("check " + Path("model.mil") + " --inputs " + Path("in.npz") +
                             " --target h13,h15 --json");
  const auto json = ParseJson(check.out);
  ASSERT_TRUE(json.ok()) << check.err;
  // 30100 is below the port's limit, but 4/3 of it is not. Only A13, A14 and A17 have the port.
  ASSERT_EQ((*json)["warnings"].size(), 1u) << check.out;
  EXPECT_EQ((*json)["warnings"][0]["target"], "h13");
  EXPECT_EQ((*json)["warnings"][0]["op"], "matmul");
  EXPECT_EQ((*json)["warnings"][0]["cliff"], "D01");
  EXPECT_EQ((*json)["warnings"][0]["past"], false);
  EXPECT_EQ((*json)["warnings"][0]["result"], 30096);
  EXPECT_EQ((*json)["targets"].size(), 2u);
}

// For sums of many products the check uses another bound than for sums of a few.
TEST_F(ModelCommands, CheckReportsNoCliffInALargeProductOfSmallNumbers) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [64, 300]> x) {\n"
            "tensor<bool, []> f = const()[val = bool(false)];\n"
            "tensor<bool, []> t = const()[val = bool(true)];\n"
            "tensor<fp16, [64, 64]> y = matmul(x = x, y = x, transpose_x = f, transpose_y = t);\n"
            "} -> (y);\n}");
  const Outcome check = Tool("check " + Path("model.mil") + " --target h13,h17s --json");
  const auto json = ParseJson(check.out);
  ASSERT_TRUE(json.ok()) << check.err;
  EXPECT_TRUE((*json)["warnings"].empty()) << check.out;
}

// A value that is NaN with and without a defect is past a cliff of the model's own arithmetic, not
// of the defect.
TEST_F(ModelCommands, CheckReportsNanAsACliffOfTheModelsOwnArithmeticOnly) {
  WriteText("model.mil",
            "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 2]> x) {\n"
            "tensor<fp16, []> e = const()[val = tensor<fp16, []>(0.001)];\n"
            "tensor<fp16, [1, 2]> y = rsqrt(x = x, epsilon = e);\n} -> (y);\n}");
  WriteArrays("in.npz", {Halves("x", {1, 2}, {-1, 1})});
  const Outcome check = Tool("check " + Path("model.mil") + " --inputs " + Path("in.npz") +
                             " --target h13,h17s --json");
  const auto json = ParseJson(check.out);
  ASSERT_TRUE(json.ok()) << check.err;
  ASSERT_EQ((*json)["warnings"].size(), 2u) << check.out;
  for (const Json& warning : (*json)["warnings"]) EXPECT_EQ(warning["cliff"], "invalid");
}

// ---- open axes ----------------------------------------------------------------------------------

constexpr std::string_view kOpenModel =
    "program(1.3)\n"
    "{\n"
    "  func main<ios18>(tensor<fp16, [1, ?, 64]> x) {\n"
    "    tensor<fp16, [1, ?, 64]> y = relu(x = x)[name = string(\"y\")];\n"
    "    tensor<fp16, [1, ?, 64]> z = sin(x = y)[name = string(\"z\")];\n"
    "    tensor<int32, [1]> axes = const()[val = tensor<int32, [1]>([1])];\n"
    "    bool keep = const()[val = bool(true)];\n"
    "    tensor<fp16, [1, 1, 64]> m = reduce_sum(x = z, axes = axes, keep_dims = keep)"
    "[name = string(\"m\")];\n"
    "  } -> (m);\n"
    "}\n";

TEST_F(ModelCommands, CheckJudgesAModelWithOpenAxesByTheRulesBeforeItAsksForExtents) {
  WriteText("open.mil", kOpenModel);
  const Outcome text = Tool("check " + Path("open.mil") + " --target h13,h17s");
  EXPECT_EQ(text.code, 2);
  EXPECT_NE(text.out.find("x [1, ?, 64]: open axes, judged by the rules alone, at 1, 2"),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("\n  refused: sin \"z\": "), std::string::npos) << text.out;
  EXPECT_NE(text.err.find("open.mil: x [1, ?, 64]: give extents by an array of --inputs"),
            std::string::npos)
      << text.err;
  const Outcome json = Tool("check " + Path("open.mil") + " --target h13,h17s --json");
  EXPECT_EQ(json.code, 2);
  const auto judged = ParseJson(json.out);
  ASSERT_TRUE(judged.ok()) << json.out;
  const Json& rows = (*judged)["targets"][0]["operations"];
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[0]["placement"], "engine");
  EXPECT_EQ(rows[1]["placement"], "refused");
  EXPECT_EQ(rows[1]["not_on_engine_at"], (*judged)["tried"]);
  WriteArrays("in.npz", {Halves("x", {1, 2, 64}, std::vector<double>(128, 0.5))});
  EXPECT_EQ(Tool("check " + Path("open.mil") + " --target h17s --inputs " + Path("in.npz")).code,
            0);
}

}  // namespace
}  // namespace anecheck
