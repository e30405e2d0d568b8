// Small graphs and tensors for the oracle's tests.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/graph/graph.h"
#include "harness/ops/op.h"
#include "oracles/oracle.h"

namespace anecheck::testing {

inline Tensor MakeTensor(DType dtype, const Shape& shape, std::span<const double> elements) {
  Tensor tensor{{dtype, shape}, {}};
  tensor.bytes.resize(static_cast<size_t>(tensor.type.ByteSize()));
  EncodeElements(dtype, elements, tensor.bytes);
  return tensor;
}
inline Tensor MakeTensor(DType dtype, const Shape& shape, std::initializer_list<double> elements) {
  return MakeTensor(dtype, shape, std::span(elements.begin(), elements.size()));
}

inline bool SameBits(std::span<const double> one, std::span<const double> other) {
  const auto bits = [](double number) { return std::bit_cast<uint64_t>(number); };
  return std::ranges::equal(one, other, {}, bits, bits);
}

// Returns the documented departures of the family, at most as many as a contract can hold.
inline std::vector<const Departure*> KnownDeparturesOf(int family) {
  std::vector<const Departure*> rows;
  for (const Departure& row : KnownDepartures()) {
    const bool here = (row.families >> family & 1) != 0;
    if (here && rows.size() < Contract::kMaxDepartures) rows.push_back(&row);
  }
  return rows;
}

inline std::vector<double> DecodedElements(const Tensor& tensor) {
  std::vector<double> elements(static_cast<size_t>(tensor.type.shape.Elements()));
  DecodeElements(tensor.type.dtype, tensor.bytes, elements);
  return elements;
}

// A graph under construction, and the data of its inputs.
class Case {
 public:
  Graph graph;
  std::vector<Tensor> inputs;

  ValueId Input(const Tensor& tensor) {
    inputs.push_back(tensor);
    return graph.AddInput(tensor.type);
  }
  ValueId Const(const Tensor& tensor) { return graph.AddConst(tensor.type, tensor.bytes); }

  // Starts a node. Add attributes to `graph` by parameter index, then call Finish.
  Case& Begin(OpKind kind) {
    graph.BeginNode(&GetOp(kind).schema);
    return *this;
  }
  Case& Arg(int parameter, ValueId value) {
    graph.AddArgument(parameter, value);
    return *this;
  }
  Case& Int(int parameter, int64_t value) {
    graph.AddInt(parameter, value);
    return *this;
  }
  Case& Float(int parameter, double value) {
    graph.AddFloat(parameter, value);
    return *this;
  }
  Case& Bool(int parameter, bool value) {
    graph.AddBool(parameter, value);
    return *this;
  }
  Case& String(int parameter, std::string_view value) {
    graph.AddString(parameter, value);
    return *this;
  }
  Case& Ints(int parameter, std::initializer_list<int64_t> values) {
    graph.AddInts(parameter, std::span(values.begin(), values.size()));
    return *this;
  }
  // Returns the first result, or kNoValue with the error in `error`.
  ValueId Finish() {
    auto result = graph.FinishNode();
    if (result.ok()) return result.value();
    error = result.error().message;
    return kNoValue;
  }
  ValueId Unary(OpKind kind, ValueId x) { return Begin(kind).Arg(0, x).Finish(); }
  ValueId Binary(OpKind kind, ValueId x, ValueId y) {
    return Begin(kind).Arg(0, x).Arg(1, y).Finish();
  }
  std::string error;

  // Returns the estimate of one value as the only output. The default contract is A12's: it has the
  // terms of every family, but no arithmetic law (oracles/laws.h).
  Estimate Run(ValueId output, const Contract& contract = ConformingContract(1)) {
    graph.ClearOutputs();
    graph.AddOutput(output);
    auto estimates = Evaluate(graph, inputs, contract);
    if (!estimates.ok()) {
      error = estimates.error().message;
      return {};
    }
    return std::move(estimates).value().front();
  }
};

}  // namespace anecheck::testing
