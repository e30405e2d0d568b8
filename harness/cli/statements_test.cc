// For each statement of the specification in statements.csv (ANECHECK_CASES) there is a command
// that shows it, or a reason that no command can.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sstream>
#include <string>
#include <vector>

#include "harness/base/testing/test_data.h"
#include "harness/cli/testing/tool_test.h"
#include "harness/evidence/csv.h"
#include "harness/formats/tdv10/layout.h"

namespace anecheck {
namespace {

// A row of testdata/statements.tsv: the beginning of a statement, a command, and a part of the
// command's output. If no command can show the statement, the command is "read" with a document of
// the project, and the last column is the part of the document that gives the reason.
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
    WriteDescriptions();
    WriteText("knots.csv", "x,y\n-2,0.0183\n-1,0.3679\n0,1\n1,0.3679\n2,0.0183\n");
    for (const char* made :
         {"submission --seed 6 --out calls", "submission --seed 43 --out chained",
          "tdv10 --seed 6 --out tasks", "e5 --seed 3 --out programs"}) {
      std::string command = fmt::format("gen --count 1 --format {}", made);
      command.insert(command.rfind(' ') + 1, Path(""));
      ASSERT_EQ(Tool(command).code, 0) << command;
    }
    ASSERT_LE(Tool("run --small --cases 60 --seed 3 --targets h13" + Db("lab.sqlite")).code, 1);
    ASSERT_EQ(Tool("lower " + Path("sum.mil") + " --target h13 --out " + Path("lowered")).code, 0);
  }
  // Writes network descriptions that a validator refuses. Each has one unit, whose inputs have
  // given extents.
  void WriteDescriptions() {
    using Extents = std::vector<std::array<int, 4>>;  // channels, depth, height, width
    const auto write = [&](const char* file, const char* type, const std::string& params,
                           const Extents& inputs, const char* element = "Float16") {
      std::string names, ports;
      for (size_t i = 0; i < inputs.size(); ++i) {
        names += fmt::format("<string>x{}</string>", i);
        const auto [c, d, h, w] = inputs[i];
        ports += fmt::format(
            "<key>x{}</key><dict><key>InputType</key><string>{}</string><key>BatchSize</key>"
            "<integer>1</integer><key>InputChannels</key><integer>{}</integer><key>InputDepth</key>"
            "<integer>{}</integer><key>InputHeight</key><integer>{}</integer><key>InputWidth</key>"
            "<integer>{}</integer></dict>",
            i, element, c, d, h, w);
      }
      const auto unit = [](const char* name, const std::string& of, const std::string& from,
                           const std::string& with) {
        return fmt::format(
            "<key>{0}</key><dict><key>Name</key><string>{0}</string><key>Type</key><string>{1}"
            "</string><key>OutputType</key><string>Float16</string><key>Bottom</key><array>{2}"
            "</array><key>Params</key><dict>{3}</dict></dict>",
            name, of, from, with);
      };
      // A view must follow another layer.
      const bool view = std::string_view(type) == "InputView";
      const std::string units = unit("l", type, view ? "<string>m</string>" : names, params) +
                                (view ? unit("m", "GOC", names, "") : std::string());
      WriteText(file,
                "<plist version=\"1.0\"><dict><key>Version</key><string>1.0.9</string>"
                "<key>Networks</key><array><string>net</string></array><key>net</key><dict>"
                "<key>Inputs</key><array>" +
                    names + "</array><key>Outputs</key><array><string>y</string></array>" +
                    "<key>Units</key><array>" + (view ? "<string>m</string>" : "") +
                    "<string>l</string></array>" + ports + units +
                    "<key>y</key><dict><key>Bottom</key><string>l</string></dict></dict></dict>"
                    "</plist>");
    };
    const auto number = [](const char* key, int value) {
      return fmt::format("<key>{}</key><integer>{}</integer>", key, value);
    };
    const auto text = [](const char* key, const char* value) {
      return fmt::format("<key>{}</key><string>{}</string>", key, value);
    };
    write("sdpa.plist", "SDPA", "<key>SubtractMax</key><true/>",
          {{1, 1, 4, 8}, {1, 1, 4, 8}, {1, 1, 5, 8}, {1, 1, 1, 1}});
    write("matmul.plist", "MatrixMultiplication", "", {{4, 2, 1, 8}, {8, 2, 1, 4}});
    write("groups.plist", "LayerNormalization", number("NumGroups", 2) + number("Epsilon", 1),
          {{7, 1, 1, 1}});
    write("cross.plist", "CrossProduct", "", {{3, 1, 1, 1}, {3, 1, 1, 1}}, "Float32");
    write("view.plist", "InputView",
          text("Dimension", "Width") + number("Offset", 0) + number("Size", 4) + number("Step", 1),
          {{8, 1, 1, 8}});
    write("factors.plist", "SpaceToChannel",
          number("FactorX", 7) + number("FactorY", 2) + number("FactorZ", 1), {{4, 1, 14, 14}});
    write("sin.plist", "Neuron", text("Type", "Sin"), {{4, 1, 1, 4}});
    write("table.plist", "Neuron", text("Type", "CustomLUT"), {{4, 1, 1, 4}});
  }
  // Writes a task whose registers have their defaults, and the values that a loader binds in tasks.
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
    if (row.command.starts_with("read ")) {
      const auto page = ReadTextFile(testing::SourcePath(row.command.substr(5)));
      ASSERT_TRUE(page.ok()) << row.command;
      EXPECT_NE(page->find(row.shows), std::string::npos) << row.command;
      continue;
    }
    const testing::ToolOutcome outcome = Tool(Filled(row.command));
    EXPECT_NE((outcome.out + outcome.err).find(row.shows), std::string::npos)
        << row.command << "\n"
        << outcome.out << outcome.err;
  }
}

// `report` and `matrix` make the same matrix from one results file.
TEST_F(Statements, TwoMatricesOfOneResultsFileAgree) {
  ASSERT_LE(Tool("report" + Db("lab.sqlite") + " --out " + Path("report")).code, 1);
  const testing::ToolOutcome all = Tool("matrix --no-published --format csv" + Db("lab.sqlite"));
  ASSERT_EQ(all.code, 0) << all.err;
  std::istringstream report(*ReadTextFile(Path("report/matrix.csv")));
  size_t compared = 0;
  for (std::string line; std::getline(report, line); ++compared) {
    EXPECT_NE(("\n" + all.out).find("\n" + line + "\n"), std::string::npos) << line;
  }
  EXPECT_GT(compared, 100u);
}

}  // namespace
}  // namespace anecheck
