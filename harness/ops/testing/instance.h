// Builds one operation and infers the types of its results, for the tests of the operation table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/graph/graph.h"
#include "harness/ops/op.h"

namespace anecheck::testing {

using Ints = std::vector<int64_t>;

// One operation under construction. Its operands are inputs of the given shapes, or constants if
// the schema requires constants.
class Instance {
 public:
  explicit Instance(OpKind kind) : kind_(kind) {}
  Instance& In(int parameter, Shape shape, DType dtype = DType::kFp16) {
    const bool constant = GetOp(kind_).schema.parameters[static_cast<size_t>(parameter)].constant;
    operands_.push_back({static_cast<uint16_t>(parameter), constant
                                                               ? graph_.AddConst({dtype, shape}, {})
                                                               : graph_.AddInput({dtype, shape})});
    return *this;
  }
  Instance& Set(const std::function<void(Graph&)>& attribute) {
    attributes_.push_back(attribute);
    return *this;
  }
  Instance& Set(int parameter, const Ints& values) {
    return Set([=](Graph& g) { g.AddInts(parameter, values); });
  }
  Instance& Set(int parameter, const char* text) {
    return Set([=](Graph& g) { g.AddString(parameter, text); });
  }
  Instance& Set(int parameter, int64_t value) {
    return Set([=](Graph& g) { g.AddInt(parameter, value); });
  }
  Instance& Flag(int parameter, bool value) {
    return Set([=](Graph& g) { g.AddBool(parameter, value); });
  }
  Instance& Flags(int parameter, const Ints& values) {
    return Set([=](Graph& g) { g.AddBools(parameter, values); });
  }
  // A constant operand with these bytes.
  Instance& Const(int parameter, DType dtype, Shape shape, std::vector<uint8_t> bytes) {
    operands_.push_back({static_cast<uint16_t>(parameter), graph_.AddConst({dtype, shape}, bytes)});
    return *this;
  }
  Instance& Number(int parameter, double value) {
    return Set([=](Graph& g) { g.AddFloat(parameter, value); });
  }

  // Returns the inferred types as text, separated by spaces, or the error.
  std::string Infer() {
    graph_.BeginNode(&GetOp(kind_).schema);
    for (const Argument& operand : operands_) graph_.AddArgument(operand.parameter, operand.value);
    for (const auto& attribute : attributes_) attribute(graph_);
    const auto first = graph_.FinishNode();
    if (!first.ok()) return first.error().message;
    std::string types;
    for (uint32_t i = 0; i < graph_.nodes().back().result_count; ++i) {
      types += (i == 0 ? "" : " ") + graph_.type(*first + i).ToString();
    }
    return types;
  }

 private:
  OpKind kind_;
  Graph graph_;
  std::vector<Argument> operands_;
  std::vector<std::function<void(Graph&)>> attributes_;
};

}  // namespace anecheck::testing
