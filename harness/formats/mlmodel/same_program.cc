#include "harness/formats/mlmodel/same_program.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "harness/formats/mil/printer.h"
#include "harness/formats/mil/reader.h"

namespace anecheck::mlmodel {
namespace {

using mil::TypeKind;
using mil::TypeView;
using mil::ValueKind;
using mil::ValueView;

// Returns T for tensor<T, []>, and any other type unchanged.
TypeView Plain(TypeView type) {
  const bool scalar = type.kind() == TypeKind::kTensor && type.dimensions().empty();
  return scalar ? type.element() : type;
}

bool SameDimensions(TypeView a, TypeView b) {
  const auto x = a.dimensions();
  const auto y = b.dimensions();
  if (x.size() != y.size()) return false;
  for (uint32_t i = 0; i < x.size(); ++i) {
    if (x[i].value != y[i].value) return false;
  }
  return true;
}

bool SameType(TypeView first, TypeView second) {
  const TypeView a = Plain(first);
  const TypeView b = Plain(second);
  if (a.kind() != b.kind() || a.spelling() != b.spelling() || !SameDimensions(a, b)) return false;
  const auto x = a.children();
  const auto y = b.children();
  if (x.size() != y.size()) return false;
  auto other = y.begin();
  for (const TypeView child : x) {
    if (!SameType(child, *other)) return false;
    ++other;
  }
  return true;
}

void LeavesOf(ValueView value, std::vector<ValueView>& leaves) {
  if (value.kind() != ValueKind::kList) {
    leaves.push_back(value.Inner());
    return;
  }
  for (const ValueView child : value.children()) LeavesOf(child, leaves);
}

bool SameStrings(ValueView a, ValueView b) {
  std::vector<ValueView> x, y;
  LeavesOf(a, x);
  LeavesOf(b, y);
  return std::ranges::equal(x, y, [](ValueView left, ValueView right) {
    const auto first = mil::ReadString(left);
    const auto second = mil::ReadString(right);
    return first.ok() && second.ok() && *first == *second;
  });
}

// Returns the children of a list, tuple or dictionary, without empty pairs.
std::vector<ValueView> Members(ValueView value) {
  std::vector<ValueView> members;
  for (const ValueView child : value.children()) {
    if (child.kind() == ValueKind::kPair && child.children().empty()) continue;
    members.push_back(child);
  }
  return members;
}

// Returns the type of a member. Each member of a tuple has its own type. All members of a list have
// the same type. For a dictionary returns `type`, because its pairs have the types.
TypeView MemberType(TypeView type, size_t index) {
  switch (type.kind()) {
    case TypeKind::kTuple:
      return index < type.children().size() ? type.children()[static_cast<uint32_t>(index)] : type;
    case TypeKind::kList:
      return type.element();
    default:
      return type;
  }
}

// Returns whether two values of one type are equal. A value may be written without its type.
bool SameValue(TypeView type, ValueView first, ValueView second) {
  if (first.kind() == ValueKind::kTyped) type = first.type();
  if (second.kind() == ValueKind::kTyped && !SameType(type, second.type())) return false;
  const ValueView a = first.Inner();
  const ValueView b = second.Inner();
  if (a.kind() == ValueKind::kBlobFile || b.kind() == ValueKind::kBlobFile) {
    const auto x = mil::ReadBlobReference(a);
    const auto y = mil::ReadBlobReference(b);
    return x.ok() && y.ok() && *x && *y && (*x)->path == (*y)->path && (*x)->offset == (*y)->offset;
  }
  const TypeView plain = Plain(type);
  if (plain.kind() == TypeKind::kScalar || plain.kind() == TypeKind::kTensor) {
    if (plain.data_type() == mil::DataType::kString) return SameStrings(a, b);
    const auto x = mil::ReadElementsAs(a, plain.data_type());
    const auto y = mil::ReadElementsAs(b, plain.data_type());
    return x.ok() && y.ok() && *x == *y;
  }
  const std::vector<ValueView> x = Members(a);
  const std::vector<ValueView> y = Members(b);
  if (a.kind() != b.kind() || x.size() != y.size()) return false;
  for (size_t i = 0; i < x.size(); ++i) {
    if (plain.kind() == TypeKind::kDict) {
      if (!SameValue(plain.children()[0], x[i].children()[0], y[i].children()[0]) ||
          !SameValue(plain.children()[1], x[i].children()[1], y[i].children()[1])) {
        return false;
      }
    } else if (!SameValue(MemberType(plain, i), x[i], y[i])) {
      return false;
    }
  }
  return true;
}

bool SameArgument(ValueView a, ValueView b) {
  const std::vector<ValueView> x = mil::TupleOrOne(a);
  const std::vector<ValueView> y = mil::TupleOrOne(b);
  return std::ranges::equal(x, y, [](ValueView left, ValueView right) {
    if (left.kind() != right.kind()) return false;
    if (left.kind() == ValueKind::kName) return left.text() == right.text();
    return left.kind() == ValueKind::kTyped && SameValue(left.type(), left, right);
  });
}

class Comparison {
 public:
  std::string Programs(const mil::Program& a, const mil::Program& b) {
    Arguments("the program", mil::ProgramAttributes(a), mil::ProgramAttributes(b));
    const auto x = mil::Functions(a);
    const auto y = mil::Functions(b);
    if (x.size() != y.size()) return "the number of functions";
    for (uint32_t i = 0; i < x.size(); ++i) Functions(x[i], y[i]);
    return std::move(difference_);
  }

 private:
  void Differ(std::string what) {
    if (difference_.empty()) difference_ = std::move(what);
  }

  void Functions(mil::FunctionView a, mil::FunctionView b) {
    const std::string where = fmt::format("function {}", a.name());
    if (a.name() != b.name() || a.opset() != b.opset()) Differ(where + ": its name or opset");
    Arguments(where, a.attributes(), b.attributes());
    Blocks(where, a.block(), b.block());
  }

  void Bindings(const std::string& where, mil::Sequence<mil::BindingView> a,
                mil::Sequence<mil::BindingView> b) {
    if (a.size() != b.size()) return Differ(where + ": the number of values");
    for (uint32_t i = 0; i < a.size(); ++i) {
      if (a[i].name() != b[i].name() || !SameType(a[i].type(), b[i].type())) {
        Differ(fmt::format("{}: {} {} and {} {}", where, mil::PrintType(a[i].type()), a[i].name(),
                           mil::PrintType(b[i].type()), b[i].name()));
      }
    }
  }

  void Blocks(const std::string& where, mil::BlockView a, mil::BlockView b) {
    Bindings(where, a.parameters(), b.parameters());
    const auto x = a.statements();
    const auto y = b.statements();
    auto other = y.begin();
    for (const mil::StatementView statement : x) {
      if (other == y.end()) return Differ(where + ": the number of statements");
      Statements(statement, *other);
      ++other;
      if (!difference_.empty()) return;
    }
    if (other != y.end()) Differ(where + ": the number of statements");
    const bool same_outputs = std::ranges::equal(
        a.outputs(), b.outputs(),
        [](ValueView left, ValueView right) { return left.text() == right.text(); });
    if (!same_outputs) Differ(where + ": its outputs");
  }

  void Statements(mil::StatementView a, mil::StatementView b) {
    const std::string where =
        fmt::format("{} {}", a.op(), a.results().empty() ? "" : a.results()[0].name());
    if (a.op() != b.op() || a.opset() != b.opset()) {
      return Differ(fmt::format("{}: the operation is {}", where, b.op()));
    }
    Bindings(where, a.results(), b.results());
    Arguments(where, a.arguments(), b.arguments());
    Arguments(where, a.attributes(), b.attributes());
    const auto x = a.blocks();
    const auto y = b.blocks();
    if (x.size() != y.size()) return Differ(where + ": the number of blocks");
    for (uint32_t i = 0; i < x.size(); ++i) Blocks(where, x[i], y[i]);
  }

  static std::vector<mil::ArgumentView> ByName(mil::Sequence<mil::ArgumentView> arguments) {
    std::vector<mil::ArgumentView> sorted;
    for (const mil::ArgumentView argument : arguments) sorted.push_back(argument);
    std::ranges::sort(sorted, {}, [](mil::ArgumentView argument) {
      return std::pair(argument.name(), argument.offset());
    });
    return sorted;
  }

  void Arguments(const std::string& where, mil::Sequence<mil::ArgumentView> a,
                 mil::Sequence<mil::ArgumentView> b) {
    const std::vector<mil::ArgumentView> x = ByName(a);
    const std::vector<mil::ArgumentView> y = ByName(b);
    if (x.size() != y.size()) return Differ(where + ": the number of arguments or attributes");
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i].name() != y[i].name() || !SameArgument(x[i].value(), y[i].value())) {
        Differ(fmt::format("{}: {} = {} and {} = {}", where, x[i].name(),
                           mil::PrintValue(x[i].value()), y[i].name(),
                           mil::PrintValue(y[i].value())));
      }
    }
  }

  std::string difference_;
};

}  // namespace

std::string ProgramDifference(const mil::Program& a, const mil::Program& b) {
  return Comparison().Programs(a, b);
}

}  // namespace anecheck::mlmodel
