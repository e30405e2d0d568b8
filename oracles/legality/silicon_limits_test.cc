// Compares the rules with the operations that the newest compilers accepted and refused
// (facts/silicon/compile_limits_silicon.csv), row by row. testdata/silicon_differences.csv gives
// the reason for each row with which the rules do not agree.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/evidence/csv.h"
#include "harness/ops/op.h"
#include "oracles/legality/testing/judge.h"

namespace anecheck::legality {
namespace {

using Row = std::map<std::string, std::string, std::less<>>;

std::vector<std::string> Numbers(const std::string& text) {
  static const std::regex kNumber("[0-9]+");
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), kNumber), end; at != end; ++at) {
    found.push_back(at->str());
  }
  return found;
}

// Returns the instance with inferred results, as `anecheck explain` builds it.
Instance Whole(std::string_view op, const std::vector<std::string>& words) {
  Instance instance = Make(op, words);
  const OpDefinition* definition = FindOp(op);
  if (definition != nullptr) InferResults(definition->schema, instance);
  return instance;
}

Instance Convolution(const std::string& height, const std::string& width,
                     const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {
      "x:1,64,32,32", fmt::format("weight:64,64,{},{}:fp16:const", height, width), "groups=1"};
  words.insert(words.end(), more.begin(), more.end());
  return Whole("conv", words);
}

// Returns the instance for a row of one operation with numbers in its parameter, or nothing for
// other rows.
std::optional<Instance> Measured(const Row& row) {
  const std::string& op = row.at("op");
  const std::string& parameter = row.at("parameter");
  const std::vector<std::string> numbers = Numbers(parameter);
  if (op == "conv" && parameter.starts_with("kernel")) return Convolution(numbers[0], numbers[1]);
  if (op == "conv" && parameter.starts_with("stride")) {
    return Whole("conv", {"x:1,64,32,32", "weight:64,64,3,3:fp16:const", "groups=1",
                          fmt::format("strides={0},{0}", numbers[0])});
  }
  if (op == "conv" && parameter.starts_with("groups")) {
    const int groups = std::stoi(numbers[0]);
    return Whole("conv", {"x:1,64,32,32", fmt::format("weight:64,{},3,3:fp16:const", 64 / groups),
                          fmt::format("groups={}", groups)});
  }
  if (op.ends_with("_pool")) {
    return Whole(op, {"x:1,64,32,32", fmt::format("kernel_sizes={},{}", numbers[0], numbers[1]),
                      "strides=1,1", "pad_type=same"});
  }
  if (op == "matmul" && parameter.starts_with("inner extent")) {
    return Whole("matmul", {"x:1,16," + numbers[0], "y:1," + numbers[0] + ",16"});
  }
  if (op == "relu") {
    const char axis = parameter[0];
    return Whole("relu",
                 {fmt::format("x:1,{},{},{}", axis == 'C' ? numbers[0] : "1",
                              axis == 'H' ? numbers[0] : "1", axis == 'W' ? numbers[0] : "1")});
  }
  if (op == "topk") return Whole("topk", {"x:1,64,32,32", "k=" + numbers[0], "axis=3"});
  return std::nullopt;
}

// A row with free text, and its instances. `op` and the beginnings of its parameter and condition
// identify the row.
struct Worded {
  const char* op;
  const char* parameter;  // its beginning
  const char* condition;  // its beginning
  std::vector<Instance> instances;
};

std::vector<Instance> ForEach(std::initializer_list<const char*> ops,
                              const std::vector<std::string>& words) {
  std::vector<Instance> made;
  for (const char* op : ops) made.push_back(Whole(op, words));
  return made;
}

std::vector<Instance> Products(std::initializer_list<int> rows,
                               std::initializer_list<int> columns) {
  std::vector<Instance> made;
  for (const int m : rows) {
    for (const int n : columns) {
      made.push_back(Whole("matmul", {fmt::format("x:{},8192", m),
                                      fmt::format("y:{},8192:fp16:const", n), "transpose_y=true"}));
    }
  }
  return made;
}

std::vector<Instance> Chains(std::string_view op, const std::vector<std::string>& lengths) {
  std::vector<Instance> made;
  for (const std::string& length : lengths) {
    if (op == "add") {
      made.push_back(Whole("add", {"x:1,64,1,1024", "y:1,64,1,1024"}));
      continue;
    }
    made.push_back(Whole(
        "conv", {"x:1,64,1,1024", "weight:64,64,1,1:fp16:const", "groups=1", "chain=" + length}));
  }
  return made;
}

std::vector<Instance> InWords(const Row& row) {
  const std::string& op = row.at("op");
  const std::string& parameter = row.at("parameter");
  const std::string& condition = row.at("condition");
  const std::vector<std::string> numbers = Numbers(parameter);
  const auto is = [&](std::string_view name, std::string_view begin) {
    return op.starts_with(name) && parameter.starts_with(begin);
  };
  if (is("matmul, constant", "M ")) {
    std::set<int> columns;
    for (const std::string& n : Numbers(condition)) columns.insert(std::stoi(n));
    std::vector<Instance> made;
    for (const int n : columns) {
      const std::vector<Instance> one = Products({std::stoi(numbers[0])}, {n});
      made.insert(made.end(), one.begin(), one.end());
    }
    return made;
  }
  if (is("matmul, both runtime", "")) return {Whole("matmul", {"x:16,64", "y:64,16"})};
  const auto binary = {"add", "sub", "mul", "real_div", "maximum", "minimum"};
  if (is("binary with inline", "")) {
    return ForEach(binary, {"x:1,64,8,8", "y:1,64,1,1:fp16:const", "storage=inline"});
  }
  if (is("binary with scalar", "")) {
    return ForEach(binary, {"x:1,64,8,8", "y:1:fp16:const", "storage=inline"});
  }
  if (is("real_div by BLOBFILE", "")) {
    return ForEach({"real_div"}, {"x:1,64,8,8", "y:1,64,1,1:fp16:const", "storage=file"});
  }
  if (is("conv bias", "")) {
    const std::string storage = parameter.starts_with("inline") ? "inline" : "file";
    return {Convolution("3", "3", {"bias:64:fp16:const", "storage=" + storage})};
  }
  if (is("layer_norm", "affine")) {
    return ForEach({"layer_norm"}, {"x:1,64,8,8", "gamma:64:fp16:const", "beta:64:fp16:const"});
  }
  if (is("layer_norm", "no affine")) return ForEach({"layer_norm"}, {"x:1,64,8,8", "axes=1"});
  if (is("reduce_max, reduce_mean", "")) {
    return ForEach({"reduce_max", "reduce_mean"},
                   {"x:1,2048,1,1", "axes=1,", "keep_dims=true",
                    parameter.find("inside") == std::string::npos ? "alone=true" : "alone=false"});
  }
  if (is("select", "")) {
    const std::string type = parameter.starts_with("bool") ? "bool" : "fp16";
    return ForEach({"select"}, {"cond:1,64:" + type, "a:1,64", "b:1,64"});
  }
  if (is("graph depth", "1x1 conv chain")) return Chains("conv", Numbers(condition));
  if (is("graph depth", "512 elementwise") || is("chain", "")) return Chains("add", {"512"});
  if (is("conv weights", "vector")) {
    return {Convolution("1", "1", {"weight_format=vector palette"})};
  }
  if (is("conv weights", "")) {
    return {Convolution("1", "1", {"weight_format=int4 table"}),
            Convolution("1", "1", {"weight_format=int8"}),
            Convolution("1", "1", {"weight_format=sparse"})};
  }
  if (is("target", "")) return ForEach({"add"}, {"x:1,64,8,8", "y:1,64,8,8"});
  if (is("runtime input surface", "")) return ForEach({"relu"}, {"x:1,8,1,8"});
  if (is("conv with runtime weights", "")) {
    return ForEach({"conv"}, {"x:1,8,8,32", "weight:8,8,1,1", "groups=1"});
  }
  if (is("mul broadcast over N", "")) return ForEach({"mul"}, {"x:1,8,8,32", "y:2,8,8,32"});
  if (is("slice_by_size with runtime", "")) {
    return ForEach({"slice_by_size"}, {"x:1,64,32,32", "begin:4:int32", "size=1,32,16,16"});
  }
  if (is("crop_resize with int32", "")) {
    return ForEach({"crop_resize"}, {"x:1,4,8,8", "boxes:2,4", "box_indices:2:int32"});
  }
  if (is("conv 3x3", "")) return {Convolution("3", "3")};
  // For "any", returns each operation that the row names.
  std::vector<Instance> made;
  static const std::regex kName("[a-z0-9_]+");
  for (std::sregex_iterator at(op.begin(), op.end(), kName), end; at != end; ++at) {
    if (Rules::Builtin().Find(at->str()) != nullptr) made.push_back(Whole(at->str(), {}));
  }
  return made;
}

std::vector<Instance> InstancesOf(const Row& row) {
  if (const auto one = Measured(row)) return {*one};
  return InWords(row);
}

// Returns true for an accepted row, false for a refused row, and nothing for other rows.
std::optional<bool> Taken(const std::string& result) {
  if (result == "accepted" || result.starts_with("accepted,")) return true;
  if (result.starts_with("refused")) return false;
  return std::nullopt;
}

std::vector<std::string> TargetsOf(const Row& row) {
  std::vector<std::string> targets;
  static const std::regex kName("h[0-9]+[a-z]?");
  const std::string& text = row.at("target");
  for (std::sregex_iterator at(text.begin(), text.end(), kName), end; at != end; ++at) {
    targets.push_back(at->str());
  }
  return targets;
}

// Whether the rules agree with the row on an instance. They must accept it, or refuse it with the
// row's message if there is one. For other rows, they must decompose it or list the row's result as
// another reading.
bool Answers(const Row& row, const std::string& target, const Instance& instance) {
  const Verdict verdict = Judged(target, Route::kMil, instance);
  const LayerVerdict* stopper = verdict.Stopper();
  const std::optional<bool> taken = Taken(row.at("result"));
  if (taken && *taken) return stopper == nullptr;
  if (taken || row.at("result").starts_with("compiler dies")) {
    if (stopper == nullptr || stopper->ruling != Ruling::kReject) return false;
    // If the row leaves out a name, only the text after the name counts.
    std::string message = row.at("message");
    if (message.find("...") != std::string::npos) message.erase(0, message.rfind(": ") + 2);
    return message.empty() || message.starts_with("callback_status") ||
           std::ranges::any_of(verdict.layers, [&](const LayerVerdict& layer) {
             return layer.reason.find(message) != std::string::npos;
           });
  }
  if (verdict.outcome == Outcome::kDecomposed) return true;
  return std::ranges::any_of(verdict.layers, [&](const LayerVerdict& layer) {
    return std::ranges::any_of(layer.others, [&](const OtherReading& other) {
      return row.at("result").find(other.says) != std::string::npos;
    });
  });
}

std::string KeyOf(const Row& row, const std::string& target) {
  return fmt::format("{}|{}|{}|{}", row.at("op"), row.at("parameter"), row.at("condition"), target);
}

TEST(SiliconLimits, TheRulesAgreeWithEveryRowOrItsDifferenceIsListed) {
  const std::string path = testing::FactPath("silicon/compile_limits_silicon.csv");
  ANECHECK_SKIP_WITHOUT(path);
  const auto text = ReadTextFile(path);
  const auto listed =
      ReadTextFile(testing::SourcePath("oracles/legality/testdata/silicon_differences.csv"));
  ASSERT_TRUE(text.ok() && listed.ok());
  const auto rows = evidence::ParseCsv(*text, "compile_limits_silicon.csv");
  const auto reasons = evidence::ParseCsv(*listed, "silicon_differences.csv");
  ASSERT_TRUE(rows.ok() && reasons.ok());
  ASSERT_GT(rows->size(), 100u);
  std::set<std::string> explained;
  for (const auto& reason : *reasons) {
    EXPECT_FALSE(reason.at("why").empty());
    explained.insert(reason.at("row"));
  }
  for (const auto& columns : *rows) {
    const Row row(columns.begin(), columns.end());
    const std::vector<Instance> instances = InstancesOf(row);
    const std::vector<std::string> targets = TargetsOf(row);
    EXPECT_FALSE(instances.empty()) << KeyOf(row, "") << ": no instance is made of this row";
    ASSERT_FALSE(targets.empty()) << KeyOf(row, "");
    for (const std::string& target : targets) {
      bool answered = true;
      for (const Instance& instance : instances) answered &= Answers(row, target, instance);
      EXPECT_EQ(answered, !explained.contains(KeyOf(row, target)))
          << KeyOf(row, target) << ": " << row.at("result");
    }
  }
}

}  // namespace
}  // namespace anecheck::legality
