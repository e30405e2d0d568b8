// The JSON form of a Document: one object per table, with plain values under the schema's field
// names, and with the places of its pieces under "@". Used by the e5 and vmfb formats' to_json and
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
// [...]}. Byte vectors are hexadecimal text; enumerations are names if the schema has one for the
// value. Errors: kLimit if objects are shared so often that the text would be many times as long as
// the file.
Result<Json> DocumentToJson(const Schema& schema, const Document& document);

// The inverse. A value without a place gets a new place, and a table with fields that its vtable
// lacks gets a new vtable. Errors: kInvalid, with the key. Never throws.
Result<Document> DocumentFromJson(const Schema& schema, const Json& json, int16_t root_table);

// The evidence for a field of a table or struct, and its source. The format that owns the schema
// provides it.
using FieldSource =
    std::function<std::pair<FactEvidence, std::string>(const TableType& table, const Field& field)>;

// The rows of Format::fields for Documents with this root table, whose JSON form stands under the
// member `prefix`, or at the top if `prefix` is empty.
std::vector<FieldFact> DocumentFacts(const Schema& schema, int16_t root_table,
                                     const std::string& prefix, const FieldSource& source_of);

}  // namespace anecheck::flatbuffer
