// Prints targets for people and for programs: the list, one target in full, and the difference
// between two. Used by `anecheck targets` and `anecheck explain`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/targets/catalog.h"
#include "harness/targets/hal_layout.h"

namespace anecheck {

// One printable fact of a target.
struct TargetProperty {
  std::string group;  // "target", "scalar", "capability", "text", "limit"
  std::string key;    // the offset of a table field, "0x238"; otherwise the name
  std::string name;
  bool known = false;
  std::vector<SourcedValue<std::string>> statements;  // with printed values; empty if not known
  bool conflicting = false;
  bool dead = false;  // a table field that nothing reads

  // The strongest value, or "unknown".
  std::string value() const;
};

// Every property of a target in a fixed order, including the unknown ones, so that two lists of the
// same catalog match row by row.
std::vector<TargetProperty> TargetProperties(const TargetCatalog& catalog, const Target& target);

// One line per target, under a header line.
std::string TargetsText(const TargetCatalog& catalog);

// [{"name": "H13", "tier": "A13", "compiler_name": "h13", "chips": ["A14", "M1"], "properties":
// [{"group", "key", "name", "known", "value", "statements": [{"value", "source"}],
// "conflicting"}]}]; "value" is null where not known.
Json TargetsJson(const TargetCatalog& catalog);
// One item of TargetsJson.
Json TargetJson(const TargetCatalog& catalog, const Target& target);

// One target in full: every known property with its source, and the names of the unknown ones.
std::string TargetText(const TargetCatalog& catalog, const Target& target);

// The fields of the capability table by offset, each with its kind, its source, other names and, if
// known, the function that reads it.
std::string FieldsText(const HalLayout& layout);
// [{"offset": "0x4a8", "width", "kind", "name", "unit", "reader", "dead", "source", "note",
// "other_names": [{"name", "source"}]}]; texts are empty where not known.
Json FieldsJson(const HalLayout& layout);

// The properties whose strongest values differ between two targets; known and unknown differ too.
// Errors: an unknown target, with similar names.
Result<std::string> TargetsDiffText(const TargetCatalog& catalog, std::string_view a,
                                    std::string_view b);
// {"a": "H13", "b": "H17s", "differences": [{"group", "key", "name", "a", "b"}], "same": 40,
// "both_unknown": 12}; "a" and "b" are null where not known.
Result<Json> TargetsDiffJson(const TargetCatalog& catalog, std::string_view a, std::string_view b);

}  // namespace anecheck
