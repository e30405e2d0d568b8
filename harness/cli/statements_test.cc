// The statements of the specification that the tool once did not show (ANECHECK_CASES,
// statements.csv): each has a command that shows it, or a reason why nothing here can.
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "harness/base/testing/test_data.h"
#include "harness/cli/testing/tool_test.h"
#include "harness/evidence/csv.h"
#include "harness/formats/tdv10/layout.h"

namespace anecheck {
namespace {

// testdata/statements.tsv: how the statement begins, the command ("-" for none), and a part of
// what it prints, or the reason.
struct StatementRow {
  std::string statement;
  std::string command;
  std::string shows;
};

std::vector<StatementRow> ReadShown() {
  const auto text = ReadTextFile(testing::SourcePath("harness/cli/testdata/statements.tsv"));
  std::vector<StatementRow> rows;
  if (!text.ok()) return rows;
  std::string_view rest = *text;
  rest.remove_prefix(rest.find('\n') + 1);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const size_t first = line.find('\t');
    const size_t second = line.find('\t', first + 1);
    rows.push_back({std::string(line.substr(0, first)),
                    std::string(line.substr(first + 1, second - first - 1)),
                    std::string(line.substr(second + 1))});
  }
  return rows;
}

class Statements : public testing::ToolTest {
 protected:
  void SetUp() override {
    WriteText("sum.mil",
              "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 4, 1, 4]> x) {\n"
              "tensor<fp16, [1, 4, 1, 4]> y = add(x = x, y = x);\n} -> (y);\n}");
    const std::string contraction =
        "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 2, 1, 3]> x) {\n"
        "tensor<fp16, [2, 2, 1, 1]> w = constexpr_lut_to_dense(indices = tensor<uint1, [2, 2, "
        "1, 1]>([[[[0]], [[1]]], [[[1]], [[0]]]]), lut = tensor<fp16, [1, 1, 1, 1, 2, "
        "1]>([[[[[[0.5], [2]]]]]]));\n"
        "tensor<fp16, [1, 2, 1, 3]> c = conv(x = x, weight = w);\n";
    const std::string curve = "tensor<fp16, [1, 2, 1, 3]> y = sigmoid(x = {});\n}} -> (y);\n}}";
    WriteText("bare.mil", contraction + fmt::format(fmt::runtime(curve), "c"));
    WriteText("folded.mil",
              contraction +
                  "tensor<fp16, [1, 2, 1, 3]> n = batch_norm(x = c, mean = tensor<fp16, [2]>([1, "
                  "2]), variance = tensor<fp16, [2]>([1, 1]));\n" +
                  fmt::format(fmt::runtime(curve), "n"));
    WriteText("floors.json",
              R"({"version": 1, "floors": [{"op": "sin", "floor": 2, "source": "a user"}]})");
    WriteText("claim.csv",
              "subject,target,stage,provenance,source\nrelu,h13,correct,silicon,a user\n");
    WriteTasks();
    WriteText("knots.csv", "x,y\n-2,0.0183\n-1,0.3679\n0,1\n1,0.3679\n2,0.0183\n");
    for (const char* made :
         {"submission --seed 6 --out calls", "submission --seed 43 --out chained",
          "tdv10 --seed 6 --out tasks", "e5 --seed 3 --out programs"}) {
      std::string command = fmt::format("gen --count 1 --format {}", made);
      command.insert(command.rfind(' ') + 1, Path(""));
      ASSERT_EQ(Tool(command).code, 0) << command;
    }
    ASSERT_EQ(Tool("lower " + Path("sum.mil") + " --target h13 --out " + Path("lowered")).code, 0);
  }
  // A task whose registers hold their defaults, and what a loader binds in tasks.
  void WriteTasks() {
    WriteText("default.tdv10", std::string(tdv10::kImageSize, '\0'));
    WriteText("atomic.json", R"({"bars": [{"name": "a", "kind": "atomic"}]})");
    const std::string ends =
        R"({"name": "x", "kind": "device_address", "slot": "input_tile", "value": "0x30004000"},)";
    WriteText("ends.json", R"({"bars": [)" + ends +
                               R"({"name": "y", "kind": "device_address", "slot": "output_tile",
                               "value": "0x30008000"}]})");
    const std::string bound = R"({"bars": [)" + ends + R"({"name": "set", "kind": "data_set_id",
        "address": "0x5508", "bit": 4, "width": 8, "value": 7}], "strides": [{"address": "0x4d14",
        "value": -128}], "live_ins": [{"input": "rows", "address": "0x5510", "bit": 0, "width": 16,
        "start": 8, "stop": 64, "step": 8, "value": )";
    WriteText("bound.json", bound + "24}]}");
    WriteText("off_step.json", bound + "25}]}");
  }
  std::string Filled(std::string command) const {
    const std::pair<std::string_view, std::string> holes[] = {{"{REAL}", testing::RealDataPath("")},
                                                              {"{OUT}", Path("")}};
    for (const auto& [hole, path] : holes) {
      for (size_t at; (at = command.find(hole)) != std::string::npos;) {
        command.replace(at, hole.size(), path);
      }
    }
    return command;
  }
};

TEST_F(Statements, EachIsShownByItsCommandOrHasAReason) {
  const std::string path = testing::CasePath("statements.csv");
  ANECHECK_SKIP_WITHOUT(path);
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("netlist"));
  const auto text = ReadTextFile(path);
  ASSERT_TRUE(text.ok());
  const auto statements = evidence::ParseCsv(*text, path);
  ASSERT_TRUE(statements.ok());
  const std::vector<StatementRow> shown = ReadShown();
  ASSERT_EQ(shown.size(), statements->size());
  for (size_t i = 0; i < shown.size(); ++i) {
    const StatementRow& row = shown[i];
    SCOPED_TRACE(row.statement);
    ASSERT_TRUE((*statements)[i].at("statement").starts_with(row.statement));
    EXPECT_FALSE(row.shows.empty());
    if (row.command == "-") continue;
    const testing::ToolOutcome outcome = Tool(Filled(row.command));
    EXPECT_NE((outcome.out + outcome.err).find(row.shows), std::string::npos)
        << row.command << "\n"
        << outcome.out << outcome.err;
  }
}

}  // namespace
}  // namespace anecheck
