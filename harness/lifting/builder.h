// Builds a graph. Has functions that add operations, and functions that assemble elements.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "harness/lifting/element_memory.h"
#include "harness/ops/op.h"

namespace anecheck::lifting {

// Follows reshapes from `value` back to the value that the first of them takes. It has the same
// elements in the same order.
ValueId WithoutReshapes(const Graph& graph, ValueId value);

struct WindowSpec {
  std::vector<int64_t> strides, pad;
  int64_t groups = 1;
};

// Appends to a graph, which must outlive the builder. Errors are those of the schemas. Not
// thread-safe.
class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(graph) {}

  const Graph& graph() const { return graph_; }
  const Shape& ShapeOf(ValueId value) const { return graph_.type(value).shape; }
  bool IsBool(ValueId value) const { return graph_.type(value).dtype == DType::kBool; }

  Result<ValueId> Unary(OpKind kind, ValueId x);
  Result<ValueId> Binary(OpKind kind, ValueId x, ValueId y);
  // Adds an operation that adds `epsilon` to its operand.
  Result<ValueId> WithEpsilon(OpKind kind, ValueId x, double epsilon);
  Result<ValueId> LeakyRelu(ValueId x, double alpha);
  Result<ValueId> Clip(ValueId x, double low, double high);
  Result<ValueId> Select(ValueId cond, ValueId a, ValueId b);
  // Converts bools to 0 and 1 in fp16.
  Result<ValueId> AsNumbers(ValueId bools);
  Result<ValueId> Reduce(OpKind kind, ValueId x, std::span<const int64_t> axes);
  Result<ValueId> Conv(ValueId x, ValueId weight, ValueId bias, const WindowSpec& window);
  Result<ValueId> Reshape(ValueId x, const Shape& shape);
  Result<ValueId> Slice(ValueId x, std::span<const int64_t> begin, std::span<const int64_t> size);

  // Adds an fp16 constant with these bits.
  ValueId Constant(const Shape& shape, std::span<const uint16_t> bits);
  // Adds a number as a constant with one element. Errors: kUnsupported if fp16 cannot represent it.
  Result<ValueId> Scalar(double number);

  // Returns an fp16 value of this shape with the given elements in row-major order. Reshapes, cuts,
  // transposes and joins values if that is enough, else gathers element by element. Elements of
  // bool values become 0 and 1. Precondition: `elements` has as many elements as the shape.
  Result<ValueId> Assemble(const Elements& elements, const Shape& shape);
  // As Assemble, but returns bools. Precondition: all elements are bools or numbers. 0 means false.
  Result<ValueId> AssembleBools(const Elements& elements, const Shape& shape);

 private:
  bool AreBools(const Elements& elements) const;
  ValueId ConstantOf(const Elements& numbers, const Shape& shape, DType dtype);
  Result<ValueId> Assembled(const Elements& elements, const Shape& shape, DType dtype);
  Result<ValueId> AssembleOne(const Elements& elements, const Shape& shape, DType dtype);
  Result<ValueId> Join(const Elements& elements, const Shape& shape, int axis,
                       std::span<const int64_t> begins, DType dtype);
  Result<ValueId> Gather(Elements elements, const Shape& shape, DType dtype);
  Result<Elements> ElementsAsNumbers(Elements elements);
  Result<ValueId> Concat(std::span<const ValueId> values, int64_t axis);
  Result<ValueId> Transpose(ValueId x, std::span<const int64_t> perm);
  Result<ValueId> Cast(ValueId x, std::string_view dtype);

  Graph& graph_;
  std::map<ValueId, ValueId> numbers_;  // results of AsNumbers
  std::map<std::pair<ValueId, std::vector<int64_t>>, ValueId> reshaped_;
};

}  // namespace anecheck::lifting
