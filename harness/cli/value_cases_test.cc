// Tests graphs with known answers (ANECHECK_CASES, values/values.csv). The commands of a row run on
// each target of the row, and must agree with silicon, compilers and public reports.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "harness/base/base64.h"
#include "harness/base/json_text.h"
#include "harness/base/testing/test_data.h"
#include "harness/cli/testing/model_commands.h"
#include "harness/evidence/csv.h"

namespace anecheck {
namespace {

using testing::ModelCommands;
using testing::ToolOutcome;

struct KnownAnswer {
  std::string name;
  std::string command;            // "check", "judge" or "explain"
  std::vector<std::string> says;  // parts of the answer; all must occur
  std::string operation = "";     // for "explain", with its attributes and operands
};

// Files with values that a study printed with three digits. The values of the tool's table print as
// the same digits, so the study's worst errors come from the printing.
const std::vector<std::string> kPrinted = {"y: pass", "three printed digits"};
const std::vector<std::string> kPass = {"y: pass"};

const std::vector<KnownAnswer> kAnswers = {
    {"m_one_32768", "check", {"a sum of products that reaches 32768 at any step stays infinite"}},
    {"m_sticky", "check", {"a sum of products that reaches 32768 at any step stays infinite"}},
    {"m_sticky", "judge", kPass},
    {"m_small_round", "judge", kPass},
    {"m_acc_round", "judge", kPass},
    {"m_small_w", "judge", kPass},
    {"m_exp_rule", "judge", kPass},
    {"m_rounded_32768", "judge", kPass},
    {"m_bias_tiny", "judge", kPass},
    {"m_bias_half", "judge", kPass},
    {"m_bias_over", "judge", kPass},
    {"m_65504", "judge", kPass},
    {"m_small_dropped", "judge", kPass},
    {"e_tie", "judge", kPass},
    {"e_nan", "judge", kPass},
    {"m_tie", "judge", kPass},
    {"n_log", "judge", kPrinted},
    {"n_exp", "judge", kPass},
    {"n_inverse", "judge", kPass},
    {"n_rsqrt", "judge", kPrinted},
    {"n_gelu", "judge", kPrinted},
    {"n_sigmoid", "judge", kPass},
    {"n_silu", "judge", kPrinted},
    {"c01_softplus", "judge", {"known-defect D09"}},
    {"c02_logsumexp", "check", {"log-sum-exp drops to 0 where the sum of exponentials"}},
    {"c02_logsumexp", "judge", {"known-defect D09"}},
    {"c03_logsoftmax", "check", {"numbers underflow to 0 before the logarithm", "use log_softmax"}},
    {"c04_rmsnorm",
     "check",
     {"mul \"sq\" is past a cliff", "reduce_mean \"m\" is past a cliff",
      "add \"me\" is past a cliff", "scale before squaring"}},
    {"c05_rmsmax", "check", {"no value comes near a known cliff"}},
    {"c05z_rmszero", "check", {"real_div \"xs\" is past a cliff: 0/0 (0 is divided by 0"}},
    {"c06_mish", "check", {"softplus \"s\" is past a cliff: D09"}},
    {"c08t_qties", "judge", kPass},
    {"c10_argmax19", "check", {"reduce_argmax \"y\": rejected", "The result leaves the engine"}},
    {"c12_ln_rz_1024", "check", {"one live affine term does not compile on M1 and M2"}},
    {"c26_dynconv", "check", {"sources disagree", "weights ignored without an error"}},
    {"c27_tile",
     "check",
     {"sources disagree", "planned on the engine", "every later evaluation in the process fails"}},
    {"c28_mask", "check", {"add \"a\" is past a cliff", "fp16 ends at 65504"}},
    {"c29_conv32", "judge", kPass},
    {"c30_avgpool", "judge", kPass},
    {"c39_lmhead_16385", "check", {"sources disagree", "no more than 16384 channels"}},
    {"c39_lmhead_65537", "check", {"C65537 of the result"}},
    {"c39_lmhead_65537",
     "explain",
     {"route mil: rejected", "C65537 of the result"},
     "conv --shape x=1,8,1,1 --shape weight=65537,8,1,1 --const weight"},
    {"k_addi32", "check", {"add \"y\": rejected", "Unsupported tensor data type: int32"}},
    {"k_conv16", "check", {"decomposed: a kernel of 16 x 16"}},
    {"k_conv16",
     "explain",
     {"route mil: decomposed", "a kernel of 16 x 16"},
     "conv --shape x=1,4,16,16 --shape weight=4,4,16,16 --const weight"},
    {"k_gatherdyn", "check", {"gather \"y\": rejected", "Unsupported tensor data type: int32"}},
    {"k_logical", "check", {"4 may run on the engine, 0 on the host, 0 refused"}},
    {"k_logical",
     "explain",
     {"route mil: native"},
     "logical_and --shape x=1,4 --shape y=1,4 --dtype x=bool --dtype y=bool"},
    {"k_maxpool9", "check", {"Invalid Pool kernel width (9), must be [1-8] or 32."}},
    {"k_maxpool9",
     "explain",
     {"route mil: rejected", "Invalid Pool kernel width (9), must be [1-8] or 32."},
     "max_pool --shape x=1,4,16,16 --attr kernel_sizes=9,9"},
    {"k_nan", "check", {"0/0 (0 is divided by 0, which gives NaN)"}},
    {"k_topkgather",
     "check",
     {"sources disagree", "the chain leaves the engine", "the chain gives wrong values"}},
    {"k_w8", "check", {"sources disagree", "garbage or a nonzero status"}},
};

// Returns "h16g" and "h18g" for "check --target h16g,h18g; judge"; "" if there is no --target.
std::vector<std::string> TargetsOf(const std::string& command) {
  constexpr std::string_view kFlag = "--target ";
  const size_t at = command.find(kFlag);
  if (at == std::string::npos) return {""};
  std::string rest = command.substr(at + kFlag.size());
  rest = rest.substr(0, rest.find_first_of("; "));
  std::vector<std::string> targets;
  for (size_t begin = 0; begin <= rest.size();) {
    const size_t end = std::min(rest.find(',', begin), rest.size());
    targets.push_back(rest.substr(begin, end - begin));
    begin = end + 1;
  }
  return targets;
}

class ValueCases : public ModelCommands {
 protected:
  ToolOutcome Answer(const KnownAnswer& known, const std::string& target) {
    const std::string model = testing::CasePath("values/" + known.name);
    const std::string on = target.empty() ? "" : " --target " + target;
    if (known.command == "explain") {
      return Tool(fmt::format("explain {} --route mil{}", known.operation, on));
    }
    const std::string actual =
        known.command == "judge" ? fmt::format(" --actual {}.actual.npz", model) : "";
    return Tool(
        fmt::format("{0} {1}.json --inputs {1}.in.npz{2}{3}", known.command, model, actual, on));
  }
  void Expect(const KnownAnswer& known, const std::string& target) {
    const ToolOutcome answer = Answer(known, target);
    // A refusal is a finding of `check`, but bad input and a failure are none.
    EXPECT_TRUE(answer.code == 0 || (answer.code == 1 && known.command == "check")) << answer.err;
    for (const std::string& words : known.says) {
      EXPECT_NE(answer.out.find(words), std::string::npos) << words << " in\n"
                                                           << answer.out << answer.err;
    }
  }
};

TEST_F(ValueCases, AreAnsweredAsTheirSourcesSay) {
  const std::string path = testing::CasePath("values/values.csv");
  ANECHECK_SKIP_WITHOUT(path);
  const auto text = ReadTextFile(path);
  ASSERT_TRUE(text.ok());
  const auto rows = evidence::ParseCsv(*text, path);
  ASSERT_TRUE(rows.ok());
  size_t asked = 0;
  for (const evidence::CsvRow& row : *rows) {
    const std::string& name = row.at("case");
    const std::string& commands = row.at("command");
    for (const char* command : {"check", "explain", "judge"}) {
      if (commands.find(command) == std::string::npos) continue;
      SCOPED_TRACE(name + ", " + command);
      const auto known = std::ranges::find_if(kAnswers, [&](const KnownAnswer& answer) {
        return answer.name == name && answer.command == command;
      });
      ASSERT_NE(known, kAnswers.end())
          << "no known answer for the row, which expects: " << row.at("expected");
      ++asked;
      for (const std::string& target : TargetsOf(commands)) Expect(*known, target);
    }
  }
  EXPECT_EQ(asked, kAnswers.size());
}

// log(1.004) of the table is 0.0037251. 0.00373 and 0.0037277 round to the same three digits, but
// only 0.00373 has three digits itself.
TEST_F(ValueCases, ValuesThatTheSourceCannotHavePrintedStayUnconfirmed) {
  const std::string model = testing::CasePath("values/n_log");
  ANECHECK_SKIP_WITHOUT(model + ".json");
  const auto given = npz::ReadNpzFile(model + ".actual.npz");
  ASSERT_TRUE(given.ok());
  std::vector<double> numbers = testing::Numbers(given->front().array);
  const auto answer = [&] {
    WriteArrays("actual.npz", {testing::Halves("y", {1, 2}, numbers)});
    return Tool(fmt::format("judge {0}.json --inputs {0}.in.npz --actual {1} --target h18g", model,
                            Path("actual.npz")));
  };
  EXPECT_THAT(answer().out, ::testing::HasSubstr("y: pass"));
  numbers[0] = 0.0037277;
  EXPECT_THAT(answer().out, ::testing::HasSubstr("y: unconfirmed"));
}

// Values that sound engines returned (ANECHECK_CASES, engines), and the contracts that forbid them.
struct ForeignValue {
  std::string name;
  std::vector<std::string> wrong;  // contracts that forbid it
};
const std::vector<ForeignValue> kForeign = {
    // The scale was folded into the weight, which was then rounded; without folding the value is
    // 10.28125.
    {"c1_conv_mul_folding", {"ieee", "h13"}},
    // 1 / sqrt(-0 + 0).
    {"c2_rsqrt", {"ieee"}},
    // 0 * infinity, from pixels of weight 0 along axes that keep their extents.
    {"c3_resize_nan_weight0", {"ieee", "h13"}},
};

class ForeignValues : public ModelCommands {
 protected:
  // Writes the graph, inputs and outputs of a finding as files of a folder.
  void Unpack(const std::string& finding, const std::string& folder) {
    const auto text = ReadTextFile(finding);
    ASSERT_TRUE(text.ok());
    const auto json = ParseLargeJson(*text);
    ASSERT_TRUE(json.ok());
    WriteText(folder + ".graph.json", json->at("graph").dump());
    for (const char* member : {"inputs", "actual"}) {
      std::vector<npz::NamedArray> arrays;
      for (const Json& tensor : json->at(member)) {
        const auto bytes = Base64Decode(tensor.at("data").get<std::string>());
        ASSERT_TRUE(bytes.ok());
        arrays.push_back({tensor.at("name").get<std::string>(),
                          {npz::ElementType::kFloat16,
                           tensor.at("shape").get<std::vector<uint64_t>>(), *bytes}});
      }
      WriteArrays(fmt::format("{}.{}.npz", folder, member), arrays);
    }
  }
  void Expect(const ForeignValue& known, const std::string& files) {
    for (const char* contract : {"float", "ieee", "h13"}) {
      const bool wrong = std::ranges::find(known.wrong, contract) != known.wrong.end();
      const ToolOutcome answer =
          Tool(fmt::format("judge {0}graph.json --inputs {0}inputs.npz --actual {0}actual.npz "
                           "--contract {1}",
                           files, contract));
      EXPECT_EQ(answer.code, wrong ? 1 : 0) << known.name << " under " << contract << answer.out;
      const bool passes = answer.out.find(": pass") != std::string::npos;
      EXPECT_TRUE(passes || contract != std::string_view("float")) << known.name << answer.out;
    }
  }
};

TEST_F(ForeignValues, AreSoundUnderFloat) {
  const std::string folder = testing::CasePath("engines");
  ANECHECK_SKIP_WITHOUT(folder);
  size_t known = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().stem().string();
    const auto row = std::ranges::find(kForeign, name, &ForeignValue::name);
    ASSERT_NE(row, kForeign.end()) << name << " has no row";
    ++known;
    if (entry.is_directory()) {
      Expect(*row, entry.path().string() + "/");
      continue;
    }
    Unpack(entry.path().string(), name);
    Expect(*row, Path(name) + ".");
  }
  EXPECT_EQ(known, kForeign.size());
}

TEST_F(ValueCases, ExplainRefusesResultsBeyondALimit) {
  const auto answer = Tool(
      "explain conv --target h16g --route mil --shape x=1,8,1,1 --shape weight=151936,8,1,1 "
      "--const weight");
  EXPECT_NE(answer.out.find("C151936 of the result"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("route mil: rejected"), std::string::npos) << answer.out;
}

}  // namespace
}  // namespace anecheck
