// The structural difference of two files of one format, found in their JSON forms. It lists by path
// which values changed and which elements were added or removed. Used by `anecheck diff`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"

namespace anecheck {

enum class DifferenceKind : uint8_t { kChanged, kAdded, kRemoved };
std::string_view DifferenceKindName(DifferenceKind kind);

struct Difference {
  DifferenceKind kind = DifferenceKind::kChanged;
  std::string path;    // "sections[2].name"; indices are those of `before`, or of `after` if added
  std::string before;  // JSON text, cut if it is long; empty if added
  std::string after;   // empty if removed
};

struct FileDifferences {
  std::vector<Difference> structure;
  size_t left_out = 0;  // differences beyond the limit
  bool same_bytes = false;
};

// Members of a format's JSON form that only state places and encodings, or that follow from other
// members.
std::span<const std::string_view> LayoutMembers(std::string_view format);

// Elements of arrays are matched in order, so that an added or removed element is one difference.
// The match is the longest common subsequence of equal elements; for long arrays it is their common
// beginning and end. At most `limit` differences are listed. Members whose name is in `ignored` are
// left out at any depth.
FileDifferences DiffJson(const Json& before, const Json& after,
                         std::span<const std::string_view> ignored, size_t limit);

// The differences of two files of `format`. It ignores the layout members unless `layout` is set.
// Errors: those of the format's to_json.
Result<FileDifferences> DiffFiles(const Format& format, ByteSpan before, ByteSpan after,
                                  bool layout, size_t limit);

// For people: a line per difference, "~ path: before -> after", "+ path: after", "- path: before".
std::string DifferencesText(const FileDifferences& differences);
Json DifferencesToJson(const FileDifferences& differences);

}  // namespace anecheck
