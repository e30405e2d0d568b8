// The language of the rules: values, precedence, and what absent and unknown do to a condition.
#include "oracles/legality/expression.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

namespace anecheck::legality {
namespace {

// The names a, b are absent, u is unknown, n is 7, t is the text "wide"; twice(x) is 2x.
class TestScope : public Scope {
 public:
  Value Name(std::string_view name) const override {
    if (name == "u") return Value::Unknown("no source gives u");
    if (name == "n") return Value::Number(7);
    if (name == "t") return Value::Text("wide");
    return Value::Absent(std::string(name));
  }
  Value Call(std::string_view function, std::span<const Value> arguments) const override {
    if (function == "twice") return Value::Number(2 * arguments[0].number);
    return Value::Unknown("expression: no function");
  }
};

Value Of(std::string_view text) {
  const auto expression = Expression::Parse(text);
  EXPECT_TRUE(expression.ok()) << text << ": " << expression.error().message;
  return expression.ok() ? expression->Evaluate(TestScope()) : Value::Absent("");
}

TEST(Expression, HasTheUsualPrecedence) {
  EXPECT_EQ(Of("1 + 2 * 3"), Value::Number(7));
  EXPECT_EQ(Of("(1 + 2) * 3"), Value::Number(9));
  EXPECT_EQ(Of("10 - 3 - 2"), Value::Number(5));
  EXPECT_EQ(Of("7 / 2"), Value::Number(3));
  EXPECT_EQ(Of("-7 % 4 + 0x10"), Value::Number(13));
  EXPECT_EQ(Of("not 1 == 2 and 2 < 3 or false"), Value::Bool(true));
  EXPECT_EQ(Of("n >= 7 and n <= 7 and n != 8 and not (n > 7)"), Value::Bool(true));
}

TEST(Expression, KnowsListsAndTexts) {
  EXPECT_EQ(Of("t in ['narrow', 'wide']"), Value::Bool(true));
  EXPECT_EQ(Of("max([3, 9, 4]) + min([3, 9, 4]) + product([2, 5]) + length([1, 1])"),
            Value::Number(24));
  EXPECT_EQ(Of("at([5, 6, 7], -1)"), Value::Number(7));
  EXPECT_TRUE(Of("at([5, 6, 7], 3)").is(Value::Kind::kAbsent));
  EXPECT_EQ(Of("subset(['a'], ['a', 'b']) and not subset(['c'], ['a'])"), Value::Bool(true));
  EXPECT_EQ(Of("any_above([1, 5], 4) and not any_above([1, 5], 5)"), Value::Bool(true));
  EXPECT_EQ(Of("[1, 'x', true]").ToString(), "[1, x, true]");
}

// facts/limits.csv, stride_factor_list.
TEST(Expression, FactorsInto) {
  for (const int good : {1, 2, 3, 4, 6, 8, 12, 24, 27}) {
    EXPECT_EQ(Of("factors_into([2, 3, 4, 8], " + std::to_string(good) + ")"), Value::Bool(true));
  }
  for (const int bad : {0, 5, 7, 10, 11}) {
    EXPECT_EQ(Of("factors_into([2, 3, 4, 8], " + std::to_string(bad) + ")"), Value::Bool(false));
  }
}

TEST(Expression, MissingValuesSettleNothingAndHideNothing) {
  EXPECT_EQ(Of("false and u"), Value::Bool(false));
  EXPECT_EQ(Of("u and false"), Value::Bool(false));
  EXPECT_EQ(Of("true or a"), Value::Bool(true));
  EXPECT_TRUE(Of("true and u").is(Value::Kind::kUnknown));
  EXPECT_EQ(Of("true and u").text, "no source gives u");
  EXPECT_TRUE(Of("false or a").is(Value::Kind::kAbsent));
  EXPECT_TRUE(Of("u and a").is(Value::Kind::kAbsent));
  EXPECT_TRUE(Of("not u").is(Value::Kind::kUnknown));
  EXPECT_TRUE(Of("u + 1 > 2").is(Value::Kind::kUnknown));
  EXPECT_TRUE(Of("1 / 0").is(Value::Kind::kAbsent));
  EXPECT_EQ(Of("given(a)"), Value::Bool(false));
  EXPECT_EQ(Of("given(u)"), Value::Bool(true));
  EXPECT_EQ(Of("first(a, b, n)"), Value::Number(7));
  EXPECT_TRUE(Of("first(a, u, n)").is(Value::Kind::kUnknown));
  EXPECT_TRUE(Of("first(a, b)").is(Value::Kind::kAbsent));
  EXPECT_EQ(Of("first(a, b)").text, "a");
  EXPECT_EQ(Of("choose(true, n, u)"), Value::Number(7));
  EXPECT_EQ(Of("choose(n == 8, a, n)"), Value::Number(7));
  EXPECT_TRUE(Of("a == u").is(Value::Kind::kAbsent));
  EXPECT_TRUE(Of("u == a").is(Value::Kind::kAbsent));
  EXPECT_TRUE(Of("u == 1").is(Value::Kind::kUnknown));
  EXPECT_TRUE(Of("choose(u, 1, 2)").is(Value::Kind::kUnknown));
}

TEST(Expression, CallsTheScopeAndSaysWhatItHolds) {
  const auto expression = Expression::Parse("twice(n) > 13 and limit == 'x'");
  ASSERT_TRUE(expression.ok());
  EXPECT_EQ(expression->Names(), (std::vector<std::string>{"n", "limit"}));
  EXPECT_EQ(expression->ScopeFunctions(), std::vector<std::string>{"twice"});
  EXPECT_EQ(expression->Literals(), (std::vector<Value>{Value::Number(13), Value::Text("x")}));
  EXPECT_EQ(Expression::Parse("n in [1, ['x', n]]")->Literals(),
            (std::vector<Value>{Value::Number(1), Value::Text("x")}));
  EXPECT_EQ(Of("twice(n) > 13"), Value::Bool(true));
}

TEST(Expression, AWrongKindIsUnknownAndSaysSo) {
  for (const char* text : {"t + 1", "not t", "1 in 2", "max(3)", "t and true", "nothing(1)"}) {
    EXPECT_TRUE(Of(text).text.starts_with("expression:")) << text;
  }
}

TEST(Expression, ErrorsGiveTheirPlace) {
  for (const char* text : {"", "1 +", "(1", "[1", "'x", "1 2", "f(1", "a $ b", "f(1 2)"}) {
    const auto expression = Expression::Parse(text);
    ASSERT_FALSE(expression.ok()) << text;
    EXPECT_EQ(expression.error().code, ErrorCode::kMalformed);
  }
  EXPECT_FALSE(Expression::Parse(std::string(1000, '(')).ok());
}

RC_GTEST_PROP(ExpressionProperty, AnyTextParsesOrFails, (const std::string& text)) {
  const auto expression = Expression::Parse(text);
  const bool explained = expression.ok() ? !expression->Evaluate(TestScope()).ToString().empty() ||
                                               expression->Evaluate(TestScope()).text.empty()
                                         : !expression.error().message.empty();
  RC_ASSERT(explained);
}

TEST(Templates, FillAndShowWhatIsMissing) {
  const auto text = Template::Parse("width {n}, depth {a}, {twice(n)} in all");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text->Fill(TestScope()), "width 7, depth ?, 14 in all");
  EXPECT_FALSE(Template::Parse("open {n").ok());
  EXPECT_FALSE(Template::Parse("{1 +}").ok());
}

}  // namespace
}  // namespace anecheck::legality
