// The small language in which the legality tables state their conditions and texts: comparisons,
// arithmetic and three-valued logic over an instance, a target and a route. Only the rules of
// oracles/legality use the language. Because conditions are data, a rule can contain its source.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck::legality {

// A value, or the reason why there is no value. kAbsent: the instance does not contain the value
// (`text` names the missing fact). kUnknown: no source gives the value (`text` says why).
struct Value {
  enum class Kind : uint8_t { kAbsent, kUnknown, kNumber, kBool, kText, kList };

  Kind kind = Kind::kAbsent;
  double number = 0;  // kNumber; kBool as 0 or 1
  std::string text;   // kText, kAbsent, kUnknown
  std::vector<Value> list;

  static Value Absent(std::string what) { return {Kind::kAbsent, 0, std::move(what), {}}; }
  static Value Unknown(std::string why) { return {Kind::kUnknown, 0, std::move(why), {}}; }
  static Value Number(double number) { return {Kind::kNumber, number, {}, {}}; }
  static Value Bool(bool value) { return {Kind::kBool, value ? 1.0 : 0.0, {}, {}}; }
  static Value Text(std::string text) { return {Kind::kText, 0, std::move(text), {}}; }
  static Value List(std::vector<Value> list) { return {Kind::kList, 0, {}, std::move(list)}; }

  bool missing() const { return kind == Kind::kAbsent || kind == Kind::kUnknown; }
  bool is(Kind wanted) const { return kind == wanted; }
  // kBool or kNumber, and not 0.
  bool truth() const { return number != 0; }
  friend bool operator==(const Value&, const Value&) = default;
  // Returns the value as texts show it: whole numbers without a decimal point, lists in brackets.
  std::string ToString() const;
};

// The meanings of names and functions. Expression itself defines these functions: given(a),
// first(a, b, ...), choose(condition, a, b), max(list), min(list), product(list), length(list),
// at(list, i), subset(a, b), factors_into(list, n), any_above(list, n).
class Scope {
 public:
  virtual ~Scope() = default;
  virtual Value Name(std::string_view name) const = 0;
  virtual Value Call(std::string_view function, std::span<const Value> arguments) const = 0;
};

// A parsed expression. It is immutable, so threads may share it. The grammar:
//   a or b, a and b, not a, == != < <= > >= in, + - * / %, names, function(arguments), 'text',
//   numbers (also 0x...), [lists], (groups).
//
// `and` and `or` follow Kleene logic. For example, `false and unknown` is false.
class Expression {
 public:
  static Result<Expression> Parse(std::string_view text);

  // An operand of the wrong kind makes the value unknown, with a message that begins "expression:".
  Value Evaluate(const Scope& scope) const;

  // Names returns the names in the expression, Literals its numbers and texts. A generator of
  // instances near the limits of a rule uses both.
  std::vector<std::string> Names() const;
  std::vector<Value> Literals() const;
  // Returns the called functions that the scope defines. They exclude the functions of Expression.
  std::vector<std::string> ScopeFunctions() const;

 private:
  friend class ExpressionParser;
  enum class Operator : uint8_t {
    kLiteral,
    kName,
    kCall,
    kList,
    kOr,
    kAnd,
    kNot,
    kNegate,
    kEqual,
    kNotEqual,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kIn,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kRemainder,
  };
  struct Node {
    Operator operation = Operator::kLiteral;
    Value literal;     // kLiteral
    std::string name;  // kName, kCall
    std::vector<size_t> operands;
  };

  Value EvaluateNode(size_t index, const Scope& scope) const;
  Value EvaluateLogic(const Node& node, const Scope& scope) const;
  Value EvaluateBinary(const Node& node, const Scope& scope) const;
  Value EvaluateCall(const Node& node, const Scope& scope) const;

  std::vector<Node> nodes_;
  size_t root_ = 0;
};

// Text with expressions in braces: "tensor rank {max_rank()} exceeds". Immutable.
class Template {
 public:
  static Result<Template> Parse(std::string_view text);
  // Missing values are printed as "?".
  std::string Fill(const Scope& scope) const;
  const std::string& text() const { return text_; }

 private:
  struct Part {
    std::string literal;
    std::vector<Expression> expression;  // none or one
  };
  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace anecheck::legality
