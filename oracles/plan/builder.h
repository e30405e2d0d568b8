// Adds operations to a graph by the names of MIL, for the decompositions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "harness/base/result.h"
#include "harness/graph/graph.h"

namespace anecheck::plan {

// An attribute by MIL's name.
struct Setting {
  std::string_view name;
  std::variant<bool, int64_t, double, std::string_view, std::vector<int64_t>> value;
};

// Appends operations to one graph. After the first error, later calls do nothing and return
// kNoValue. So a decomposition can check status() once at its end, instead of after each call.
// Names of new values are the name of the rewritten operation with a number. Not thread-safe.
class Builder {
 public:
  using Operands = std::initializer_list<std::pair<std::string_view, ValueId>>;

  // `taken` holds every name of the graph and receives the new ones; both must outlive this.
  Builder(Graph& graph, std::set<std::string, std::less<>>& taken, std::string prefix)
      : graph_(graph), taken_(taken), prefix_(std::move(prefix)) {}

  // Appends the operation and returns its first result. An operand of kNoValue is left out if there
  // is no error, so that callers can pass absent optional operands.
  ValueId Add(std::string_view op, Operands operands, std::initializer_list<Setting> settings = {});
  // As Add, for operations that take a list. Every value is an argument of `parameter`, in order.
  ValueId AddOfList(std::string_view op, std::string_view parameter,
                    std::span<const ValueId> values, std::initializer_list<Setting> settings = {});
  // Copies `node` with all attributes and blocks, on other operands; `places` has an entry for each
  // value of its graph.
  ValueId Copy(const NodeView& node, std::span<const ValueId> places,
               std::span<const std::string> names);

  // A constant; each number is rounded once to the element type.
  ValueId Constant(const TensorType& type, std::span<const double> numbers);
  ValueId Scalar(DType dtype, double number);
  // A constant of another graph.
  ValueId CopyConstant(const Graph& from, ValueId id);
  // `count` rows of the first axis of a constant of another graph (Graph::CopyConstRows).
  ValueId CopyConstantRows(const Graph& from, ValueId id, int64_t first, int64_t count);

  // Shorthands.
  ValueId Reshape(ValueId x, const Shape& shape);
  ValueId Transpose(ValueId x, std::span<const int64_t> perm);
  ValueId Slice(ValueId x, std::span<const int64_t> begin, std::span<const int64_t> size);
  // Elements [first, first + count) of one axis.
  ValueId SliceAxis(ValueId x, int axis, int64_t first, int64_t count);
  // For a single value, returns the value itself.
  ValueId Concat(std::span<const ValueId> values, int axis);
  ValueId Cast(ValueId x, DType dtype);

  // Precondition: status().ok().
  const TensorType& type(ValueId id) const { return graph_.type(id); }
  Graph& graph() { return graph_; }
  Status status() const { return error_ ? Status(*error_) : Status(); }
  bool ok() const { return !error_; }
  std::string NewName();

 private:
  ValueId Finish(std::initializer_list<Setting> settings);
  bool Begin(std::string_view op);
  void Set(const Setting& setting);
  void Fail(Error error);

  Graph& graph_;
  std::set<std::string, std::less<>>& taken_;
  std::string prefix_;
  int count_ = 0;
  const OpSchema* schema_ = nullptr;
  std::optional<Error> error_;
};

// The elements of a constant as numbers.
std::vector<double> ConstantNumbers(const Graph& graph, ValueId id);
// The bytes of `numbers`, each rounded once to nearest even.
std::vector<uint8_t> RoundedBytes(DType dtype, std::span<const double> numbers);

}  // namespace anecheck::plan
