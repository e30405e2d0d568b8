// The parser behind Expression::Parse.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "oracles/legality/expression.h"

namespace anecheck::legality {

// Parses one text by recursive descent. Errors give the byte offset in this text.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}
  Result<Expression> Run();

 private:
  using Operator = Expression::Operator;

  Result<size_t> Or();
  Result<size_t> And();
  Result<size_t> Not();
  Result<size_t> Comparison();
  Result<size_t> Sum();
  Result<size_t> Term();
  Result<size_t> Unary();
  Result<size_t> Primary();
  size_t List(std::vector<size_t> items);
  Result<size_t> Number();
  Result<size_t> Quoted();
  Result<size_t> NameOrCall();
  // Parses comma-separated expressions up to `close`.
  Result<std::vector<size_t>> Items(char close);

  void SkipSpace();
  // Skips `symbol`, a symbol or a word, and returns true if it comes next.
  bool Take(std::string_view symbol);
  size_t Add(Operator operation, std::vector<size_t> operands);
  size_t AddLiteral(Value value);
  Error Bad(std::string_view what) const;

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  Expression expression_;
};

Result<Expression> ParseExpression(std::string_view text);

}  // namespace anecheck::legality
