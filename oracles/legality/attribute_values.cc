#include "oracles/legality/attribute_values.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include "oracles/legality/rules.h"

namespace anecheck::legality {
namespace {

using Kind = Value::Kind;

// The numbers of axes of a window's operand: batch and channels, then the spatial axes.
constexpr size_t kAxesBeforeWindow = 2;
constexpr size_t kMostSpatialAxes = 3;

Error Refused(std::string_view name, const Value& value, std::string_view must) {
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("{}={}: must be {}", name, value.ToString(), must));
}

bool IsWhole(const Value& value) {
  return value.is(Kind::kNumber) && std::isfinite(value.number) &&
         value.number == std::trunc(value.number);
}
bool IsNumber(const Value& value) { return value.is(Kind::kNumber); }
bool IsBool(const Value& value) { return value.is(Kind::kBool); }

// A list with one element may be written as that element.
template <typename Predicate>
bool EachIs(const Value& value, Predicate is) {
  return value.is(Kind::kList) ? std::ranges::all_of(value.list, is) : is(value);
}

size_t LengthOf(const Value& value) { return value.is(Kind::kList) ? value.list.size() : 1; }

// Returns the form that an attribute of this kind must have, or "" if the value has this form.
std::string_view MissesKind(ParameterKind kind, const Value& value) {
  switch (kind) {
    case ParameterKind::kInt:
      return IsWhole(value) ? "" : "a whole number";
    case ParameterKind::kFloat:
      return IsNumber(value) ? "" : "a number";
    case ParameterKind::kBool:
      return IsBool(value) ? "" : "true or false";
    case ParameterKind::kInts:
      return EachIs(value, IsWhole) ? "" : "whole numbers, as 2,2";
    case ParameterKind::kFloats:
      return EachIs(value, IsNumber) ? "" : "numbers, as 0.5,2";
    case ParameterKind::kBools:
      return EachIs(value, IsBool) ? "" : "true or false for each, as true,false";
    default:
      return "";
  }
}

// Returns the least value of a count, which is an attribute of MIL or one that only rules read.
std::optional<int> LeastOf(std::string_view name) {
  constexpr std::string_view kFromOne[] = {"strides",      "dilations",    "groups",
                                           "NumGroups",    "kernel_sizes", "kernel",
                                           "kernel_width", "KernelWidth",  "kernel_height",
                                           "KernelHeight", "kernel_depth", "KernelDepth"};
  constexpr std::string_view kFromZero[] = {"pad", "weight_bytes", "stored_bytes"};
  if (std::ranges::find(kFromOne, name) != std::end(kFromOne)) return 1;
  if (std::ranges::find(kFromZero, name) != std::end(kFromZero)) return 0;
  return std::nullopt;
}

// Returns a hint for a kernel that is given as a list. Rules read one attribute for each side of a
// kernel, so they ignore a list.
std::string KernelRemedy(std::string_view name, const Value& value) {
  constexpr std::string_view kSides[] = {"kernel_depth", "kernel_height", "kernel_width"};
  if (name != "kernel" || !value.is(Kind::kList)) return "";
  const std::vector<Value>& list = value.list;
  if (list.size() < 2 || list.size() > std::size(kSides)) return "";
  const size_t skipped = std::size(kSides) - list.size();
  std::vector<std::string> sides;
  for (size_t i = 0; i < list.size(); ++i) {
    sides.push_back(fmt::format("{}={}", kSides[skipped + i], list[i].ToString()));
  }
  return fmt::format("; give each side of the kernel: {}", fmt::join(sides, " "));
}

// Whether the attribute has one number for each spatial axis, or two in the case of padding.
bool IsPerAxis(std::string_view name) {
  return name == "strides" || name == "dilations" || name == "kernel_sizes" || name == "pad";
}

// Whether a rule that reads the attribute compares it with this text. Engines know more element
// types than MIL can spell.
bool IsNamedByARule(std::string_view attribute, const Value& value) {
  return std::ranges::any_of(Rules::Builtin().rules(), [&](const Rule& rule) {
    const auto names = rule.when.Names();
    if (std::ranges::find(names, attribute) == names.end()) return false;
    const auto literals = rule.when.Literals();
    return std::ranges::find(literals, value) != literals.end();
  });
}

Status CheckValue(std::string_view name, const Value& value, const Parameter* parameter) {
  if (const auto least = LeastOf(name)) {
    const auto counts = [&](const Value& one) { return IsWhole(one) && one.number >= *least; };
    if (!(IsPerAxis(name) ? EachIs(value, counts) : counts(value))) {
      return Refused(
          name, value,
          fmt::format("a whole number, {} or more{}", *least, KernelRemedy(name, value)));
    }
  }
  if (parameter == nullptr) return {};
  const std::string_view must = MissesKind(parameter->kind, value);
  if (!must.empty()) return Refused(name, value, must);
  const auto& choices = parameter->choices;
  if (choices.empty() || parameter->kind != ParameterKind::kString) return {};
  const bool spelt = value.is(Kind::kText) &&
                     std::ranges::find(choices, std::string_view(value.text)) != choices.end();
  if (spelt || IsNamedByARule(name, value)) return {};
  return Refused(name, value, fmt::format("one of {}", fmt::join(choices, ", ")));
}

// `spatial` is the number of the window's axes, or nothing if it is unknown.
Status CheckWindow(const Instance& instance, std::optional<size_t> spatial) {
  for (const auto& [name, value] : instance.attributes) {
    if (!IsPerAxis(name)) continue;
    const size_t each = name == "pad" ? 2 : 1;
    const size_t length = LengthOf(value);
    const bool fits = spatial
                          ? length == *spatial * each
                          : length > 0 && length % each == 0 && length <= kMostSpatialAxes * each;
    if (fits) continue;
    const std::string axes =
        spatial ? fmt::format("{}", *spatial) : fmt::format("1 to {}", kMostSpatialAxes);
    return Refused(name, value,
                   fmt::format("{} for each of {} spatial axes",
                               each == 1 ? "one number" : "two numbers", axes));
  }
  return {};
}

}  // namespace

Status CheckValues(const Instance& instance, const OpSchema* schema) {
  for (const auto& [name, value] : instance.attributes) {
    const int at = schema == nullptr ? -1 : schema->FindParameter(name);
    const Parameter* parameter = at < 0 ? nullptr : &schema->parameters[static_cast<size_t>(at)];
    ANECHECK_RETURN_IF_ERROR(CheckValue(name, value, parameter));
  }
  if (schema == nullptr || schema->FindParameter("pad_type") < 0) return {};
  const Operand* x = instance.FindOperand("x");
  // A user may give an operand without a shape, only for its element type.
  if (x == nullptr || x->shape.empty()) return CheckWindow(instance, std::nullopt);
  // A rule with a source refuses operands that have too many axes for an engine.
  if (x->shape.size() <= kAxesBeforeWindow) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("x=[{}]: has {} axes, {} needs batch, channels and 1 to {} "
                    "spatial axes",
                    fmt::join(x->shape, ", "), x->shape.size(), schema->name, kMostSpatialAxes));
  }
  return CheckWindow(instance, x->shape.size() - kAxesBeforeWindow);
}

void MakeLists(const OpSchema& schema, Instance& instance) {
  for (auto& [name, value] : instance.attributes) {
    const int at = schema.FindParameter(name);
    if (at < 0 || !(IsNumber(value) || IsBool(value))) continue;
    const ParameterKind kind = schema.parameters[static_cast<size_t>(at)].kind;
    const bool list = kind == ParameterKind::kInts || kind == ParameterKind::kFloats ||
                      kind == ParameterKind::kBools;
    if (!list) continue;
    Value alone = std::move(value);
    value = Value{.kind = Kind::kList};
    value.list.push_back(std::move(alone));
  }
}

}  // namespace anecheck::legality
