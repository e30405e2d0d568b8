// The operation table is complete and agrees with the parameter names that other rooms use.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

TEST(OpTable, EveryRowHasAReferenceOrAReason) {
  size_t reasons = 0;
  for (const OpDefinition* op : AllOps()) reasons += op->no_reference_reason.empty() ? 0 : 1;
  EXPECT_LE(reasons, 20u);
}

TEST(OpTable, RowsAreIndexedNamedAndComplete) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kOpCount; ++i) {
    const OpDefinition& op = *AllOps()[i];
    EXPECT_EQ(op.schema.id, i) << op.schema.name;
    EXPECT_NE(op.schema.infer, nullptr) << op.schema.name;
    EXPECT_FALSE(op.schema.parameters.empty()) << op.schema.name;
    EXPECT_TRUE(op.family_floor <= 4 || op.family_floor == kNoFamily)
        << op.schema.name << ": no operation has a floor above A15";
    EXPECT_TRUE(names.insert(op.schema.name).second) << op.schema.name << " occurs twice";
    EXPECT_EQ(FindOp(op.schema.name), &op);
    EXPECT_EQ(OpVocabulary().Find(op.schema.name), &op.schema);
    EXPECT_EQ(&DefinitionOf(op.schema), &op);
    EXPECT_FALSE(OpClassName(op.op_class).empty());
  }
  EXPECT_EQ(FindOp("no_such_op"), nullptr);
  EXPECT_EQ(OpVocabulary().Find("no_such_op"), nullptr);
}

TEST(OpTable, FloorsEqualThoseOfTheSpecification) {
  // Specification 003, table 24.2.
  EXPECT_EQ(GetOp(OpKind::kConv).family_floor, 0);
  EXPECT_EQ(GetOp(OpKind::kMatmul).family_floor, 0);
  EXPECT_EQ(GetOp(OpKind::kConcat).family_floor, 0);
  EXPECT_EQ(GetOp(OpKind::kSoftmax).family_floor, 2);
  EXPECT_EQ(GetOp(OpKind::kLayerNorm).family_floor, 2);
  EXPECT_EQ(GetOp(OpKind::kReduceSum).family_floor, 2);
  EXPECT_EQ(GetOp(OpKind::kSoftmax).capability, 0x815);
}

bool IsWhole(ParameterKind kind) {
  return kind == ParameterKind::kInt || kind == ParameterKind::kInts;
}
bool IsFlag(ParameterKind kind) {
  return kind == ParameterKind::kBool || kind == ParameterKind::kBools;
}

// Whether the parameter accepts its own default value.
bool TakesDefault(const Parameter& parameter) {
  const Default& fallback = parameter.fallback;
  const bool is_name = parameter.kind == ParameterKind::kString;
  switch (fallback.form) {
    case Default::Form::kNone:
      return true;
    case Default::Form::kWords:
      return parameter.need == Need::kOptional;
    case Default::Form::kName:
      return is_name && parameter.need == Need::kOptional &&
             (parameter.choices.empty() ||
              std::ranges::find(parameter.choices, fallback.text) != parameter.choices.end());
    case Default::Form::kNumber:
      break;
  }
  const bool whole = fallback.number == std::trunc(fallback.number);
  const bool flag = fallback.number == 0 || fallback.number == 1;
  return !is_name && parameter.need == Need::kOptional && (whole || !IsWhole(parameter.kind)) &&
         (flag || !IsFlag(parameter.kind));
}

TEST(OpTable, EachParameterAcceptsItsDefault) {
  for (const OpDefinition* op : AllOps()) {
    for (const Parameter& parameter : op->schema.parameters) {
      EXPECT_TRUE(TakesDefault(parameter)) << op->schema.name << "." << parameter.name;
    }
  }
}

TEST(OpTable, DefaultsHaveATextForm) {
  const auto text = [](std::string_view op, std::string_view parameter) {
    const OpSchema& schema = FindOp(op)->schema;
    return DefaultText(schema.parameters[static_cast<size_t>(schema.FindParameter(parameter))]);
  };
  EXPECT_EQ(text("conv", "strides"), "1 on every axis");
  EXPECT_EQ(text("conv", "pad_type"), "valid");
  EXPECT_EQ(text("conv", "x"), "");
  EXPECT_EQ(text("slice_by_index", "end_mask"), "false on every axis");
  EXPECT_EQ(text("topk", "sort"), "true");
  EXPECT_EQ(text("inverse", "epsilon"), "0.0001");
  EXPECT_EQ(text("band_part", "lower"), "-1: keep all");
  EXPECT_EQ(text("split", "num_splits"), "as many as split_sizes has");
}

// Returns a name in lower case, without underscores and without the prefix for computed arguments.
std::string Folded(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    if (c != '_') folded += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  constexpr std::string_view kComputed = "computed";
  return folded.starts_with(kComputed) ? folded.substr(kComputed.size()) : folded;
}

// A struct of params.h, with the names of its parameters in order and without the leading `k`.
struct Listed {
  std::string name;
  std::vector<std::string> parameters;
};

std::vector<Listed> StructsOfParams() {
  std::vector<Listed> structs;
  const auto text = ReadTextFile(testing::SourcePath("harness/ops/params.h"));
  EXPECT_TRUE(text.ok());
  if (!text.ok()) return structs;
  std::string plain = std::regex_replace(*text, std::regex("//[^\n]*"), "");
  const std::regex form(R"(struct (\w+) \{\s*enum : int \{([^}]*)\})");
  const std::regex one(R"(k(\w+))");
  for (std::sregex_iterator at(plain.begin(), plain.end(), form), end; at != end; ++at) {
    Listed listed{(*at)[1], {}};
    const std::string body = (*at)[2];
    for (std::sregex_iterator name(body.begin(), body.end(), one); name != end; ++name) {
      listed.parameters.push_back((*name)[1]);
    }
    structs.push_back(std::move(listed));
  }
  return structs;
}

// Returns the operation whose name in C++ is `name` or `Constexpr` followed by `name`.
const OpDefinition* OpCalled(std::string_view name) {
  constexpr std::pair<std::string_view, OpKind> kNames[] = {
#define ANECHECK_OP(mil_name, Name, ...) {#Name, OpKind::k##Name},
#include "harness/ops/ops.def"
  };
  for (const std::string& called : {std::string(name), "Constexpr" + std::string(name)}) {
    const auto found = std::ranges::find(kNames, called, [](const auto& row) { return row.first; });
    if (found != std::end(kNames)) return &GetOp(found->second);
  }
  return nullptr;
}

// One operation for each struct that several operations share or that has no operation's name.
constexpr std::pair<std::string_view, OpKind> kShared[] = {
    {"Pool", OpKind::kAvgPool},
    {"Binary", OpKind::kAdd},
    {"Unary", OpKind::kAbs},
    {"WithEpsilon", OpKind::kInverse},
    {"WithAlpha", OpKind::kLeakyRelu},
    {"WithAlphaBeta", OpKind::kClampedRelu},
    {"Reduce", OpKind::kReduceSum},
    {"ReduceArg", OpKind::kReduceArgmax},
    {"OverAxes", OpKind::kExpandDims},
    {"ResizePlane", OpKind::kResizeBilinear},
    {"Upsample", OpKind::kUpsampleBilinear},
    {"UnitElementwise", OpKind::kPeElementwise},
    {"GainOffset", OpKind::kNativeDynamicGoc},
    {"Attention", OpKind::kScaledDotProductAttention},
    {"RingRead", OpKind::kCircularBufferToTensor},
    {"RingWrite", OpKind::kTensorToCircularBuffer},
};
// Structs whose operations have different names for the parameter at the same index.
constexpr std::string_view kOfManyNames[] = {"Blocks", "Batches"};

TEST(Params, IndicesAreThoseOfTheSchemas) {
  size_t held = 0;
  for (const Listed& listed : StructsOfParams()) {
    if (std::ranges::count(kOfManyNames, listed.name) > 0) continue;
    const auto shared =
        std::ranges::find(kShared, listed.name, [](const auto& row) { return row.first; });
    const OpDefinition* const op =
        shared == std::end(kShared) ? OpCalled(listed.name) : &GetOp(shared->second);
    ASSERT_NE(op, nullptr) << listed.name << " names no operation: add it to kShared";
    const auto parameters = op->schema.parameters;
    ASSERT_LE(listed.parameters.size(), parameters.size()) << listed.name;
    for (size_t i = 0; i < listed.parameters.size(); ++i, ++held) {
      EXPECT_TRUE(Folded(parameters[i].name).starts_with(Folded(listed.parameters[i])))
          << listed.name << "::k" << listed.parameters[i] << " is the index of "
          << parameters[i].name;
    }
  }
  EXPECT_GT(held, 250u);
}

// Some operations share a struct that has another operation's name.
TEST(Params, AreSharedByOperationsWithTheSameIndices) {
  const auto expect = [](OpKind kind, int parameter, std::string_view name) {
    EXPECT_EQ(GetOp(kind).schema.parameters[static_cast<size_t>(parameter)].name, name);
  };
  for (const OpKind kind : {OpKind::kRsqrt, OpKind::kLog, OpKind::kL2Norm}) {
    expect(kind, params::WithEpsilon::kEpsilon, "epsilon");
  }
  for (const OpKind kind :
       {OpKind::kPrelu, OpKind::kThresholdedRelu, OpKind::kThreshold, OpKind::kElu}) {
    expect(kind, params::WithAlpha::kAlpha, "alpha");
  }
  for (const OpKind kind : {OpKind::kSigmoidHard, OpKind::kScaledTanh, OpKind::kSoftplusParametric,
                            OpKind::kClip, OpKind::kLinearActivation}) {
    expect(kind, params::WithAlphaBeta::kBeta, "beta");
  }
  expect(OpKind::kMaxPool, params::Pool::kCeilMode, "ceil_mode");
  expect(OpKind::kNeConv, params::Conv::kGroups, "groups");
  expect(OpKind::kNeMatmul, params::Matmul::kTransposeY, "transpose_y");
  expect(OpKind::kPePool, params::UnitPool::kMode, "mode");
  expect(OpKind::kPePool, params::Pool::kExcludePadding, "exclude_padding_from_average");
  expect(OpKind::kPeGoc, params::GainOffset::kScale, "scale");
  expect(OpKind::kQuantize, params::Dequantize::kAxis, "axis");
  expect(OpKind::kRnn, params::Gru::kOutputSequence, "output_sequence");
}

}  // namespace
}  // namespace anecheck
