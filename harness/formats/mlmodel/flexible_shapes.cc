#include "harness/formats/mlmodel/flexible_shapes.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include "harness/formats/mil/lexer.h"
#include "harness/formats/mil/number.h"
#include "harness/formats/mil/reader.h"

namespace anecheck::mlmodel {
namespace {

using mil::ValueKind;
using mil::ValueView;

constexpr std::string_view kDefaults = "DefaultShapes", kRanges = "RangeDims",
                           kSets = "EnumeratedShapes";

// ---- text ---------------------------------------------------------------------------------------

std::string ListText(std::span<const int64_t> numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string RangesText(const InputShapes& shapes) {
  std::string text;
  for (const std::array<int64_t, 2>& range : shapes.ranges) {
    text += (text.empty() ? "" : ", ") + ListText(range);
  }
  return "[" + text + "]";
}

// Returns {{"x", LIST}, ...} for the inputs whose `list` is not empty.
template <typename List>
std::string PairsText(std::span<const InputShapes* const> inputs, const List& list) {
  std::string text;
  for (const InputShapes* const shapes : inputs) {
    const std::string value = list(*shapes);
    if (value.empty()) continue;
    text += text.empty() ? "{\"" : ", {\"";
    mil::AppendEscaped(text, shapes->input);
    text += fmt::format("\", {}}}", value);
  }
  return text.empty() ? text : "{" + text + "}";
}

std::string SetsText(std::span<const InputShapes* const> inputs) {
  size_t count = 0;
  for (const InputShapes* const shapes : inputs) count = std::max(count, shapes->sets.size());
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const std::string pairs = PairsText(inputs, [i](const InputShapes& shapes) {
      return i < shapes.sets.size() ? ListText(shapes.sets[i]) : "";
    });
    text += fmt::format("{}{{\"set_{}\", {}}}", i == 0 ? "" : ", ", i + 1, pairs);
  }
  return text.empty() ? text : "{" + text + "}";
}

// ---- reading ------------------------------------------------------------------------------------

Error At(ErrorCode code, ValueView value, std::string_view what) {
  return MakeError(code,
                   fmt::format("{}: {} (offset 0x{:x})", kFlexibleShapes, what, value.offset()),
                   value.offset());
}

std::optional<std::vector<int64_t>> Numbers(ValueView list) {
  if (list.Inner().kind() != ValueKind::kList) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const ValueView entry : list.Inner().children()) {
    const auto number = mil::ToInteger(entry.Inner().text());
    if (!number) return std::nullopt;
    numbers.push_back(static_cast<int64_t>(*number));
  }
  return numbers;
}

InputShapes& ShapesOf(std::string_view function, std::string_view input,
                      std::vector<InputShapes>& all) {
  const auto found = std::ranges::find(all, input, &InputShapes::input);
  if (found != all.end()) return *found;
  InputShapes& shapes = all.emplace_back();
  shapes.function = function;
  shapes.input = input;
  return shapes;
}

Status ReadRanges(ValueView list, InputShapes& shapes) {
  if (list.Inner().kind() != ValueKind::kList) return At(ErrorCode::kInvalid, list, "no list");
  for (const ValueView entry : list.Inner().children()) {
    const auto numbers = Numbers(entry);
    if (!numbers || numbers->size() < 2 || numbers->size() > 3) {
      return At(ErrorCode::kInvalid, entry, "a range is [lowest, highest]");
    }
    if (numbers->size() == 3 && (*numbers)[2] != 1) {
      return At(ErrorCode::kUnsupported, entry, "a model file has no steps of ranges");
    }
    shapes.ranges.push_back({(*numbers)[0], (*numbers)[1]});
  }
  return {};
}

// Calls `read(key, value)`, which returns a Status, for the pairs of a dictionary.
template <typename Read>
Status ForEachPair(ValueView dictionary, const Read& read) {
  for (const ValueView pair : dictionary.Inner().children()) {
    if (pair.kind() != ValueKind::kPair || pair.children().size() != 2) {
      return At(ErrorCode::kInvalid, pair, "no pair of a name and a value");
    }
    ANECHECK_RETURN_IF_ERROR(read(pair.children()[0].Inner().text(), pair.children()[1]));
  }
  return {};
}

Status ReadPart(std::string_view function, std::string_view kind, ValueView dictionary,
                std::vector<InputShapes>& all) {
  if (dictionary.Inner().kind() != ValueKind::kDict) {
    return At(ErrorCode::kInvalid, dictionary, "no dictionary");
  }
  if (kind == kSets) {
    return ForEachPair(dictionary, [&](std::string_view, ValueView set) -> Status {
      return ForEachPair(set, [&](std::string_view input, ValueView list) -> Status {
        auto numbers = Numbers(list);
        if (!numbers) return At(ErrorCode::kInvalid, list, "no list of extents");
        ShapesOf(function, input, all).sets.push_back(std::move(*numbers));
        return {};
      });
    });
  }
  return ForEachPair(dictionary, [&](std::string_view input, ValueView list) -> Status {
    InputShapes& shapes = ShapesOf(function, input, all);
    if (kind == kRanges) return ReadRanges(list, shapes);
    auto numbers = Numbers(list);
    if (!numbers) return At(ErrorCode::kInvalid, list, "no list of extents");
    shapes.extents = std::move(*numbers);
    return {};
  });
}

}  // namespace

bool InputShapes::IsFlexible() const {
  for (size_t i = 0; i < ranges.size(); ++i) {
    const auto [lowest, highest] = ranges[i];
    const bool open = lowest == 1 && highest == -1 && (i >= extents.size() || extents[i] == 1);
    if (lowest != highest && !open) return true;
  }
  return !sets.empty();
}

std::string FlexibleShapesText(std::span<const InputShapes> inputs, std::string_view function,
                               bool plain) {
  std::vector<const InputShapes*> flexible;
  for (const InputShapes& shapes : inputs) {
    if (shapes.IsFlexible() && shapes.IsOf(function)) flexible.push_back(&shapes);
  }
  if (flexible.empty()) return "";
  const std::string_view string = plain ? "string" : "tensor<string, []>";
  std::string types, values;
  const auto add = [&](std::string_view kind, std::string_view type, const std::string& pairs) {
    if (pairs.empty()) return;
    types +=
        fmt::format("{}tuple<{}, dict<{}, {}>>", types.empty() ? "" : ", ", string, string, type);
    values += fmt::format("{}(\"{}\", {})", values.empty() ? "" : ", ", kind, pairs);
  };
  add(kDefaults, "tensor<int32, [?]>", PairsText(flexible, [](const InputShapes& shapes) {
        return shapes.extents.empty() ? "" : ListText(shapes.extents);
      }));
  add(kSets, fmt::format("dict<{}, tensor<int32, [?]>>", string), SetsText(flexible));
  add(kRanges, "list<tensor<int32, [2]>, ?>", PairsText(flexible, [](const InputShapes& shapes) {
        return shapes.ranges.empty() ? "" : RangesText(shapes);
      }));
  return fmt::format("tuple<{}>(({}))", types, values);
}

Result<std::vector<InputShapes>> ReadFlexibleShapes(mil::FunctionView function) {
  std::vector<InputShapes> all;
  const auto attribute = mil::FindValue(function.attributes(), kFlexibleShapes);
  if (!attribute) return all;
  for (const ValueView part : attribute->Inner().children()) {
    if (part.children().size() != 2) {
      return At(ErrorCode::kInvalid, part, "no pair of a kind and its shapes");
    }
    ANECHECK_RETURN_IF_ERROR(
        ReadPart(function.name(), part.children()[0].Inner().text(), part.children()[1], all));
  }
  return all;
}

}  // namespace anecheck::mlmodel
