// A hardware-abstraction table as a file: 0x938 bytes with named fields
// (harness/targets/hal_layout.h, from specification 003, tables 24.1 to 24.5). Typed reading and
// writing, tables made from the known values of a target, and a byte-granular difference of any
// number of tables.
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

// A whole table. Reads and writes name a field by its offset. They refuse an offset past the end,
// one that no source describes, and a field of another kind.
class HalBlob {
 public:
  // Errors: kMalformed unless `bytes` has exactly 0x938 bytes.
  static Result<HalBlob> Parse(ByteSpan bytes);

  // A field of kind scalar or value, at its width.
  Result<uint64_t> Scalar(uint32_t offset) const;
  // `blob[offset] & 1`: a named flag, or an unnamed byte of the capability region. Refused for
  // values and pointers, and in the cost block (0x580 to 0x7f0) except for the flags named there.
  Result<bool> Flag(uint32_t offset) const;
  // The raw bytes of the field of any kind that begins at `offset`.
  Result<ByteSpan> Field(uint32_t offset) const;

  // Changes that field's bytes and nothing else.
  Status SetScalar(uint32_t offset, uint64_t value);

  ByteSpan bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

// A table of which only some bytes are known.
struct HalImage {
  std::string name;
  Bytes bytes;              // 0x938; meaningless where not known
  std::vector<bool> known;  // one per byte
};

// The bytes of a target's table that the sources state. Fields that are never read through the
// table, pointers and values without a source are unknown.
HalImage HalImageOf(const Target& target);
// A blob as an image, with every byte known.
HalImage HalImageOf(const HalBlob& blob, std::string name);

// One byte that is known in at least two tables and differs between them.
struct HalDifference {
  uint32_t offset = 0;
  const HalField* field = nullptr;             // null if no field covers the byte
  std::vector<std::optional<uint8_t>> values;  // one per table; nothing if unknown there
};

// Every differing byte of any number of tables, by offset.
std::vector<HalDifference> DiffHal(std::span<const HalImage> images);
// The differences as text for people: one line per byte, under a header with the tables' names.
std::string DiffHalText(std::span<const HalImage> images);

// The record fields of the whole table, by offset.
std::span<const RecordField> HalRecordFields();

}  // namespace anecheck
