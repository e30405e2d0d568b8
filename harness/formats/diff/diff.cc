#include "harness/formats/diff/diff.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <span>
#include <utility>

#include "harness/base/counted.h"
#include "harness/base/json.h"

namespace anecheck {
namespace {

constexpr size_t kMaxValueText = 120;
// The maximum number of cells in the table that matches elements. For longer arrays, DiffJson
// matches only the beginnings and ends.
constexpr size_t kMaxTable = 4'000'000;

std::string ValueText(const Json& value) {
  // Returns only the size of a large value, because its text would be too long.
  if (value.is_structured() && value.size() > 40) {
    return fmt::format("{} of {}", value.is_array() ? "array" : "object", value.size());
  }
  std::string text = value.dump();
  if (text.size() > kMaxValueText) {
    const size_t size = text.size();
    text.resize(kMaxValueText);
    // Removes bytes so that the cut is not inside a UTF-8 sequence.
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80)
      text.pop_back();
    text += fmt::format("... ({} characters)", size);
  }
  return text;
}

// Returns the value without the ignored members.
Json Without(std::span<const std::string_view> ignored, const Json& value) {
  if (value.is_object()) {
    Json kept = Json::object();
    for (const auto& [name, member] : value.items()) {
      if (std::ranges::find(ignored, name) == ignored.end()) kept[name] = Without(ignored, member);
    }
    return kept;
  }
  if (!value.is_array()) return value;
  Json kept = Json::array();
  for (const Json& element : value) kept.push_back(Without(ignored, element));
  return kept;
}

class Differ {
 public:
  Differ(std::span<const std::string_view> ignored, size_t limit)
      : ignored_(ignored), limit_(limit) {}

  void Compare(const std::string& path, const Json& before, const Json& after) {
    if (before.is_object() && after.is_object()) {
      CompareObjects(path, before, after);
    } else if (before.is_array() && after.is_array()) {
      CompareArrays(path, before, after);
    } else if (before != after) {
      Add(DifferenceKind::kChanged, path, &before, &after);
    }
  }

  FileDifferences Take() { return std::move(found_); }

 private:
  bool Skips(std::string_view member) const {
    return std::ranges::find(ignored_, member) != ignored_.end();
  }

  static std::string Member(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
  }

  void Add(DifferenceKind kind, const std::string& path, const Json* before, const Json* after) {
    if (found_.structure.size() >= limit_) {
      ++found_.left_out;
      return;
    }
    found_.structure.push_back({kind, path.empty() ? "." : path,
                                before == nullptr ? "" : Text(*before),
                                after == nullptr ? "" : Text(*after)});
  }

  std::string Text(const Json& value) const {
    return ValueText(value.is_structured() ? Without(ignored_, value) : value);
  }

  void CompareObjects(const std::string& path, const Json& before, const Json& after) {
    for (const auto& [name, value] : before.items()) {
      if (Skips(name)) continue;
      const auto other = after.find(name);
      if (other == after.end()) {
        Add(DifferenceKind::kRemoved, Member(path, name), &value, nullptr);
      } else {
        Compare(Member(path, name), value, *other);
      }
    }
    for (const auto& [name, value] : after.items()) {
      if (!Skips(name) && !before.contains(name)) {
        Add(DifferenceKind::kAdded, Member(path, name), nullptr, &value);
      }
    }
  }

  // Returns whether the values are equal without the ignored members.
  bool Same(const Json& before, const Json& after) const {
    if (before.is_object() && after.is_object()) {
      for (const auto& [name, value] : before.items()) {
        if (Skips(name)) continue;
        const auto other = after.find(name);
        if (other == after.end() || !Same(value, *other)) return false;
      }
      return std::ranges::all_of(after.items(), [&](const auto& item) {
        return Skips(item.key) || before.contains(item.key);
      });
    }
    if (before.is_array() && after.is_array()) {
      return before.size() == after.size() &&
             std::ranges::equal(before, after,
                                [&](const Json& a, const Json& b) { return Same(a, b); });
    }
    return before == after;
  }

  void CompareArrays(const std::string& path, const Json& before, const Json& after) {
    size_t begin = 0;
    const size_t shorter = std::min(before.size(), after.size());
    while (begin < shorter && Same(before[begin], after[begin])) ++begin;
    size_t end = 0;
    while (end < shorter - begin &&
           Same(before[before.size() - 1 - end], after[after.size() - 1 - end])) {
      ++end;
    }
    const size_t olds = before.size() - begin - end;
    const size_t news = after.size() - begin - end;
    // If there are as many old as new elements, treats them as changed elements.
    if (olds == news || olds == 0 || news == 0 || olds * news > kMaxTable) {
      CompareInOrder(path, before, after, begin, begin + olds, begin, begin + news);
    } else {
      CompareByMatches(path, before, after, begin, olds, news);
    }
  }

  // Compares the elements of both ranges pair by pair, then lists the rest of the longer range.
  void CompareInOrder(const std::string& path, const Json& before, const Json& after, size_t old_at,
                      size_t old_end, size_t new_at, size_t new_end) {
    while (old_at < old_end && new_at < new_end) {
      Compare(fmt::format("{}[{}]", path, old_at), before[old_at], after[new_at]);
      ++old_at;
      ++new_at;
    }
    for (; old_at < old_end; ++old_at) {
      Add(DifferenceKind::kRemoved, fmt::format("{}[{}]", path, old_at), &before[old_at], nullptr);
    }
    for (; new_at < new_end; ++new_at) {
      Add(DifferenceKind::kAdded, fmt::format("{}[{}]", path, new_at), nullptr, &after[new_at]);
    }
  }

  // Matches equal elements. Compares the elements between two matches in order.
  void CompareByMatches(const std::string& path, const Json& before, const Json& after,
                        size_t begin, size_t olds, size_t news) {
    // length[i][j] is the length of the longest common subsequence of the old elements from i on
    // and the new elements from j on.
    const size_t width = news + 1;
    std::vector<uint32_t> length((olds + 1) * width);
    for (size_t i = olds; i-- > 0;) {
      for (size_t j = news; j-- > 0;) {
        length[i * width + j] =
            Same(before[begin + i], after[begin + j])
                ? length[(i + 1) * width + j + 1] + 1
                : std::max(length[(i + 1) * width + j], length[i * width + j + 1]);
      }
    }
    size_t i = 0;
    size_t j = 0;
    size_t old_from = 0;
    size_t new_from = 0;
    const auto settle = [&] {
      CompareInOrder(path, before, after, begin + old_from, begin + i, begin + new_from, begin + j);
    };
    while (i < olds && j < news) {
      if (Same(before[begin + i], after[begin + j])) {
        settle();
        old_from = ++i;
        new_from = ++j;
      } else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) {
        ++i;
      } else {
        ++j;
      }
    }
    i = olds;
    j = news;
    settle();
  }

  std::span<const std::string_view> ignored_;
  size_t limit_;
  FileDifferences found_;
};

}  // namespace

std::string_view DifferenceKindName(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::kChanged:
      return "changed";
    case DifferenceKind::kAdded:
      return "added";
    case DifferenceKind::kRemoved:
      return "removed";
  }
  return "unknown";
}

std::span<const std::string_view> LayoutMembers(std::string_view format) {
  static constexpr std::string_view kDescriptor[] = {"@",    "module_end",  "overlapping",
                                                     "size", "size_prefix", "vtables"};
  static constexpr std::string_view kModule[] = {
      "@",       "module_end",   "overlapping",      "size",           "size_prefix",
      "vtables", "local_offset", "directory_offset", "directory_size", "end64_offset"};
  static constexpr std::string_view kText[] = {"gaps"};
  static constexpr std::string_view kWeights[] = {"derived", "layout", "offset", "data_offset"};
  static constexpr std::string_view kOthers[] = {"derived", "layout"};
  static constexpr std::pair<std::string_view, std::span<const std::string_view>> kFormats[] = {
      {"e5", kDescriptor}, {"vmfb", kModule}, {"mil", kText}, {"milweights", kWeights}};
  const auto row =
      std::ranges::find(kFormats, format, [](const auto& entry) { return entry.first; });
  return row == std::end(kFormats) ? kOthers : row->second;
}

FileDifferences DiffJson(const Json& before, const Json& after,
                         std::span<const std::string_view> ignored, size_t limit) {
  Differ differ(ignored, limit);
  differ.Compare("", before, after);
  return differ.Take();
}

Result<FileDifferences> DiffFiles(const Format& format, ByteSpan before, ByteSpan after,
                                  bool layout, size_t limit) {
  if (std::ranges::equal(before, after)) return FileDifferences{.same_bytes = true};
  const auto to_json = layout || format.structure == nullptr ? format.to_json : format.structure;
  ANECHECK_ASSIGN(const Json one, to_json(before));
  ANECHECK_ASSIGN(const Json other, to_json(after));
  const auto ignored = layout ? std::span<const std::string_view>() : LayoutMembers(format.name);
  return DiffJson(one, other, ignored, limit);
}

std::string DifferencesText(const FileDifferences& differences) {
  std::string text;
  for (const Difference& difference : differences.structure) {
    switch (difference.kind) {
      case DifferenceKind::kChanged:
        text +=
            fmt::format("~ {}: {} -> {}\n", difference.path, difference.before, difference.after);
        break;
      case DifferenceKind::kAdded:
        text += fmt::format("+ {}: {}\n", difference.path, difference.after);
        break;
      case DifferenceKind::kRemoved:
        text += fmt::format("- {}: {}\n", difference.path, difference.before);
        break;
    }
  }
  if (differences.left_out != 0) {
    text += fmt::format("... and {}\n", Counted(differences.left_out, "more difference"));
  }
  if (!text.empty()) return text;
  return differences.same_bytes
             ? "the files are the same\n"
             : "the files have the same structure and values; their layout differs\n";
}

Json DifferencesToJson(const FileDifferences& differences) {
  Json list = Json::array();
  for (const Difference& difference : differences.structure) {
    Json entry = {{"kind", DifferenceKindName(difference.kind)}, {"path", difference.path}};
    if (difference.kind != DifferenceKind::kAdded) entry["before"] = difference.before;
    if (difference.kind != DifferenceKind::kRemoved) entry["after"] = difference.after;
    list.push_back(std::move(entry));
  }
  return {{"same_bytes", differences.same_bytes},
          {"differences", std::move(list)},
          {"left_out", differences.left_out}};
}

}  // namespace anecheck
