// Output-channel-group records.
#include "harness/formats/kernelweights/group_record.h"

#include <fmt/format.h>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"

namespace anecheck::kernelweights {

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
  for (GroupRecord& record : records) kGroupRecord.Read(reader, record);
  ANECHECK_RETURN_IF_ERROR(reader.status());
  return records;
}

Bytes WriteGroupRecords(std::span<const GroupRecord> records) {
  ByteWriter writer;
  for (const GroupRecord& record : records) kGroupRecord.Write(record, writer);
  return std::move(writer).Take();
}

}  // namespace anecheck::kernelweights
