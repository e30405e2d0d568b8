// The JSON form of a Document: one object per table with plain values under the schema's field
// names, and beside them, under "@", where the pieces stood. Used by the e5 and vmfb formats'
// to_json and from_json.
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
// [...]}. Byte vectors are hexadecimal text, enumerations names where the schema has one. Errors:
// kLimit where objects are shared so often that the text would be a multiple of the file.
Result<Json> DocumentToJson(const Schema& schema, const Document& document);

// The inverse. A value without a place, and a table whose fields its vtable does not have, are laid
// out anew. Errors: kInvalid naming the key. Never throws.
Result<Document> DocumentFromJson(const Schema& schema, const Json& json, int16_t root_table);

// The evidence for a field of a table or struct, and its source, as the schema's room knows them.
using FieldSource =
    std::function<std::pair<FactEvidence, std::string>(const TableType& table, const Field& field)>;

// The rows (see Format::fields) of the JSON forms of Documents with this root table, which stand
// under the member `prefix` (empty: at the top).
std::vector<FieldFact> DocumentFacts(const Schema& schema, int16_t root_table,
                                     const std::string& prefix, const FieldSource& source_of);

}  // namespace anecheck::flatbuffer
