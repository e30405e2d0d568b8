// The evidence for the fields of a file. For each field of the JSON form, SourcesOf finds the row
// of the format's table that describes it. `anecheck inspect` uses it for all formats.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/formats/format.h"

namespace anecheck {

// A field of a JSON form, which is a value other than an array or object. Fields whose paths differ
// only in array indices count as one field.
struct SourcedField {
  std::string path;                 // as in FieldFact, but with the file's names in place of "*"
  const FieldFact* fact = nullptr;  // null if no row matches
};

struct FieldSources {
  std::vector<SourcedField> fields;    // sorted by path
  std::vector<const FieldFact*> rows;  // the matching rows, in the order of the table
};

// Returns every field of `json` with the first row of `facts` that matches it. After `facts` it
// tries two rows that apply to all formats, one for "format" and one for the members below
// "derived". `facts` must outlive the result. The time is linear in the size of `json`, plus the
// number of rows for each distinct path.
FieldSources SourcesOf(std::span<const FieldFact> facts, const Json& json);

// Returns [{"fields": path, "evidence": name, "source": text}, ...] in the order of the rows.
// Fields that match no row follow, with the evidence "unknown". Lists at most 100 of them.
Json FieldSourcesToJson(const FieldSources& sources);

// Returns the sources as text. Successive rows with the same evidence and source are in one line.
std::string FieldSourcesText(const FieldSources& sources);

}  // namespace anecheck
