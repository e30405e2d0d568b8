// Tests the language of the rules: values, precedence, and the effect of absent and unknown values
// on a condition.
#include "oracles/legality/expression.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

namespace anecheck::legality {
namespace {

// The names a and b are absent, u and v are unknown, n is 7, h is 2.5, and t is the text "wide".
// twice(x) is 2x, difference(x, y) is x - y, and count(...) is the number of its arguments.
class TestScope : public Scope {
 public:
  Value Name(std::string_view name) const override {
    if (name == "u" || name == "v") {
      return Value::Unknown("no source gives " + std::string(name));
    }
    if (name == "h") return Value::Number(2.5);
    if (name == "n") return Value::Number(7);
    if (name == "t") return Value::Text("wide");
    return Value::Absent(std::string(name));
  }
  Value Call(std::string_view function, std::span<const Value> arguments) const override {
    if (function == "twice") return Value::Number(2 * arguments[0].number);
    if (function == "count") return Value::Number(static_cast<double>(arguments.size()));
    if (function == "difference") {
      return Value::Number(arguments[0].number - arguments[1].number);
    }
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

// In each case an error of 1 in a number would give the other answer.
TEST(Expression, ComparesAtTheBorder) {
  for (const char* text :
       {"2 <= 2",           "2 >= 2",   "1 < 2",     "2 > 1",      "1 <= 2",     "2 >= 1",
        "2 == 2",           "1 != 2",   "true == 1", "'a' == 'a'", "'a' != 'b'", "'1' != 1",
        "[1, 2] == [1, 2]", "n == n",   "3 and 2",   "0 or 3",     "not 0",      "not false",
        "1 in[1]",          "true or t"}) {
    EXPECT_EQ(Of(text), Value::Bool(true)) << text;
  }
  for (const char* text :
       {"2 < 2", "2 > 2", "2 < 1", "1 > 2", "2 <= 1", "1 >= 2", "1 == 2", "2 != 2", "'a' == 'b'",
        "'a' != 'a'", "'1' == 1", "3 and 0", "0 or 0", "not 3", "3 in [1, 2]", "false and t"}) {
    EXPECT_EQ(Of(text), Value::Bool(false)) << text;
  }
}

TEST(Expression, DividesTowardsMinusInfinity) {
  EXPECT_EQ(Of("-7 / 2"), Value::Number(-4));
  EXPECT_EQ(Of("0 / 1"), Value::Number(0));
  EXPECT_EQ(Of("7 % 4"), Value::Number(3));
  EXPECT_EQ(Of("0 % 1"), Value::Number(0));
  EXPECT_EQ(Of("7 % 0").text, "a divisor other than 0");
  EXPECT_EQ(Of("7 / 0").text, "a divisor other than 0");
  EXPECT_EQ(Of("n - 8"), Value::Number(-1));
  EXPECT_EQ(Of("8 - n"), Value::Number(1));
  EXPECT_EQ(Of("n - n"), Value::Number(0));
  EXPECT_EQ(Of("-n + 3 * n"), Value::Number(14));
}

TEST(Expression, FoldsAndIndexesLists) {
  EXPECT_EQ(Of("max([3, 9, 4])"), Value::Number(9));
  EXPECT_EQ(Of("max([4])"), Value::Number(4));
  EXPECT_EQ(Of("min([3, 9, 1])"), Value::Number(1));
  EXPECT_EQ(Of("product([2, 3, 5])"), Value::Number(30));
  EXPECT_EQ(Of("length([9, 9, 9])"), Value::Number(3));
  EXPECT_EQ(Of("product([])"), Value::Number(1));
  EXPECT_EQ(Of("length([])"), Value::Number(0));
  EXPECT_EQ(Of("max([])").text, "an element of the list");
  EXPECT_EQ(Of("max([true, n])"), Value::Number(7));
  EXPECT_EQ(Of("at([5, 6, 7], 0)"), Value::Number(5));
  EXPECT_EQ(Of("at([5, 6, 7], 2)"), Value::Number(7));
  EXPECT_EQ(Of("at([5, 6, 7], -3)"), Value::Number(5));
  EXPECT_EQ(Of("at([5, 6, 7], -4)").text, "an element of the list");
  EXPECT_EQ(Of("[1, n]"), Value::List({Value::Number(1), Value::Number(7)}));
  EXPECT_EQ(Of("subset([1, 3], [1, 2])"), Value::Bool(false));
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

// Source: facts/limits.csv, stride_factor_list.
TEST(Expression, FactorsInto) {
  for (const int good : {1, 2, 3, 4, 6, 8, 12, 24, 27}) {
    EXPECT_EQ(Of("factors_into([2, 3, 4, 8], " + std::to_string(good) + ")"), Value::Bool(true));
  }
  for (const int bad : {0, 5, 7, 10, 11}) {
    EXPECT_EQ(Of("factors_into([2, 3, 4, 8], " + std::to_string(bad) + ")"), Value::Bool(false));
  }
  EXPECT_EQ(Of("factors_into([1, 2], 8)"), Value::Bool(true)) << "a factor of 1 divides nothing";
  EXPECT_EQ(Of("factors_into([1], 8)"), Value::Bool(false));
  EXPECT_EQ(Of("factors_into([h], h)"), Value::Bool(false)) << "only whole numbers have factors";
}

TEST(Expression, TheResultIsMissingIfAMissingValueDecidesIt) {
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

// A missing value has the reason of the first absent value, else of the first unknown value.
TEST(Expression, TheReasonIsThatOfTheFirstAbsentValue) {
  for (const char* text : {"[u, a, b]", "twice([u, a])", "u or a", "a or u", "a and u", "u and a",
                           "u + a", "a + u", "a == b", "count(u, a, b)", "not a", "-a", "a and b",
                           "choose(a, 1, 2)", "true and a and u"}) {
    EXPECT_EQ(Of(text), Value::Absent("a")) << text;
  }
  for (const char* text : {"[1, u, v]", "u or v", "u and v", "u + v", "1 + u", "u + 1", "u == v",
                           "count(u, v)", "1 in u", "-u", "not u", "first(a, u, 1)"}) {
    EXPECT_EQ(Of(text), Value::Unknown("no source gives u")) << text;
  }
  EXPECT_EQ(Of("a or true"), Value::Bool(true));
  EXPECT_EQ(Of("a and false"), Value::Bool(false));
}

TEST(Expression, CallsTakeAllOfTheirArguments) {
  EXPECT_EQ(Of("count()"), Value::Number(0));
  EXPECT_EQ(Of("count(5)"), Value::Number(1));
  EXPECT_EQ(Of("count(5, n)"), Value::Number(2));
  EXPECT_EQ(Of("twice(3)"), Value::Number(6));
  EXPECT_EQ(Of("twice(1 + 2)"), Value::Number(6));
  EXPECT_EQ(Of("n - twice(3)"), Value::Number(1));
  EXPECT_EQ(Of("difference(9, n)"), Value::Number(2));
  EXPECT_EQ(Of("first(a, n)"), Value::Number(7));
  EXPECT_EQ(Of("first(n, 3)"), Value::Number(7));
  EXPECT_EQ(Of("first(a, n, 3)"), Value::Number(7));
  EXPECT_EQ(Of("choose(false, a, n)"), Value::Number(7));
}

TEST(Expression, NamesOnlyTheFunctionsOfItsScope) {
  const auto expression =
      Expression::Parse("given(max([twice(n)])) and subset([1], [at([1], 0)]) or count() == 1");
  ASSERT_TRUE(expression.ok());
  EXPECT_EQ(expression->ScopeFunctions(), (std::vector<std::string>{"twice", "count"}));
  EXPECT_EQ(Expression::Parse("n in [1, 2]")->Literals(),
            (std::vector<Value>{Value::Number(1), Value::Number(2)}));
}

TEST(Expression, ValuesHaveTheTextOfMessages) {
  EXPECT_EQ(Of("n").ToString(), "7");
  EXPECT_EQ(Of("h").ToString(), "2.5");
  EXPECT_EQ(Of("-n").ToString(), "-7");
  EXPECT_EQ(Of("n == 7").ToString(), "true");
  EXPECT_EQ(Of("n == 8").ToString(), "false");
  EXPECT_EQ(Of("[]").ToString(), "[]");
  EXPECT_EQ(Of("[1, [2, t]]").ToString(), "[1, [2, wide]]");
  EXPECT_EQ(Of("a").ToString(), "?");
  EXPECT_EQ(Of("u").ToString(), "?");
  EXPECT_EQ(Value::Number(1e16).ToString(), "1e+16");
}

TEST(Expression, CallsTheScopeAndListsItsParts) {
  const auto expression = Expression::Parse("twice(n) > 13 and limit == 'x'");
  ASSERT_TRUE(expression.ok());
  EXPECT_EQ(expression->Names(), (std::vector<std::string>{"n", "limit"}));
  EXPECT_EQ(expression->ScopeFunctions(), std::vector<std::string>{"twice"});
  EXPECT_EQ(expression->Literals(), (std::vector<Value>{Value::Number(13), Value::Text("x")}));
  EXPECT_EQ(Expression::Parse("n in [1, ['x', n]]")->Literals(),
            (std::vector<Value>{Value::Number(1), Value::Text("x")}));
  EXPECT_EQ(Of("twice(n) > 13"), Value::Bool(true));
}

TEST(Expression, AValueOfTheWrongKindIsUnknownWithAReason) {
  for (const char* text : {"t + 1",
                           "1 + t",
                           "t < 'x'",
                           "not t",
                           "-t",
                           "not [1]",
                           "1 in 2",
                           "t in t",
                           "max(3)",
                           "max([t])",
                           "max([1, t])",
                           "t and true",
                           "true and t",
                           "t or true",
                           "[1] and true",
                           "subset(1, [1])",
                           "subset([1], 1)",
                           "at(1, 0)",
                           "at([1], t)",
                           "any_above(1, 1)",
                           "any_above([t], 1)",
                           "factors_into(2, 4)",
                           "nothing(1)"}) {
    EXPECT_TRUE(Of(text).text.starts_with("expression:")) << text;
  }
  for (const char* few : {"choose(true, 1)", "at([1])", "subset([1])", "any_above([1])", "max()",
                          "given()", "first()"}) {
    const std::string name(few, std::string_view(few).find('('));
    EXPECT_EQ(Of(few), Value::Unknown("expression: wrong kind of operand of " + name)) << few;
  }
}

TEST(Expression, ErrorsGiveTheirPlace) {
  for (const char* text : {"", "1 +", "(1", "[1", "'x", "1 2", "f(1", "a $ b", "f(1 2)"}) {
    const auto expression = Expression::Parse(text);
    ASSERT_FALSE(expression.ok()) << text;
    EXPECT_EQ(expression.error().code, ErrorCode::kMalformed);
  }
  EXPECT_FALSE(Expression::Parse(std::string(1000, '(')).ok());
  const auto late = Expression::Parse("n + $");
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().message, "expression \"n + $\": unexpected character at 4");
}

TEST(Expression, ReadsNothingPastItsText) {
  const auto parse = [](std::string_view text, size_t length) {
    const auto expression = Expression::Parse(text.substr(0, length));
    return expression.ok() ? std::string("parsed") : expression.error().message;
  };
  EXPECT_EQ(parse("n ", 1), "parsed");
  EXPECT_EQ(parse("nm", 1), "parsed");
  EXPECT_EQ(parse("n   ", 2), "parsed");
  EXPECT_EQ(parse("1 +2", 3), "expression \"1 +\": an operand is missing at 3");
  EXPECT_EQ(parse("notx", 3), "expression \"not\": an operand is missing at 3");
}

TEST(Expression, NestsSixtyThreeGroups) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '(') + "n" + std::string(depth, ')');
  };
  EXPECT_EQ(Of(nested(63)), Value::Number(7));
  EXPECT_FALSE(Expression::Parse(nested(64)).ok());
  std::string side_by_side = "n";
  for (int i = 0; i < 200; ++i) side_by_side += " + (0)";
  EXPECT_EQ(Of(side_by_side), Value::Number(7));
}

TEST(Expression, WordsAndNumbersEndAtTheirLastCharacter) {
  const auto names = [](std::string_view text) { return Expression::Parse(text)->Names(); };
  EXPECT_EQ(names("notable or order and android"),
            (std::vector<std::string>{"notable", "order", "android"}));
  EXPECT_EQ(names("truer == falsehood + a_b2"),
            (std::vector<std::string>{"truer", "falsehood", "a_b2"}));
  EXPECT_EQ(Of("0x1F"), Value::Number(31));
  EXPECT_EQ(Of(" ( 1 ) "), Value::Number(1));
  for (const char* bad : {"n inner", "n orb", "0x", "12ab", "18446744073709551616", "[1,]", "[1 2]",
                          "f(,)", "(1]", "not", "-", "n in"}) {
    EXPECT_FALSE(Expression::Parse(bad).ok()) << bad;
  }
}

RC_GTEST_PROP(ExpressionProperty, AnyTextParsesOrFails, (const std::string& text)) {
  const auto expression = Expression::Parse(text);
  const bool explained = expression.ok() ? !expression->Evaluate(TestScope()).ToString().empty() ||
                                               expression->Evaluate(TestScope()).text.empty()
                                         : !expression.error().message.empty();
  RC_ASSERT(explained);
}

TEST(Templates, FillAndShowMissingValues) {
  const auto text = Template::Parse("width {n}, depth {a}, {twice(n)} in all");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text->Fill(TestScope()), "width 7, depth ?, 14 in all");
  EXPECT_EQ(text->text(), "width {n}, depth {a}, {twice(n)} in all");
  EXPECT_EQ(Template::Parse("{n}{t}")->Fill(TestScope()), "7wide");
  EXPECT_EQ(Template::Parse("plain")->Fill(TestScope()), "plain");
  EXPECT_EQ(Template::Parse("")->Fill(TestScope()), "");
  EXPECT_FALSE(Template::Parse("open {n").ok());
  EXPECT_FALSE(Template::Parse("{1 +}").ok());
}

}  // namespace
}  // namespace anecheck::legality
