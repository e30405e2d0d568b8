// Converts records of fixed layout to JSON and back. A record has named little-endian fields at
// offsets; every byte between fields is kept in an opaque run. Used by the hal, tdv10 and
// submission formats, where sources describe only some fields of a structure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/formats/format.h"

namespace anecheck {

enum class RecordKind : uint8_t {
  kNumber,  // unsigned, at most 8 bytes; a JSON number
  kHex,     // unsigned, at most 8 bytes; "0x..." in JSON
  kBytes,   // hexadecimal digits, two per byte
  kBase64,  // in a TypedRecord only
  kSparse,  // numbers of `element` bytes; {"index": number} in JSON, for those that are not 0
};

struct RecordField {
  std::string_view name;
  uint32_t offset = 0;  // from the start of the record
  uint32_t width = 0;   // bytes
  RecordKind kind = RecordKind::kNumber;
  uint32_t element = 0;  // bytes; of kSparse alone
};

// A JSON object with one member per field. The non-zero bytes outside all fields are under
// "opaque": [{"offset": "0x1c", "bytes": "0a0b"}]. `fields` are sorted by offset, do not overlap
// and lie inside `bytes`.
Json RecordToJson(std::span<const RecordField> fields, ByteSpan bytes);

// The inverse, for a record of `size` bytes. Fails, with the member under `path`, if a field is
// missing, unknown or out of range, or if an opaque run leaves the record or touches a field.
Result<Bytes> RecordFromJson(std::span<const RecordField> fields, const Json& json, size_t size,
                             std::string_view path);

// The number of bytes in fields.
uint64_t RecordTypedBytes(std::span<const RecordField> fields);

// Parses hexadecimal text; the error names `path`.
Result<Bytes> ParseHexBytes(std::string_view text, std::string_view path);

}  // namespace anecheck
