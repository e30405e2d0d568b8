// The statements of the specification that the tool once did not show (ANECHECK_CASES,
// statements.csv): each has a command that shows it, or a reason why nothing here can.
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "harness/base/testing/test_data.h"
#include "harness/cli/testing/tool_test.h"
#include "harness/evidence/csv.h"

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
    WriteText(
        "folded.mil",
        "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 2, 1, 3]> x) {\n"
        "tensor<fp16, [2, 2, 1, 1]> w = constexpr_lut_to_dense(indices = tensor<uint1, [2, 2, "
        "1, 1]>([[[[0]], [[1]]], [[[1]], [[0]]]]), lut = tensor<fp16, [1, 1, 1, 1, 2, "
        "1]>([[[[[[0.5], [2]]]]]]));\n"
        "tensor<fp16, [1, 2, 1, 3]> c = conv(x = x, weight = w);\n"
        "tensor<fp16, [1, 2, 1, 3]> n = batch_norm(x = c, mean = tensor<fp16, [2]>([1, 2]), "
        "variance = tensor<fp16, [2]>([1, 1]));\n"
        "tensor<fp16, [1, 2, 1, 3]> y = sigmoid(x = n);\n} -> (y);\n}");
    WriteText("floors.json",
              R"({"version": 1, "floors": [{"op": "sin", "floor": 2, "source": "a user"}]})");
    WriteText("atomic.json", R"({"bars": [{"name": "a", "kind": "atomic"}]})");
    ASSERT_EQ(Tool("gen --format submission --count 1 --seed 6 --out " + Path("calls")).code, 0);
    ASSERT_EQ(Tool("gen --format tdv10 --count 1 --seed 6 --out " + Path("tasks")).code, 0);
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
