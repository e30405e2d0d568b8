#include "harness/formats/tdv10/sparse.h"

#include <fmt/format.h>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/little_endian.h"
#include "harness/base/planted_bug.h"

namespace anecheck::tdv10 {
namespace {

Status Write(Image& image, size_t index, uint32_t address, uint64_t value) {
  if (value > UINT32_MAX) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("record[{}]: 0x{:x} does not fit in register 0x{:x}", index, value, address));
  }
  const Status status = image.SetRegister(address, static_cast<uint32_t>(value));
  if (status.ok()) return {};
  return MakeError(status.error().code,
                   fmt::format("record[{}]: {}", index, status.error().message));
}

}  // namespace

std::vector<SparseRecord> Serialize(const Image& image, const Image& defaults, uint64_t aperture) {
  std::vector<SparseRecord> records;
  for (const RegisterGroup& group : Groups()) {
    for (uint32_t i = 0; i < group.count; ++i) {
      const auto value = [&](const Image& from, uint32_t at) {
        return LoadLittle(from.bytes(), group.image_base + 4 * at, 4);
      };
      if (value(image, i) == value(defaults, i)) continue;
      SparseRecord record;
      record.register_address = aperture + group.address + 4 * i;
      record.first = value(image, i);
      const bool paired = SlotAt(group.address + 4 * i) != nullptr && i + 1 < group.count &&
                          value(image, i + 1) != value(defaults, i + 1) && value(image, i + 1) != 0;
      if (paired) record.second = value(image, ++i);
      records.push_back(record);
    }
  }
  return records;
}

Result<Image> Deserialize(std::span<const SparseRecord> records, const Image& defaults) {
  Image image = defaults;
  for (size_t i = 0; i < records.size(); ++i) {
    ANECHECK_RETURN_IF_ERROR(Write(image, i, records[i].address(), records[i].first));
    if (records[i].second != 0) {
      ANECHECK_RETURN_IF_ERROR(Write(image, i, records[i].address() + 4, records[i].second));
    }
  }
  return image;
}

Bytes WriteRecords(std::span<const SparseRecord> records) {
  ByteWriter writer;
  for (const SparseRecord& record : records) kSparseRecord.Write(record, writer);
  return std::move(writer).Take();
}

Result<std::vector<SparseRecord>> ReadRecords(ByteSpan bytes) {
  if (bytes.size() % kRecordSize != 0 && !IsPlanted(PlantedBug::kTdv10PartialRecord)) {
    return MakeError(
        ErrorCode::kMalformed,
        fmt::format("record-size: 0x{:x} bytes are no whole number of records of 44", bytes.size()),
        bytes.size() / kRecordSize * kRecordSize);
  }
  ByteReader reader(bytes, 0, "record");
  std::vector<SparseRecord> records;
  records.reserve(bytes.size() / kRecordSize);
  while (!reader.AtEnd() && reader.ok()) {
    kSparseRecord.Read(reader, records.emplace_back());
  }
  return records;
}

}  // namespace anecheck::tdv10
