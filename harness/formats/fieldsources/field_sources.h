// The evidence for the fields of a print: each field of a file's JSON form, which the text for
// people shows too, beside the row of its format's table. The one mechanism of all formats. Used by
// `anecheck inspect`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/formats/format.h"

namespace anecheck {

// A field of a JSON form: neither array nor object. Fields that differ in indices of arrays
// alone are one.
struct SourcedField {
  std::string path;                 // as FieldFact spells it, the file's own names in place of "*"
  const FieldFact* fact = nullptr;  // null where no row fits
};

struct FieldSources {
  std::vector<SourcedField> fields;    // by path
  std::vector<const FieldFact*> rows;  // that fields rest on, in the order in which they are tried
};

// Every field of `json` with the first of `facts` that fits it. Two rows are every format's and
// come last: that of "format", and one for members below "derived". `facts` outlives
// the result. Linear in the size of `json`, times the number of rows for each distinct path.
FieldSources SourcesOf(std::span<const FieldFact> facts, const Json& json);

// [{"fields": path, "evidence": name, "source": text}, ...] in the order of the rows; a field that
// no row fits follows with the evidence "unknown". At most 100 of these are listed.
Json FieldSourcesToJson(const FieldSources& sources);

// The same for people: a line for rows of one evidence and source that follow each other.
std::string FieldSourcesText(const FieldSources& sources);

}  // namespace anecheck
