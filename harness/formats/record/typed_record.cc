#include "harness/formats/record/typed_record.h"

namespace anecheck::record {

void FromJson(JsonFields& fields, std::string_view name, RecordKind /*kind*/,
              std::span<char> text) {
  const std::string read = fields.Text(name);
  if (read.size() > text.size()) {
    fields.Fail(name, fmt::format("is longer than {} bytes", text.size()));
    return;
  }
  std::ranges::copy(read, text.begin());
}

void FromJson(JsonFields& fields, std::string_view name, RecordKind kind,
              std::span<uint8_t> bytes) {
  const Bytes read = kind == RecordKind::kBase64 ? fields.Base64(name) : fields.HexBytesOr(name);
  if (read.size() != bytes.size()) {
    fields.Fail(name, fmt::format("needs {} bytes, has {}", bytes.size(), read.size()));
    return;
  }
  std::ranges::copy(read, bytes.begin());
}

void FromJson(JsonFields& fields, std::string_view name, RecordKind /*kind*/,
              std::span<uint32_t> all) {
  const std::vector<uint64_t> read = fields.Uints(name, UINT32_MAX, all.size(), all.size());
  for (size_t i = 0; i < read.size(); ++i) all[i] = static_cast<uint32_t>(read[i]);
}

void FromJson(JsonFields& fields, std::string_view name, RecordKind /*kind*/,
              std::span<Half> halves) {
  const std::vector<uint64_t> read = fields.Uints(name, UINT16_MAX, halves.size(), halves.size());
  for (size_t i = 0; i < read.size(); ++i) halves[i].bits = static_cast<uint16_t>(read[i]);
}

}  // namespace anecheck::record
