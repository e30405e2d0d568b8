// Compares the rules with the backends that Core ML's planner chose on one M4
// (facts/silicon/op_placement_h16g.csv). The rules must admit the operations that the planner
// admitted to the engine, and refuse the others with the planner's messages. At least 97 % of the
// rows agree. testdata/silicon_differences.csv gives the reason for each row that does not.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/evidence/csv.h"
#include "harness/ops/op.h"
#include "oracles/legality/testing/judge.h"

namespace anecheck::legality {
namespace {

using evidence::CsvRow;

// The first type of a text such as "fp16[1, 64, 32, 32]; uint16[1, 4]".
struct Typed {
  std::string dtype, shape;
};

Typed TypeOf(const std::string& text) {
  static const std::regex kType(R"(([a-z0-9]+)(\[([^\]]*)\])?.*)");
  std::smatch match;
  if (!std::regex_match(text, match, kType)) return {};
  std::string shape = match[3];
  std::erase(shape, ' ');
  return {match[1], shape};
}

// The types of program inputs that the facts leave out, by file and name. Other inputs are fp16.
const std::map<std::string, std::string>& InputTypes() {
  static const std::map<std::string, std::string> types = {
      {"iso/embedding x0", "int32"}, {"iso/gather_nd x1", "int32"}, {"iso/range_1d x0", "int32"},
      {"iso/slice_dyn x1", "int32"}, {"iso/scatter x1", "int32"},   {"iso/add_f32 x0", "fp32"},
      {"iso/add_f32 x1", "fp32"}};
  return types;
}

// Reads the text of an argument list into an instance. `results` are earlier results of the file.
class ArgumentReader {
 public:
  ArgumentReader(const CsvRow& row, const std::map<std::string, Typed>& results)
      : row_(row), results_(results) {}

  Instance Read() {
    Instance instance = Make(row_.at("op"));
    static const std::regex kArgument(
        R"((\w+) = ((tensor<[^>]*>|[a-z0-9]+)\((.*?)\)|[\w]+)(, (?=\w+ = )|$))");
    const std::string& text = row_.at("arguments");
    for (std::sregex_iterator at(text.begin(), text.end(), kArgument), end; at != end; ++at) {
      Take((*at)[1], (*at)[2], (*at)[3], (*at)[4], instance);
    }
    const OpDefinition* op = FindOp(row_.at("op"));
    if (op != nullptr) {
      // The file lists arguments alphabetically, but rules count them in the schema's order.
      std::ranges::sort(instance.operands, {}, [&](const Operand& operand) {
        return op->schema.FindParameter(operand.name);
      });
      InferResults(op->schema, instance);
    }
    if (instance.results.empty() && !row_.at("result").empty()) {
      const Typed result = TypeOf(row_.at("result"));
      Instance made;
      if (AddShape("r=" + result.shape, made).ok()) {
        made.operands[0].dtype = result.dtype;
        instance.results = made.operands;
      }
    }
    return instance;
  }

 private:
  void AddOperand(const std::string& name, const Typed& type, bool constant, Instance& instance) {
    EXPECT_TRUE(AddShape(name + "=" + Symbolic(type.shape), instance).ok()) << type.shape;
    instance.operands.back().dtype = type.dtype;
    instance.operands.back().constant = constant;
  }

  // Returns the type of the result with this name, else of the program input, else of the cast in
  // the name, else of the previous operation. The file omits a result's name if it differs from the
  // name of its operation.
  Typed TypeOfValue(const std::string& name) const {
    const auto made = results_.find(name);
    if (made != results_.end()) return made->second;
    const Typed result = TypeOf(row_.at("result"));
    static const std::regex kInput("x[0-9]+"), kCast(".*_to_([a-z0-9]+)");
    std::smatch match;
    if (std::regex_match(name, kInput)) {
      const auto input = InputTypes().find(row_.at("file") + " " + name);
      return {input == InputTypes().end() ? "fp16" : input->second, result.shape};
    }
    if (std::regex_match(name, match, kCast)) return {match[1], result.shape};
    const auto before = results_.find("");
    return before == results_.end() ? Typed{"fp16", result.shape} : before->second;
  }

  static std::string Symbolic(std::string shape) { return shape == "?" ? "1" : shape; }

  void Take(const std::string& name, const std::string& whole, const std::string& type,
            std::string value, Instance& instance) {
    const OpDefinition* op = FindOp(row_.at("op"));
    const int parameter = op == nullptr ? -1 : op->schema.FindParameter(name);
    const bool operand =
        parameter >= 0 && IsTensorKind(op->schema.parameters[static_cast<size_t>(parameter)].kind);
    if (type.empty()) {  // the result of another operation, or an input
      return AddOperand(name, TypeOfValue(whole), false, instance);
    }
    if (operand) {
      static const std::regex kTensor(R"(tensor<(\w+), \[([^\]]*)\]>)");
      std::smatch match;
      Typed found{type, ""};
      if (std::regex_match(type, match, kTensor)) found = {match[1], match[2]};
      std::erase(found.shape, ' ');
      return AddOperand(name, found, true, instance);
    }
    std::erase_if(value, [](char c) { return c == '"' || c == '[' || c == ']' || c == ' '; });
    if (type.starts_with("tensor") && value.find(',') == std::string::npos) value += ",";
    (void)AddAttribute(name + "=" + value, instance);
  }

  const CsvRow& row_;
  const std::map<std::string, Typed>& results_;
};

// Returns the instance for a row without arguments: the operation, with the numbers in the file's
// name, if any.
Instance ByName(const CsvRow& row) {
  const std::string& file = row.at("file");
  static const std::regex kSwept(
      "iso/sw_(conv|avgpool|maxpool|matmul|relu)_([a-z])([0-9]+)(x([0-9]+))?");
  static const std::regex kRelu("iso/relu_([a-z])([0-9]+)");
  std::smatch match;
  std::vector<std::string> words;
  std::string op = row.at("op");
  if (std::regex_match(file, match, kSwept)) {
    const std::string height = match[3], width = match[5].matched ? match[5] : match[3];
    if (match[1] == "conv" && match[2] == "k") {
      words = {"x:1,64,32,32", fmt::format("weight:64,64,{},{}:fp16:const", height, width)};
    } else if (match[1] == "conv") {
      const int groups = match[2] == "g" ? std::stoi(match[3]) : 1;
      words = {"x:1,64,32,32", fmt::format("weight:64,{},3,3:fp16:const", 64 / groups),
               fmt::format("groups={}", groups)};
    } else if (match[1] == "matmul") {
      words = {"x:1,16," + match[3].str(), "y:1," + match[3].str() + ",16"};
    } else if (match[1] == "relu") {
      words = {"x:" + match[3].str() + ",8,8,8"};
    } else {
      words = {"x:1,64,32,32", fmt::format("kernel_sizes={},{}", height, width), "strides=1,1",
               "pad_type=same"};
    }
  } else if (std::regex_match(file, match, kRelu) && match[1] != "r") {
    const std::string letter = match[1], extent = match[2];
    words = {fmt::format("x:{},1,{},{}", letter == "n" ? extent : "1", letter == "h" ? extent : "1",
                         letter == "w" ? extent : "1")};
  } else if (file.ends_with("_i32")) {
    words = {"x:1,64:int32", "y:1,64:int32"};
  }
  if (Rules::Builtin().Find(op) == nullptr) op = op.substr(0, op.find('_'));
  Instance instance = Make(op, words);
  const OpDefinition* definition = FindOp(op);
  if (definition != nullptr) InferResults(definition->schema, instance);
  return instance;
}

// Whether `message` contains at least half of the words of three or more letters of `wording`.
bool Says(const std::string& message, const std::string& wording) {
  static const std::regex kWord("[A-Za-z]{3,}");
  const auto words = [](const std::string& text) {
    std::set<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), kWord), end; at != end; ++at) {
      found.insert(at->str());
    }
    return found;
  };
  const std::set<std::string> said = words(message), wanted = words(wording);
  size_t shared = 0;
  for (const std::string& word : wanted) shared += said.contains(word) ? 1 : 0;
  return 2 * shared >= wanted.size();
}

bool Agrees(const CsvRow& row, const Instance& instance) {
  const Verdict verdict = Judged("h16g", Route::kMil, instance);
  const bool on_engine =
      verdict.outcome == Outcome::kNative || verdict.outcome == Outcome::kDecomposed;
  const bool wanted = row.at("ane") == "yes" || row.at("selected").starts_with("ANE");
  if (on_engine != wanted) return false;
  if (wanted || row.at("refusal").empty()) return true;
  return std::ranges::any_of(verdict.layers, [&](const LayerVerdict& layer) {
    return layer.ruling == Ruling::kReject && Says(layer.reason, row.at("refusal"));
  });
}

TEST(PlacementOfM4, AtLeast97PercentOfRowsAgreeAndTheOthersAreListed) {
  const std::string path = testing::FactPath("silicon/op_placement_h16g.csv");
  ANECHECK_SKIP_WITHOUT(path);
  const auto text = ReadTextFile(path);
  const auto listed =
      ReadTextFile(testing::SourcePath("oracles/legality/testdata/silicon_differences.csv"));
  ASSERT_TRUE(text.ok() && listed.ok());
  const auto rows = evidence::ParseCsv(*text, "op_placement_h16g.csv");
  const auto reasons = evidence::ParseCsv(*listed, "silicon_differences.csv");
  ASSERT_TRUE(rows.ok() && reasons.ok());
  ASSERT_GT(rows->size(), 100u);
  std::set<std::string> explained;
  for (const auto& reason : *reasons) explained.insert(reason.at("row"));
  std::map<std::string, std::map<std::string, Typed>> results;
  size_t agreed = 0;
  for (const CsvRow& row : *rows) {
    auto& of_file = results[row.at("file")];
    const bool in_full = !row.at("arguments").empty();
    const Instance instance = in_full ? ArgumentReader(row, of_file).Read() : ByName(row);
    if (in_full) of_file[row.at("name")] = of_file[""] = TypeOf(row.at("result"));
    const bool agrees = Agrees(row, instance);
    agreed += agrees ? 1 : 0;
    const std::string key = fmt::format("{}|{}|{}", row.at("file"), row.at("op"), row.at("mil_id"));
    EXPECT_EQ(agrees, !explained.contains(key)) << key << ": " << row.at("refusal");
  }
  EXPECT_GE(agreed * 100, rows->size() * 97);
  RecordProperty("agreed", static_cast<int>(agreed));
}

}  // namespace
}  // namespace anecheck::legality
