// The structural difference of two files of one format, found in their JSON forms: which values
// changed, which elements came or went, by path. Used by `anecheck diff`.
#pragma once

#include <cstddef>
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
  std::string path;    // "sections[2].name"; indices are those of `before`, of `after` where added
  std::string before;  // JSON text, cut where it is long; empty where added
  std::string after;   // empty where removed
};

struct FileDifferences {
  std::vector<Difference> structure;
  size_t left_out = 0;  // differences beyond the limit
  bool same_bytes = false;
};

// Members of the JSON forms that say where things stand and not what they are: they are compared
// only where `layout` is set. All begin with "@" or are named here.
bool IsLayoutMember(std::string_view name);

// Elements of arrays are matched in order (longest common subsequence of equal elements; long
// arrays by their common beginning and end), so that one that came or went is one difference. At
// most `limit` differences are listed.
FileDifferences DiffJson(const Json& before, const Json& after, bool layout, size_t limit);

// The same of two files. Errors: those of the format's to_json.
Result<FileDifferences> DiffFiles(const Format& format, ByteSpan before, ByteSpan after,
                                  bool layout, size_t limit);

// For people: a line a difference, "~ path: before -> after", "+ path: after", "- path: before".
std::string DifferencesText(const FileDifferences& differences);
Json DifferencesToJson(const FileDifferences& differences);

}  // namespace anecheck
