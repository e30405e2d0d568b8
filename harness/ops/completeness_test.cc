// Every operation of the public matrix is in the operation table or, with a reason, in the list of
// operations without a numeric reference.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/ops/native_layers.h"
#include "harness/ops/op.h"
#include "harness/ops/sheet.h"

namespace anecheck {
namespace {

// Returns the sheets of the operations in the public matrix, from the table and from the catalogue.
std::vector<const OpSheet*> MatrixSheets() {
  std::vector<const OpSheet*> rows;
  for (const std::span<const OpSheet> sheets : {OpSheets(), CataloguedOps()}) {
    for (const OpSheet& sheet : sheets) {
      if (sheet.reach) rows.push_back(&sheet);
    }
  }
  return rows;
}

// Returns the fields of a line. Fields may be quoted.
std::vector<std::string> CsvFields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

TEST(OpSheet, ReachAndClassEqualThoseOfThePublicMatrix) {
  const std::string path = testing::RealDataPath("../facts/op_device_matrix.csv");
  ANECHECK_SKIP_WITHOUT(path);
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  size_t rows = 0;
  for (; std::getline(file, line); ++rows) {
    const std::vector<std::string> fields = CsvFields(line);
    ASSERT_EQ(fields.size(), 6u) << line;
    const OpSheet* const sheet = FindSheet(fields[0]);
    ASSERT_NE(sheet, nullptr) << fields[0];
    EXPECT_EQ(OpClassName(sheet->op_class), fields[1]) << fields[0];
    ASSERT_TRUE(sheet->reach) << fields[0];
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(ReachName((*sheet->reach)[i]), fields[2 + i]) << fields[0] << ", column " << 2 + i;
    }
  }
  EXPECT_EQ(rows, MatrixSheets().size()) << "a sheet has a reach that the matrix does not publish";
  EXPECT_EQ(rows, 187u);
}

TEST(OpSheet, ExistsOnceForEachName) {
  std::set<std::string_view> names;
  std::set<OpClass> classes;
  for (const OpSheet* sheet : MatrixSheets()) {
    EXPECT_TRUE(names.insert(sheet->name).second) << sheet->name;
    classes.insert(sheet->op_class);
    EXPECT_EQ(FindSheet(sheet->name), sheet);
  }
  EXPECT_EQ(classes.size(), 13u) << "every class except that of native layers";
  EXPECT_EQ(FindSheet("no_such_op"), nullptr);
}

TEST(OpSheet, ReachFollowsTheGenerations) {
  EXPECT_EQ(ReachOn("conv", 2), Reach::kNative);
  EXPECT_EQ(ReachOn("sin", 2), Reach::kFamilyGated);
  EXPECT_EQ(ReachOn("sin", 3), Reach::kFamilyGated);
  EXPECT_EQ(ReachOn("sin", 4), Reach::kNative);
  EXPECT_EQ(ReachOn("resize", 2), Reach::kBridge);
  EXPECT_EQ(ReachOn("resize", 7), Reach::kNative);
  EXPECT_EQ(ReachOn("mod", 7), Reach::kNoPath);
  EXPECT_EQ(ReachOn("conv", 1), std::nullopt) << "the matrix begins with A13";
  EXPECT_EQ(ReachOn("no_such_op", 2), std::nullopt);
  EXPECT_EQ(ReachName(Reach::kFamilyGated), "family_gated");
}

// Returns the parameters in a row, such as Type, K and Pad for "Type(Max/Min)|K|Pad*".
std::vector<std::string> ParameterNames(std::string_view row) {
  size_t from = 0;
  for (int comma = 0; comma < 3; ++comma) from = row.find(',', from) + 1;
  const std::string_view field = row.substr(from, row.find(',', from) - from);
  std::vector<std::string> names;
  int depth = 0;
  bool inside = false;  // whether c is in a name
  bool begins = true;
  for (const char c : field) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (depth == 0 && c == '|') begins = true;
    inside = depth == 0 && std::isalnum(static_cast<unsigned char>(c)) != 0 && (begins || inside);
    if (inside && begins) names.emplace_back();
    if (inside) {
      begins = false;
      names.back() += c;
    }
    if (c == ')' || c == ']' || c == '}') --depth;
  }
  return names;
}

TEST(Completeness, EveryNativeLayerHasAnOperationOrAReason) {
  std::set<std::string_view> layers;
  std::set<std::string_view> own;
  for (const NativeLayer& layer : NativeLayers()) {
    EXPECT_TRUE(layers.insert(layer.layer).second) << layer.layer;
    EXPECT_NE(layer.op.empty(), layer.reason.empty()) << layer.layer;
    if (layer.op.empty()) continue;
    const OpDefinition* op = FindOp(layer.op);
    ASSERT_NE(op, nullptr) << layer.layer << ": " << layer.op;
    EXPECT_TRUE(op->no_reference_reason.empty()) << layer.op;
    if (layer.op == layer.layer) {
      own.insert(layer.op);
      EXPECT_EQ(op->op_class, OpClass::kNative) << layer.op;
      EXPECT_EQ(op->netlist_unit, layer.unit) << layer.op;
    }
  }
  // 45 have descriptors, 5 only a validator, 3 are reached by their unit type
  // (facts/native_layers.csv).
  EXPECT_EQ(layers.size(), 53u);
  for (const OpDefinition* op : AllOps()) {
    if (op->op_class == OpClass::kNative) {
      EXPECT_TRUE(own.contains(op->schema.name)) << op->schema.name;
    }
  }
}

TEST(Completeness, NativeLayersEqualThoseOfTheFacts) {
  const std::string path = testing::RealDataPath("../facts/native_layers.csv");
  ANECHECK_SKIP_WITHOUT(path);
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  size_t rows = 0;
  for (; std::getline(file, line); ++rows) {
    const std::string layer = line.substr(0, line.find(','));
    const auto layers = NativeLayers();
    const auto found = std::ranges::find(layers, layer, &NativeLayer::layer);
    ASSERT_NE(found, layers.end()) << layer;
    EXPECT_NE(line.find("," + std::string(found->unit) + ","), std::string::npos) << layer;
  }
  EXPECT_EQ(rows, NativeLayers().size());
}

// Every parameter of a layer with its own operation is a parameter of that operation or a narrowed
// parameter, and all narrowed parameters are in the facts.
TEST(Completeness, ParametersOfNativeLayersAreTakenOrHaveAReason) {
  const std::string path = testing::RealDataPath("../facts/netlist_layers.csv");
  ANECHECK_SKIP_WITHOUT(path);
  const auto text = ReadTextFile(path);
  ASSERT_TRUE(text.ok());
  std::map<std::string_view, std::string_view> rows;  // by the unit's type
  for (size_t at = 0; at < text->size();) {
    const std::string_view line = std::string_view(*text).substr(at, text->find('\n', at) - at);
    const size_t tag = line.find(',') + 1;
    rows[line.substr(tag, line.find(',', tag) - tag)] = line;
    at += line.size() + 1;
  }
  std::set<std::pair<std::string_view, std::string_view>> narrowed;
  for (const NarrowedParameter& row : NarrowedParameters()) {
    const auto layers = NativeLayers();
    const auto layer = std::ranges::find(layers, row.layer, &NativeLayer::layer);
    ASSERT_NE(layer, layers.end()) << row.layer;
    EXPECT_TRUE(rows[layer->unit].contains(row.parameter)) << row.layer << ' ' << row.parameter;
    EXPECT_TRUE(narrowed.insert({row.layer, row.parameter}).second)
        << row.layer << ' ' << row.parameter;
    EXPECT_FALSE(row.reason.empty()) << row.layer << ' ' << row.parameter;
    std::cout << row.layer << ' ' << row.parameter << ": " << row.reason << '\n';
  }
  size_t asked = 0;
  for (const NativeLayer& layer : NativeLayers()) {
    if (layer.op != layer.layer || !rows.contains(layer.unit)) continue;
    const OpDefinition* const op = FindOp(layer.op);
    for (const std::string& name : ParameterNames(rows[layer.unit])) {
      ++asked;
      EXPECT_TRUE(std::ranges::count(op->schema.parameters, name, &Parameter::name) > 0 ||
                  narrowed.contains({layer.layer, name}))
          << layer.layer << ": " << name << " is neither taken nor narrowed";
    }
  }
  EXPECT_GT(asked, 20u);
}

TEST(Completeness, CataloguedOperationsHaveAReason) {
  for (const OpSheet& op : CataloguedOps()) {
    EXPECT_FALSE(op.no_reference_reason.empty()) << op.name;
    EXPECT_EQ(OpVocabulary().ReasonWithout(op.name), op.no_reference_reason);
    EXPECT_EQ(OpVocabulary().Find(op.name), nullptr) << op.name;
  }
  EXPECT_TRUE(OpVocabulary().ReasonWithout("conv").empty());
  EXPECT_EQ(FindCataloguedOp("conv"), nullptr);
}

// Counts the operations of the matrix without a numeric reference and the native layers without an
// operation. Operations that no public list of the engine names are not counted.
TEST(Completeness, AtMostTwentyOperationsAndLayersAreLeftOut) {
  std::vector<std::pair<std::string_view, std::string_view>> reasons;
  for (const OpSheet& op : CataloguedOps()) {
    if (op.reach) reasons.emplace_back(op.name, op.no_reference_reason);
  }
  for (const OpDefinition* op : AllOps()) {
    if (!op->no_reference_reason.empty()) {
      reasons.emplace_back(op->schema.name, op->no_reference_reason);
    }
  }
  for (const NativeLayer& layer : NativeLayers()) {
    if (layer.op.empty()) reasons.emplace_back(layer.layer, layer.reason);
  }
  std::set<std::string_view> names;
  for (const auto& [name, reason] : reasons) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_FALSE(reason.empty()) << name;
    std::cout << name << ": " << reason << "\n";
  }
  EXPECT_LE(reasons.size(), 20u);
}

}  // namespace
}  // namespace anecheck
