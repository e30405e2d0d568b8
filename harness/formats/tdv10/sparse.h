// The sparse form of a version-10 image. It has one record of 44 bytes for each register that
// differs from its default (specification 000, below table 23.5).
//
// The specification states the size, a count marker (0x28 in table 23.7), one register address in
// one aperture, and one or two device addresses. Their offsets in the record are assumed: marker
// u32 at 0, register u64 at 4, first value u64 at 12, second value u64 at 20, then 16 bytes of
// unknown meaning. The alignment of the registers' aperture to 64 KiB is also assumed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"
#include "harness/formats/record/typed_record.h"
#include "harness/formats/tdv10/image.h"

namespace anecheck::tdv10 {

inline constexpr size_t kRecordSize = 44;
inline constexpr uint32_t kRecordMarker = 0x28;  // the number of bytes that follow the marker
inline constexpr uint64_t kApertureSize = 0x10000;

struct SparseRecord {
  uint32_t marker = kRecordMarker;
  uint64_t register_address = 0;  // base of the aperture plus the register's address
  uint64_t first = 0;             // the value of that register
  uint64_t second = 0;            // of a relocation slot: the value of the next register

  std::array<uint8_t, 16> rest = {};  // without known meaning

  // Returns the register's byte address in the aperture.
  uint32_t address() const { return static_cast<uint32_t>(register_address & (kApertureSize - 1)); }
};

inline constexpr auto kSparseRecord = RecordOf<SparseRecord>(
    "specification 000, below table 23.5, for a record's content; its place is assumed",
    FactEvidence::kAssumed, Field{"marker", &SparseRecord::marker, RecordKind::kHex},
    Field{"register", &SparseRecord::register_address, RecordKind::kHex},
    Field{"first", &SparseRecord::first, RecordKind::kHex},
    Field{"second", &SparseRecord::second, RecordKind::kHex},
    Field{"rest", &SparseRecord::rest, RecordKind::kBytes});
static_assert(kSparseRecord.kSize == kRecordSize);
// The fields whose meaning is known or assumed.
inline constexpr auto kSparseFields = [] {
  constexpr auto kAll = kSparseRecord.Fields();
  std::array<RecordField, kAll.size() - 1> fields;
  std::copy_n(kAll.begin(), fields.size(), fields.begin());
  return fields;
}();

// Returns one record for each register of `image` that differs from `defaults`, in the order of
// groups. If the next register of a relocation slot also differs and is not 0, the record of the
// slot has its value. Leaves out bytes outside the groups. Precondition: `aperture` is a multiple
// of 64 KiB.
std::vector<SparseRecord> Serialize(const Image& image, const Image& defaults, uint64_t aperture);

// Returns a copy of `defaults` with the values of all records. Fails if a record's register is in
// no group or a value does not fit in the register.
Result<Image> Deserialize(std::span<const SparseRecord> records, const Image& defaults);

// Writes 44 bytes per record.
Bytes WriteRecords(std::span<const SparseRecord> records);
// Fails if the size of `bytes` is not a multiple of 44.
Result<std::vector<SparseRecord>> ReadRecords(ByteSpan bytes);

}  // namespace anecheck::tdv10
