// Output-channel-group records.
#include "harness/formats/weightblob/group_record.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"

namespace anecheck::weightblob {

namespace {

constexpr std::string_view kSource = "facts/more/weight_sections.csv (guide, chapter 25)";
constexpr std::array<Rule, 3> kRules = {{
    {"reserved-zero", "Words 12 and 13 of a record are 0.", kSource, FactEvidence::kPublicNotes},
    {"slots-unresolved", "Words 2 to 11 of a record are -1 until the program is loaded.", kSource,
     FactEvidence::kPublicNotes},
    {"offset-inside-section", "Word 0 of a record points into the weights section.", kSource,
     FactEvidence::kPublicNotes},
}};

}  // namespace

std::span<const Rule> GroupRecordRules() { return kRules; }

GroupRecord UnloadedGroupRecord(uint32_t offset, uint32_t channels) {
  GroupRecord record{offset, channels, {}, {}};
  record.slots.fill(kUnresolvedSlot);
  return record;
}

Result<std::vector<GroupRecord>> ParseGroupRecords(ByteSpan bytes, uint64_t base) {
  if (bytes.size() % kGroupRecordBytes != 0) {
    return MakeError(
        ErrorCode::kMalformed,
        fmt::format("ocgs: {} bytes are no whole number of 56-byte records", bytes.size()), base);
  }
  std::vector<GroupRecord> records(bytes.size() / kGroupRecordBytes);
  ByteReader reader(bytes, base, "ocgs");
  for (GroupRecord& record : records) {
    record.offset = reader.U32("offset");
    record.channels = reader.U32("channels");
    for (uint32_t& slot : record.slots) slot = reader.U32("slot");
    for (uint32_t& word : record.reserved) word = reader.U32("reserved");
  }
  ANECHECK_RETURN_IF_ERROR(reader.status());
  return records;
}

Bytes WriteGroupRecords(std::span<const GroupRecord> records) {
  ByteWriter writer;
  for (const GroupRecord& record : records) {
    writer.U32(record.offset);
    writer.U32(record.channels);
    for (const uint32_t slot : record.slots) writer.U32(slot);
    for (const uint32_t word : record.reserved) writer.U32(word);
  }
  return std::move(writer).Take();
}

std::vector<Violation> VerifyGroupRecords(std::span<const GroupRecord> records,
                                          uint64_t section_bytes, uint64_t base) {
  std::vector<Violation> violations;
  for (size_t i = 0; i < records.size(); ++i) {
    const GroupRecord& record = records[i];
    const uint64_t at = base + i * kGroupRecordBytes;
    if (record.offset >= section_bytes) {
      violations.push_back({&kRules[2], at,
                            fmt::format("ocgs[{}].offset {:#x} is outside a section of {:#x} bytes",
                                        i, record.offset, section_bytes)});
    }
    if (!std::ranges::all_of(record.slots, [](uint32_t slot) { return slot == kUnresolvedSlot; })) {
      violations.push_back({&kRules[1], at + 8, fmt::format("ocgs[{}] has a slot set", i)});
    }
    if (record.reserved != std::array<uint32_t, 2>{}) {
      violations.push_back({&kRules[0], at + 48, fmt::format("ocgs[{}] words 12, 13 not 0", i)});
    }
  }
  return violations;
}

}  // namespace anecheck::weightblob
