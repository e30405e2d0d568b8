// The schema of an operation has its name, its parameters and the rule for its result types.
// harness/ops has one schema for each operation. This header only defines the types.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/graph/types.h"

namespace anecheck {

class NodeView;

// The kinds of values that a parameter may have. Tensor kinds are edges of the graph. The other
// kinds are attributes, which are known when the graph is compiled.
enum class ParameterKind : uint8_t {
  kTensor,
  kTensorList,  // MIL's tuple, `values = (a, b)`
  kInt,
  kFloat,
  kBool,
  kString,
  kInts,
  kFloats,
  kBools,
};
constexpr bool IsTensorKind(ParameterKind kind) { return kind <= ParameterKind::kTensorList; }
std::string_view ParameterKindName(ParameterKind kind);

enum class Need : uint8_t { kRequired, kOptional };

// The meaning of an absent optional parameter. It is a value, or only a description if the value
// depends on the rank or on other operands. Code that reads the parameter passes the same value as
// the fallback of an accessor of NodeView.
struct Default {
  enum class Form : uint8_t { kNone, kNumber, kName, kWords };
  Form form = Form::kNone;
  double number = 0;      // kNumber: the value, or each element of a list; a bool is 0 or 1
  std::string_view text;  // kName: the name; kWords: a description; kNumber: its meaning, or empty

  static constexpr Default Number(double value, std::string_view meaning = {}) {
    return {Form::kNumber, value, meaning};
  }
  static constexpr Default Flag(bool flag) { return Number(flag ? 1 : 0); }
  static constexpr Default Name(std::string_view name) { return {Form::kName, 0, name}; }
  static constexpr Default Words(std::string_view words) { return {Form::kWords, 0, words}; }
};

struct Parameter {
  std::string_view name;  // MIL's argument name
  ParameterKind kind = ParameterKind::kTensor;
  Need need = Need::kRequired;
  // Tensor kinds: the accepted element types.
  DTypeSet dtypes = {DType::kFp16};
  // Tensor kinds: whether the operand must be a constant or computed from constants alone, so that
  // it is known when the graph is compiled (a weight, a bias, a table).
  bool constant = false;
  // Float attributes: whether MIL writes them in the element type of the first tensor input.
  // Otherwise MIL writes them in fp32 (facts/more/mil_text_forms.csv).
  bool float_follows_input = true;
  // Whether MIL requires this integer attribute as uint32.
  bool unsigned_integer = false;
  // Whether MIL writes this list attribute as a tuple of scalars, `begins = (a, b)`, instead of a
  // tensor.
  bool tuple = false;
  // Whether MIL writes this integer list attribute as a tensor [n, 2]. A graph has the tensor's
  // entries in row-major order.
  bool pairs = false;
  // Integer lists: whether MIL writes them in uint32. Otherwise MIL writes them in int32.
  bool unsigned_integers = false;
  // String attributes: the accepted spellings. An empty list accepts any spelling.
  std::span<const std::string_view> choices = {};
  Default fallback = {};
};

// Returns the meaning of the absent parameter for people, such as "1e-05", "true", "1 on every
// axis" or "valid". Empty if there is none.
std::string DefaultText(const Parameter& parameter);

// The result types of one node, at most kMaxResults.
class ResultTypes {
 public:
  static constexpr size_t kMaxResults = 64;
  // Does not initialise the types. Most nodes have one result, and initialising sixty-four types
  // takes longer than generating a node.
  ResultTypes() {}  // NOLINT(modernize-use-equals-default): that would be deleted
  void Add(DType dtype, const Shape& shape) {
    if (count_ < kMaxResults) std::construct_at(types_ + count_++, TensorType{dtype, shape});
  }
  size_t size() const { return count_; }
  // Precondition: i < size().
  const TensorType& operator[](size_t i) const { return types_[i]; }

 private:
  union {
    TensorType types_[kMaxResults];
  };
  size_t count_ = 0;
};

struct OpSchema {
  std::string_view name;  // MIL's operation name
  uint16_t id = 0;        // index in the operation table, set by harness/ops/ops.def's order
  std::span<const Parameter> parameters;
  // Computes the result types from the arguments and attributes. The function must be pure. It is
  // called only if every required parameter is present and every dtype is accepted.
  Status (*infer)(const NodeView& node, ResultTypes& results) = nullptr;
  // Names of the nested blocks of the operation (cond: true_fn, false_fn); usually none.
  std::span<const std::string_view> blocks = {};
  // False for operations that only change a state (write_state) and have no result.
  bool has_results = true;

  // Returns the index of the parameter called `parameter`, or -1.
  int FindParameter(std::string_view parameter) const {
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].name == parameter) return static_cast<int>(i);
    }
    return -1;
  }
};

// A set of operations by name. The project's set is in harness/ops.
class Vocabulary {
 public:
  virtual ~Vocabulary() = default;
  // Returns the schema of the operation `name`, or null.
  virtual const OpSchema* Find(std::string_view name) const = 0;
  // Returns the reason why a known operation has no schema; empty for all other names.
  virtual std::string_view ReasonWithout(std::string_view /*name*/) const { return {}; }
};

}  // namespace anecheck
