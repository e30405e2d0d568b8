// The JSON form of a Document. A table is an object with values under the schema's field names, and
// with the positions of its parts under "@". Used by the e5 and vmfb formats' to_json and
// from_json.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/formats/flatbuffer/document.h"
#include "harness/formats/flatbuffer/schema.h"
#include "harness/formats/format.h"

namespace anecheck::flatbuffer {

// {"size", "start", "identifier", "size_prefix", "root": {...}, "vtables": [...], "unknown":
// [...]}. Byte vectors are hexadecimal text. A value of an enumeration is its name if the schema
// has one. Errors: kLimit if tables share objects so often that the text would be many times as
// long as the file.
Result<Json> DocumentToJson(const Schema& schema, const Document& document);

// The inverse of DocumentToJson. A value without a position gets a new position, and a table with
// fields that its vtable lacks gets a new vtable. Errors: kInvalid, with the key. Never throws.
Result<Document> DocumentFromJson(const Schema& schema, const Json& json, int16_t root_table);

// Returns the evidence for a field of a table or struct, and its source. The format of the schema
// provides this function.
using FieldSource =
    std::function<std::pair<FactEvidence, std::string>(const TableType& table, const Field& field)>;

// Returns the rows of Format::fields for Documents with this root table. Their JSON form is under
// the member `prefix`, or at the top level if `prefix` is empty.
std::vector<FieldFact> DocumentFacts(const Schema& schema, int16_t root_table,
                                     const std::string& prefix, const FieldSource& source_of);

}  // namespace anecheck::flatbuffer
