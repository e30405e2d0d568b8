#include "oracles/legality/expression_parser.h"

#include <cctype>
#include <charconv>
#include <fmt/format.h>

namespace anecheck::legality {
namespace {

constexpr int kMaxDepth = 64;

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

Result<Expression> ParseExpression(std::string_view text) { return ExpressionParser(text).Run(); }

Result<Expression> ExpressionParser::Run() {
  ANECHECK_ASSIGN(expression_.root_, Or());
  if (at_ != text_.size()) return Bad("unexpected text");
  return std::move(expression_);
}

Error ExpressionParser::Bad(std::string_view what) const {
  return MakeError(ErrorCode::kMalformed,
                   fmt::format("expression \"{}\": {} at {}", text_, what, at_), at_);
}

void ExpressionParser::SkipSpace() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
}

bool ExpressionParser::Take(std::string_view symbol) {
  SkipSpace();
  if (!text_.substr(at_).starts_with(symbol)) return false;
  const size_t end = at_ + symbol.size();
  if (IsWord(symbol.back()) && end < text_.size() && IsWord(text_[end])) return false;
  at_ = end;
  return true;
}

size_t ExpressionParser::Add(Operator operation, std::vector<size_t> operands) {
  expression_.nodes_.push_back({operation, {}, {}, std::move(operands)});
  return expression_.nodes_.size() - 1;
}

size_t ExpressionParser::AddLiteral(Value value) {
  expression_.nodes_.push_back({Operator::kLiteral, std::move(value), {}, {}});
  return expression_.nodes_.size() - 1;
}

Result<size_t> ExpressionParser::Or() {
  if (++depth_ > kMaxDepth) return Bad("too many nested groups");
  ANECHECK_ASSIGN(size_t left, And());
  while (Take("or")) {
    ANECHECK_ASSIGN(const size_t right, And());
    left = Add(Operator::kOr, {left, right});
  }
  --depth_;
  return left;
}

Result<size_t> ExpressionParser::And() {
  ANECHECK_ASSIGN(size_t left, Not());
  while (Take("and")) {
    ANECHECK_ASSIGN(const size_t right, Not());
    left = Add(Operator::kAnd, {left, right});
  }
  return left;
}

Result<size_t> ExpressionParser::Not() {
  if (!Take("not")) return Comparison();
  ANECHECK_ASSIGN(const size_t operand, Comparison());
  return Add(Operator::kNot, {operand});
}

Result<size_t> ExpressionParser::Comparison() {
  ANECHECK_ASSIGN(const size_t left, Sum());
  constexpr std::pair<std::string_view, Operator> kSymbols[] = {
      {"==", Operator::kEqual},     {"!=", Operator::kNotEqual},
      {"<=", Operator::kLessEqual}, {">=", Operator::kGreaterEqual},
      {"<", Operator::kLess},       {">", Operator::kGreater},
      {"in", Operator::kIn}};
  for (const auto& [symbol, operation] : kSymbols) {
    if (!Take(symbol)) continue;
    ANECHECK_ASSIGN(const size_t right, Sum());
    return Add(operation, {left, right});
  }
  return left;
}

Result<size_t> ExpressionParser::Sum() {
  ANECHECK_ASSIGN(size_t left, Term());
  while (true) {
    const bool add = Take("+");
    if (!add && !Take("-")) return left;
    ANECHECK_ASSIGN(const size_t right, Term());
    left = Add(add ? Operator::kAdd : Operator::kSubtract, {left, right});
  }
}

Result<size_t> ExpressionParser::Term() {
  ANECHECK_ASSIGN(size_t left, Unary());
  constexpr std::pair<std::string_view, Operator> kSymbols[] = {
      {"*", Operator::kMultiply}, {"/", Operator::kDivide}, {"%", Operator::kRemainder}};
  while (true) {
    const auto* found = std::begin(kSymbols);
    while (found != std::end(kSymbols) && !Take(found->first)) ++found;
    if (found == std::end(kSymbols)) return left;
    ANECHECK_ASSIGN(const size_t right, Unary());
    left = Add(found->second, {left, right});
  }
}

Result<size_t> ExpressionParser::Unary() {
  if (!Take("-")) return Primary();
  ANECHECK_ASSIGN(const size_t operand, Primary());
  return Add(Operator::kNegate, {operand});
}

Result<size_t> ExpressionParser::Primary() {
  SkipSpace();
  if (at_ >= text_.size()) return Bad("an operand is missing");
  const char c = text_[at_];
  if (Take("(")) {
    ANECHECK_ASSIGN(const size_t group, Or());
    if (!Take(")")) return Bad("\")\" is missing");
    return group;
  }
  if (Take("[")) {
    ANECHECK_ASSIGN(std::vector<size_t> items, Items(']'));
    return List(std::move(items));
  }
  if (c == '\'') return Quoted();
  if (std::isdigit(static_cast<unsigned char>(c)) != 0) return Number();
  if (IsWord(c)) return NameOrCall();
  return Bad("unexpected character");
}

// Makes a list node. A list of literals is a literal.
size_t ExpressionParser::List(std::vector<size_t> items) {
  std::vector<Value> values;
  for (const size_t item : items) {
    if (expression_.nodes_[item].operation != Operator::kLiteral) {
      return Add(Operator::kList, std::move(items));
    }
    values.push_back(expression_.nodes_[item].literal);
  }
  return AddLiteral(Value::List(std::move(values)));
}

Result<size_t> ExpressionParser::Number() {
  const bool hexadecimal = text_.substr(at_).starts_with("0x");
  const char* begin = text_.data() + at_ + (hexadecimal ? 2 : 0);
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(begin, text_.data() + text_.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc()) return Bad("not a number");
  at_ = static_cast<size_t>(end - text_.data());
  return AddLiteral(Value::Number(static_cast<double>(value)));
}

Result<size_t> ExpressionParser::Quoted() {
  const size_t close = text_.find('\'', at_ + 1);
  if (close == std::string_view::npos) return Bad("a quote is open");
  std::string quoted(text_.substr(at_ + 1, close - at_ - 1));
  at_ = close + 1;
  return AddLiteral(Value::Text(std::move(quoted)));
}

Result<size_t> ExpressionParser::NameOrCall() {
  size_t end = at_;
  while (end < text_.size() && IsWord(text_[end])) ++end;
  std::string name(text_.substr(at_, end - at_));
  at_ = end;
  if (name == "true" || name == "false") return AddLiteral(Value::Bool(name == "true"));
  const bool call = Take("(");
  std::vector<size_t> arguments;
  if (call) {
    ANECHECK_ASSIGN(arguments, Items(')'));
  }
  expression_.nodes_.push_back(
      {call ? Operator::kCall : Operator::kName, {}, std::move(name), std::move(arguments)});
  return expression_.nodes_.size() - 1;
}

Result<std::vector<size_t>> ExpressionParser::Items(char close) {
  std::vector<size_t> items;
  const std::string_view end(&close, 1);
  if (Take(end)) return items;
  while (true) {
    ANECHECK_ASSIGN(const size_t item, Or());
    items.push_back(item);
    if (Take(end)) return items;
    if (!Take(",")) return Bad("\",\" is missing");
  }
}

}  // namespace anecheck::legality
