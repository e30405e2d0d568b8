// The JSON form of a Document: one object a table with plain values under the schema's field names,
// and beside them, under "@", where the pieces stood. Used by the e5 and vmfb formats' to_json and
// from_json.
#pragma once

#include <nlohmann/json_fwd.hpp>

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

// Bytes as hexadecimal text and back; nothing where the text is none.
std::string ToHex(ByteSpan bytes);
Result<Bytes> FromHex(std::string_view text);

}  // namespace anecheck::flatbuffer
