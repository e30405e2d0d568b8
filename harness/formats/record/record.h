// Converts records of fixed layout to JSON and back. A record has named little-endian fields at
// fixed offsets. The JSON has the bytes between fields as opaque runs. Used by the hal, tdv10 and
// submission formats, because sources describe only some fields of their structures.
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
  kSparse,  // numbers of `element` bytes; in JSON {"index": number} for each that is not 0
};

struct RecordField {
  std::string_view name;
  uint32_t offset = 0;  // from the start of the record
  uint32_t width = 0;   // bytes
  RecordKind kind = RecordKind::kNumber;
  uint32_t element = 0;  // bytes of one number; only for kSparse
};

// Returns a JSON object with one member per field. The non-zero bytes outside all fields are under
// "opaque": [{"offset": "0x1c", "bytes": "0a0b"}]. Precondition: `fields` are sorted by offset, do
// not overlap and are inside `bytes`.
Json RecordToJson(std::span<const RecordField> fields, ByteSpan bytes);

// The inverse of RecordToJson, for a record of `size` bytes. Fails if a field is missing, unknown
// or out of range, or if an opaque run extends beyond the record or overlaps a field. The error has
// the member's path, which begins with `path`.
Result<Bytes> RecordFromJson(std::span<const RecordField> fields, const Json& json, size_t size,
                             std::string_view path);

// Returns the number of bytes that belong to fields.
uint64_t RecordTypedBytes(std::span<const RecordField> fields);

// Parses hexadecimal text. The error names `path`.
Result<Bytes> ParseHexBytes(std::string_view text, std::string_view path);

}  // namespace anecheck
