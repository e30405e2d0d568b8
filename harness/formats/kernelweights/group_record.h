// The 14-word record of an output-channel group. It has the offset and the number of channels of
// the part of a kernel that one engine computes. Section "ocgs" of a compressed kernel is an array
// of these records. Source: facts/more/weight_sections.csv (guide, chapter 25).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/formats/format.h"
#include "harness/formats/record/typed_record.h"

namespace anecheck::kernelweights {

// The value of a relocation slot before the program is loaded.
inline constexpr uint32_t kUnresolvedSlot = 0xffffffff;

struct GroupRecord {
  uint32_t offset = 0;                  // word 0: byte offset in the weights section
  uint32_t channels = 0;                // word 1: of this engine
  std::array<uint32_t, 10> slots = {};  // words 2 to 11: relocation slots
  // Words 12 and 13. Every source has 0 here. Other values are kept unchanged.
  std::array<uint32_t, 2> reserved = {};
  friend bool operator==(const GroupRecord&, const GroupRecord&) = default;
};
inline constexpr auto kGroupRecord = RecordOf<GroupRecord>(
    "facts/more/weight_sections.csv (guide, chapter 25)", FactEvidence::kPublicNotes,
    Field{"offset", &GroupRecord::offset}, Field{"channels", &GroupRecord::channels},
    Field{"slots", &GroupRecord::slots}, Field{"reserved", &GroupRecord::reserved});
inline constexpr size_t kGroupRecordBytes = kGroupRecord.kSize;
static_assert(kGroupRecordBytes == 56);

// Returns a record with the slots of a program that is not loaded.
GroupRecord UnloadedGroupRecord(uint32_t offset, uint32_t channels);

// Reads little-endian records. Errors: kMalformed if the size is not a multiple of the record size.
Result<std::vector<GroupRecord>> ParseGroupRecords(ByteSpan bytes, uint64_t base = 0);
Bytes WriteGroupRecords(std::span<const GroupRecord> records);

}  // namespace anecheck::kernelweights
