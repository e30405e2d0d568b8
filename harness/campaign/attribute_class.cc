#include "harness/campaign/attribute_class.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <span>
#include <string_view>

namespace anecheck {
namespace {

constexpr std::string_view kNumberClasses[] = {"negative", "zero", "one", "fraction", "more"};
constexpr uint32_t kMixed = std::size(kNumberClasses);
constexpr uint32_t kEmptyList = 6;
// A list's class is the class of its elements, or kMixed, plus kListStep times its length.
constexpr uint32_t kListStep = 8;

uint32_t NumberClass(double number) {
  if (number < 0) return 0;
  if (number == 0) return 1;
  if (number == 1) return 2;
  return number < 1 ? 3 : 4;
}

template <typename T>
uint32_t ListClass(std::span<const T> list) {
  if (list.empty()) return kEmptyList;
  const bool alike = std::ranges::all_of(list, [&](T element) { return element == list[0]; });
  const uint32_t elements = alike ? NumberClass(static_cast<double>(list[0])) : kMixed;
  return static_cast<uint32_t>(list.size()) * kListStep + elements;
}

}  // namespace

std::optional<uint32_t> AttributeClass(const Graph& graph, const Attribute& attribute) {
  switch (attribute.kind) {
    case AttributeKind::kInt:
      return NumberClass(static_cast<double>(attribute.integer));
    case AttributeKind::kFloat:
      return NumberClass(attribute.number);
    case AttributeKind::kInts:
    case AttributeKind::kBools:
      return ListClass(graph.ints(attribute));
    case AttributeKind::kFloats:
      return ListClass(graph.floats(attribute));
    default:
      return std::nullopt;
  }
}

std::string AttributeClassName(uint32_t value) {
  if (value == kEmptyList) return "empty";
  if (value < kListStep) return std::string(kNumberClasses[value]);
  const uint32_t elements = value % kListStep;
  return fmt::format("{} {}", value / kListStep,
                     elements == kMixed ? "mixed" : kNumberClasses[elements]);
}

}  // namespace anecheck
