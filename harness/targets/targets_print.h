// Prints targets for people and for programs: the list, one target in full, and the difference
// between two targets. `anecheck targets` and `anecheck explain` use it.
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
  std::string key;    // the offset of a table field, such as "0x238"; otherwise the name
  std::string name;
  bool known = false;
  std::vector<SourcedValue<std::string>> statements;  // with printed values; empty if not known
  bool conflicting = false;
  bool dead = false;  // a table field that nothing reads

  // Returns the value of the strongest statement, or "unknown".
  std::string value() const;
};

// Returns every property of a target, even if it is unknown. The order is fixed, so that two lists
// of the same catalog match row by row.
std::vector<TargetProperty> TargetProperties(const TargetCatalog& catalog, const Target& target);

// Returns a header line and one line for each target.
std::string TargetsText(const TargetCatalog& catalog);

// [{"name": "H13", "tier": "A13", "compiler_name": "h13", "chips": ["A14", "M1"], "properties":
// [{"group", "key", "name", "known", "value", "statements": [{"value", "source"}],
// "conflicting"}]}]; "value" is null if it is not known.
Json TargetsJson(const TargetCatalog& catalog);
// Returns one item of TargetsJson.
Json TargetJson(const TargetCatalog& catalog, const Target& target);

// Returns every known property of a target with its source, and the names of unknown properties.
std::string TargetText(const TargetCatalog& catalog, const Target& target);

// Returns the fields of the hardware-abstraction table by offset, each with its kind, its source,
// its other names and, if known, the function that reads it.
std::string FieldsText(const HalLayout& layout);
// [{"offset": "0x4a8", "width", "kind", "name", "unit", "reader", "dead", "source", "note",
// "other_names": [{"name", "source"}]}]; unknown texts are empty.
Json FieldsJson(const HalLayout& layout);

// Returns the properties whose strongest values differ between two targets. A known value differs
// from an unknown value. Errors: an unknown target, with similar names.
Result<std::string> TargetsDiffText(const TargetCatalog& catalog, std::string_view a,
                                    std::string_view b);
// {"a": "H13", "b": "H17s", "differences": [{"group", "key", "name", "a", "b"}], "same": 40,
// "both_unknown": 12}; unknown values of "a" and "b" are null.
Result<Json> TargetsDiffJson(const TargetCatalog& catalog, std::string_view a, std::string_view b);

}  // namespace anecheck
