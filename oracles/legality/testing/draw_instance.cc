#include "oracles/legality/testing/draw_instance.h"

#include <algorithm>

#include "harness/graph/types.h"

namespace anecheck::legality {
namespace {

bool Speaks(const Rule& rule, const CatalogueRow& row) {
  return std::any_of(rule.subjects.begin(), rule.subjects.end(), [&](const std::string& subject) {
    return subject == "*" || subject == row.name || subject == row.native_layer;
  });
}

}  // namespace

InstanceDrawer::InstanceDrawer(const Rules& rules, std::string_view subject, uint64_t seed)
    : subject_(subject), random_(seed) {
  const CatalogueRow& row = *rules.Find(subject);
  for (const Rule& rule : rules.rules()) {
    if (!Speaks(rule, row)) continue;
    Focus focus;
    Collect(rule.when, rules, focus);
    const bool own = rule.subjects.front() != "*";
    (own ? own_rules_ : common_rules_).push_back(std::move(focus));
  }
}

void InstanceDrawer::Collect(const Expression& expression, const Rules& rules, Focus& focus) {
  for (const Value& literal : expression.Literals()) {
    const auto number = static_cast<int64_t>(literal.number);
    if (literal.is(Value::Kind::kNumber)) {
      focus.numbers.insert(focus.numbers.end(), {number, number + 1});
    }
    if (literal.is(Value::Kind::kText)) focus.texts.push_back(literal.text);
  }
  for (const std::string& name : expression.Names()) {
    const Expression* definition = rules.Definition(name);
    if (definition == nullptr) focus.names.insert(name);
    if (definition != nullptr) Collect(*definition, rules, focus);
  }
}

Value InstanceDrawer::DrawValue(const Focus& focus) {
  switch (Below(6)) {
    case 0:
      return Value::Bool(Below(2) == 0);
    case 1: {
      std::vector<Value> list(Below(7));
      for (Value& item : list) item = Value::Number(static_cast<double>(DrawNumber(focus)));
      return Value::List(std::move(list));
    }
    case 2:
      return Value::Number(-static_cast<double>(DrawNumber(focus)));
    case 3:
      return Value::Number(static_cast<double>(DrawNumber(focus)));
    default:
      return Value::Text(Pick(focus.texts));
  }
}

Operand InstanceDrawer::DrawOperand(size_t position, const Focus& focus) {
  constexpr const char* kNames[] = {"x", "weight", "y", "mask", "bias", "z"};
  Operand operand{kNames[position], "fp16", {}, Below(2) == 0};
  const std::string& text = Pick(focus.texts);
  if (Below(4) == 0 && DTypeFromName(text)) operand.dtype = text;
  if (Below(8) == 0) operand.dtype = "fp8e4m3fn";
  const size_t rank = Below(6);
  for (size_t axis = 0; axis < rank; ++axis) {
    operand.shape.push_back(Below(2) == 0 ? DrawNumber(focus) : static_cast<int64_t>(Below(9)) + 1);
  }
  return operand;
}

Instance InstanceDrawer::Draw() {
  Instance instance;
  instance.op = subject_;
  const bool own = !own_rules_.empty() && Below(4) != 0;
  const std::vector<Focus>& rules = own ? own_rules_ : common_rules_;
  const Focus& focus = rules[Below(rules.size())];
  const size_t count = Below(7);
  for (size_t i = 0; i < count; ++i) instance.operands.push_back(DrawOperand(i, focus));
  for (const std::string& name : focus.names) {
    if (Below(4) != 0) instance.attributes.insert_or_assign(name, DrawValue(focus));
  }
  return instance;
}

}  // namespace anecheck::legality
