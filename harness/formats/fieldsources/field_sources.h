// The evidence for the fields of a printed file. SourcesOf finds, for each field of the JSON form,
// the row of the format's table that describes it. The text for people shows the same fields. All
// formats use it. Used by `anecheck inspect`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/formats/format.h"

namespace anecheck {

// A field of a JSON form: a value that is neither array nor object. Fields whose paths differ only
// in array indices count as one.
struct SourcedField {
  std::string path;                 // as in FieldFact, with the file's names in place of "*"
  const FieldFact* fact = nullptr;  // null if no row fits
};

struct FieldSources {
  std::vector<SourcedField> fields;    // by path
  std::vector<const FieldFact*> rows;  // the rows that fit these fields, in the order of the table
};

// Every field of `json`, each with the first row of `facts` that fits it. Two rows that all formats
// share follow `facts`: one for "format" and one for the members below "derived". `facts` must
// outlive the result. The time is linear in the size of `json`, plus the number of rows for each
// distinct path.
FieldSources SourcesOf(std::span<const FieldFact> facts, const Json& json);

// [{"fields": path, "evidence": name, "source": text}, ...] in the order of the rows; a field that
// no row fits follows with the evidence "unknown". At most 100 such fields are listed.
Json FieldSourcesToJson(const FieldSources& sources);

// The sources as text for people. Successive rows with the same evidence and source share a line.
std::string FieldSourcesText(const FieldSources& sources);

}  // namespace anecheck
