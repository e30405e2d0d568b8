// The structural differences between the JSON forms of two files of one format. They are changed
// values and added or removed elements, each with its path. Used by `anecheck diff`.
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
  std::string path;    // "sections[2].name"; has indices of `before`, or of `after` if added
  std::string before;  // JSON text, shortened if it is long; empty if added
  std::string after;   // empty if removed
};

struct FileDifferences {
  std::vector<Difference> structure;
  size_t left_out = 0;  // number of differences beyond the limit
  bool same_bytes = false;
};

// Returns the JSON members of a format with offsets and encodings, or with derived values.
std::span<const std::string_view> LayoutMembers(std::string_view format);

// Compares two JSON forms. Matches equal elements of arrays, so that an added or removed element is
// one difference. The matched elements are the longest common subsequence, or the common beginning
// and end of long arrays. Lists at most `limit` differences. Ignores members whose name is in
// `ignored` at any depth.
FileDifferences DiffJson(const Json& before, const Json& after,
                         std::span<const std::string_view> ignored, size_t limit);

// Compares two files of `format`. Ignores the layout members unless `layout` is true. Errors: those
// of the format's to_json.
Result<FileDifferences> DiffFiles(const Format& format, ByteSpan before, ByteSpan after,
                                  bool layout, size_t limit);

// Returns a line per difference: "~ path: before -> after", "+ path: after" or "- path: before".
std::string DifferencesText(const FileDifferences& differences);
Json DifferencesToJson(const FileDifferences& differences);

}  // namespace anecheck
