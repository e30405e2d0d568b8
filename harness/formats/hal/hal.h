// A hardware-abstraction table as a file: 0x938 bytes with named fields
// (harness/targets/hal_layout.h, from specification 003, tables 24.1 to 24.5). Reads and writes
// typed fields, makes tables from the known values of a target, and compares any number of tables
// byte by byte.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"
#include "harness/formats/record/record.h"
#include "harness/targets/hal_layout.h"
#include "harness/targets/target.h"

namespace anecheck {

extern const Format kFormat_hal;

// A whole table. The offset of a field identifies it. Reads and writes refuse an offset past the
// end, an offset without a described field, and a field of another kind.
class HalBlob {
 public:
  // Errors: kMalformed unless `bytes` has exactly 0x938 bytes.
  static Result<HalBlob> Parse(ByteSpan bytes);

  // Returns a field of kind scalar or value, with its width.
  Result<uint64_t> Scalar(uint32_t offset) const;
  // Returns `blob[offset] & 1` for a named flag, or for an unnamed byte of the capability region.
  // Refuses values and pointers. In the cost block (0x580 to 0x7f0), refuses all but the named
  // flags.
  Result<bool> Flag(uint32_t offset) const;
  // Returns the raw bytes of the field of any kind that begins at `offset`.
  Result<ByteSpan> Field(uint32_t offset) const;

  // Changes only the bytes of the field at `offset`.
  Status SetScalar(uint32_t offset, uint64_t value);

  ByteSpan bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

// A table of which only some bytes are known.
struct HalImage {
  std::string name;
  Bytes bytes;              // 0x938 bytes; unspecified if not known
  std::vector<bool> known;  // one per byte
};

// Returns the bytes of a target's table that sources state. Unknown bytes are those of pointers, of
// values without a source, and of fields that nothing reads from the table.
HalImage HalImageOf(const Target& target);
// Returns a blob as an image whose bytes are all known.
HalImage HalImageOf(const HalBlob& blob, std::string name);

// One byte that is known in at least two tables and differs between them.
struct HalDifference {
  uint32_t offset = 0;
  const HalField* field = nullptr;             // null if no field covers the byte
  std::vector<std::optional<uint8_t>> values;  // one per table; nothing if unknown in that table
};

// Returns the bytes that differ between any number of tables, sorted by offset.
std::vector<HalDifference> DiffHal(std::span<const HalImage> images);
// Returns the differences as text with a header of the tables' names and one line per byte.
std::string DiffHalText(std::span<const HalImage> images);

// Returns the record fields of the whole table, sorted by offset.
std::span<const RecordField> HalRecordFields();

}  // namespace anecheck
