#include "oracles/legality/expression.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "oracles/legality/expression_parser.h"

namespace anecheck::legality {
namespace {

using Kind = Value::Kind;

Value WrongKind(std::string_view where) {
  return Value::Unknown(fmt::format("expression: wrong kind of operand of {}", where));
}

// Returns the first absent argument, else the first unknown argument, else null. Absent takes
// precedence, because an instance that lacks an attribute is not judged.
const Value* Missing(std::span<const Value> values) {
  const Value* found = nullptr;
  for (const Value& value : values) {
    if (value.is(Kind::kAbsent)) return &value;
    if (value.is(Kind::kUnknown) && found == nullptr) found = &value;
  }
  return found;
}

bool IsNumber(const Value& value) { return value.is(Kind::kNumber) || value.is(Kind::kBool); }

bool AllNumbers(std::span<const Value> values) {
  return std::all_of(values.begin(), values.end(), IsNumber);
}

bool Contains(const Value& list, const Value& item) {
  return std::find(list.list.begin(), list.list.end(), item) != list.list.end();
}

// Whether n is a product of members of `factors`, each used any number of times.
bool FactorsInto(std::span<const Value> factors, double n) {
  if (n < 1 || n != std::floor(n)) return false;
  if (n == 1) return true;
  return std::any_of(factors.begin(), factors.end(), [&](const Value& factor) {
    return factor.number > 1 && std::fmod(n, factor.number) == 0 &&
           FactorsInto(factors, n / factor.number);
  });
}

Value Fold(std::string_view name, const Value& list) {
  if (!list.is(Kind::kList) || !AllNumbers(list.list)) return WrongKind(name);
  if (name == "length") return Value::Number(static_cast<double>(list.list.size()));
  if (list.list.empty()) {
    return name == "product" ? Value::Number(1) : Value::Absent("an element of the list");
  }
  double result = list.list.front().number;
  for (size_t i = 1; i < list.list.size(); ++i) {
    const double next = list.list[i].number;
    if (name == "product") result *= next;
    if (name == "max") result = std::max(result, next);
    if (name == "min") result = std::min(result, next);
  }
  return Value::Number(result);
}

Value ElementAt(const Value& list, double position) {
  const auto size = static_cast<double>(list.list.size());
  if (position < 0) position += size;
  if (position < 0 || position >= size) return Value::Absent("an element of the list");
  return list.list[static_cast<size_t>(position)];
}

Value ListFunction(std::string_view name, std::span<const Value> arguments) {
  if (name == "subset" && arguments[0].is(Kind::kList) && arguments[1].is(Kind::kList)) {
    return Value::Bool(std::all_of(arguments[0].list.begin(), arguments[0].list.end(),
                                   [&](const Value& v) { return Contains(arguments[1], v); }));
  }
  if (name == "at" && arguments[0].is(Kind::kList) && arguments[1].is(Kind::kNumber)) {
    return ElementAt(arguments[0], arguments[1].number);
  }
  if (name == "any_above" && arguments[0].is(Kind::kList) && AllNumbers(arguments[0].list)) {
    return Value::Bool(std::any_of(arguments[0].list.begin(), arguments[0].list.end(),
                                   [&](const Value& v) { return v.number > arguments[1].number; }));
  }
  if (name == "factors_into" && arguments[0].is(Kind::kList)) {
    return Value::Bool(FactorsInto(arguments[0].list, arguments[1].number));
  }
  return WrongKind(name);
}

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsFold(std::string_view name) { return IsOneOf(name, {"max", "min", "product", "length"}); }
bool IsListFunction(std::string_view name) {
  return IsOneOf(name, {"at", "subset", "factors_into", "any_above"});
}
// Whether the function evaluates only the arguments on which its value depends.
bool IsLazy(std::string_view name) { return IsOneOf(name, {"given", "first", "choose"}); }

size_t LeastArguments(std::string_view name) {
  if (name == "choose") return 3;
  if (IsListFunction(name)) return 2;
  return IsLazy(name) || IsFold(name) ? 1 : 0;
}

}  // namespace

std::string Value::ToString() const {
  switch (kind) {
    case Kind::kNumber:
      if (number == std::floor(number) && std::abs(number) < 9e15) {
        return fmt::format("{}", static_cast<int64_t>(number));
      }
      return fmt::format("{}", number);
    case Kind::kBool:
      return truth() ? "true" : "false";
    case Kind::kText:
      return text;
    case Kind::kList: {
      std::string joined;
      for (const Value& item : list) joined += (joined.empty() ? "" : ", ") + item.ToString();
      return "[" + joined + "]";
    }
    default:
      return "?";
  }
}

Result<Expression> Expression::Parse(std::string_view text) { return ParseExpression(text); }

Value Expression::Evaluate(const Scope& scope) const { return EvaluateNode(root_, scope); }

Value Expression::EvaluateNode(size_t index, const Scope& scope) const {
  const Node& node = nodes_[index];
  switch (node.operation) {
    case Operator::kLiteral:
      return node.literal;
    case Operator::kName:
      return scope.Name(node.name);
    case Operator::kCall:
      return EvaluateCall(node, scope);
    case Operator::kList: {
      std::vector<Value> items;
      for (const size_t operand : node.operands) items.push_back(EvaluateNode(operand, scope));
      if (const Value* missing = Missing(items)) return *missing;
      return Value::List(std::move(items));
    }
    case Operator::kOr:
    case Operator::kAnd:
      return EvaluateLogic(node, scope);
    case Operator::kNot:
    case Operator::kNegate: {
      const Value value = EvaluateNode(node.operands[0], scope);
      if (value.missing()) return value;
      if (!value.is(Kind::kBool) && !value.is(Kind::kNumber)) return WrongKind("not");
      return node.operation == Operator::kNot ? Value::Bool(!value.truth())
                                              : Value::Number(-value.number);
    }
    default:
      return EvaluateBinary(node, scope);
  }
}

Value Expression::EvaluateLogic(const Node& node, const Scope& scope) const {
  const bool decides = node.operation == Operator::kOr;  // the value that decides the result alone
  // The first absent value, else the first unknown value, as in Missing.
  Value missing = Value::Bool(!decides);
  for (const size_t operand : node.operands) {
    Value value = EvaluateNode(operand, scope);
    if (value.missing()) {
      if (!missing.missing() || (missing.is(Kind::kUnknown) && value.is(Kind::kAbsent))) {
        missing = std::move(value);
      }
      continue;
    }
    if (!value.is(Kind::kBool) && !value.is(Kind::kNumber)) return WrongKind("and/or");
    if (value.truth() == decides) return Value::Bool(decides);
  }
  return missing;
}

Value Expression::EvaluateBinary(const Node& node, const Scope& scope) const {
  Value held[2];
  // Returns a literal in place, and any other value in `held`.
  const auto operand = [&](size_t i) -> const Value& {
    const Node& of = nodes_[node.operands[i]];
    if (of.operation == Operator::kLiteral) return of.literal;
    held[i] = EvaluateNode(node.operands[i], scope);
    return held[i];
  };
  const Value& a = operand(0);
  const Value& b = operand(1);
  // Absent takes precedence over unknown, as in Missing.
  if (a.missing() && !(a.is(Kind::kUnknown) && b.is(Kind::kAbsent))) return a;
  if (b.missing()) return b;
  if (node.operation == Operator::kIn) {
    return b.is(Kind::kList) ? Value::Bool(Contains(b, a)) : WrongKind("in");
  }
  const bool numbers = IsNumber(a) && IsNumber(b);
  if (node.operation == Operator::kEqual || node.operation == Operator::kNotEqual) {
    const bool same = numbers ? a.number == b.number : a == b;
    return Value::Bool(same == (node.operation == Operator::kEqual));
  }
  if (!numbers) return WrongKind("arithmetic");
  switch (node.operation) {
    case Operator::kLess:
      return Value::Bool(a.number < b.number);
    case Operator::kLessEqual:
      return Value::Bool(a.number <= b.number);
    case Operator::kGreater:
      return Value::Bool(a.number > b.number);
    case Operator::kGreaterEqual:
      return Value::Bool(a.number >= b.number);
    case Operator::kAdd:
      return Value::Number(a.number + b.number);
    case Operator::kSubtract:
      return Value::Number(a.number - b.number);
    case Operator::kMultiply:
      return Value::Number(a.number * b.number);
    case Operator::kDivide:
      if (b.number == 0) return Value::Absent("a divisor other than 0");
      return Value::Number(std::floor(a.number / b.number));
    default:
      if (b.number == 0) return Value::Absent("a divisor other than 0");
      return Value::Number(std::fmod(a.number, b.number));
  }
}

Value Expression::EvaluateCall(const Node& node, const Scope& scope) const {
  const std::vector<size_t>& operands = node.operands;
  if (operands.size() < LeastArguments(node.name)) return WrongKind(node.name);
  if (IsLazy(node.name)) {
    Value value = EvaluateNode(operands[0], scope);
    if (node.name == "given") return Value::Bool(!value.is(Kind::kAbsent));
    if (node.name == "choose") {
      return value.missing() ? value : EvaluateNode(operands[value.truth() ? 1 : 2], scope);
    }
    for (size_t i = 1; i < operands.size() && value.is(Kind::kAbsent); ++i) {
      Value next = EvaluateNode(operands[i], scope);
      if (!next.is(Kind::kAbsent)) return next;
    }
    return value;
  }
  const bool of_list = IsFold(node.name) || IsListFunction(node.name);
  if (!of_list && operands.size() == 1 && nodes_[operands[0]].operation == Operator::kLiteral) {
    return scope.Call(node.name, {&nodes_[operands[0]].literal, 1});
  }
  std::vector<Value> arguments;
  arguments.reserve(operands.size());
  for (const size_t operand : operands) arguments.push_back(EvaluateNode(operand, scope));
  if (const Value* missing = Missing(arguments)) return *missing;
  if (IsFold(node.name)) return Fold(node.name, arguments[0]);
  if (IsListFunction(node.name)) return ListFunction(node.name, arguments);
  return scope.Call(node.name, arguments);
}

std::vector<std::string> Expression::Names() const {
  std::vector<std::string> names;
  for (const Node& node : nodes_) {
    if (node.operation == Operator::kName) names.push_back(node.name);
  }
  return names;
}

std::vector<Value> Expression::Literals() const {
  std::vector<Value> literals;
  // The members of a list are separate nodes.
  for (const Node& node : nodes_) {
    const bool single = node.operation == Operator::kLiteral && !node.literal.is(Kind::kList);
    if (single) literals.push_back(node.literal);
  }
  return literals;
}

std::vector<std::string> Expression::ScopeFunctions() const {
  std::vector<std::string> names;
  for (const Node& node : nodes_) {
    if (node.operation != Operator::kCall) continue;
    if (!IsLazy(node.name) && !IsFold(node.name) && !IsListFunction(node.name)) {
      names.push_back(node.name);
    }
  }
  return names;
}

Result<Template> Template::Parse(std::string_view text) {
  Template parsed;
  parsed.text_ = text;
  while (!text.empty()) {
    const size_t open = text.find('{');
    parsed.parts_.push_back({std::string(text.substr(0, open)), {}});
    if (open == std::string_view::npos) break;
    const size_t close = text.find('}', open);
    if (close == std::string_view::npos) {
      return MakeError(ErrorCode::kMalformed, fmt::format("\"{}\": a brace is open", parsed.text_));
    }
    ANECHECK_ASSIGN(Expression expression,
                    Expression::Parse(text.substr(open + 1, close - open - 1)));
    parsed.parts_.push_back({{}, {std::move(expression)}});
    text.remove_prefix(close + 1);
  }
  return parsed;
}

std::string Template::Fill(const Scope& scope) const {
  std::string filled;
  for (const Part& part : parts_) {
    filled +=
        part.expression.empty() ? part.literal : part.expression[0].Evaluate(scope).ToString();
  }
  return filled;
}

}  // namespace anecheck::legality
