#include <fmt/format.h>

#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/base/json_fields.h"
#include "harness/base/little_endian.h"
#include "harness/formats/format_of.h"
#include "harness/formats/hal/hal.h"
#include "harness/formats/hal/rules.h"
#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

// Returns a row per named field, with its source from the layout.
std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  static const std::vector<FieldFact> facts = [] {
    std::vector<FieldFact> rows;
    for (const HalField& field : HalLayout::Get().fields()) {
      const bool specified = field.source.starts_with("specification");
      rows.push_back({"table." + field.name,
                      specified ? FactEvidence::kSpecification : FactEvidence::kPublicNotes,
                      field.source});
    }
    rows.push_back({"table.opaque", FactEvidence::kOpaque, "no source describes these bytes"});
    return rows;
  }();
  return facts;
}

// There is no magic number. The certainty depends on the size, the constants that are equal on all
// chips, and the extension.
int Recognise(ByteSpan bytes, std::string_view path) {
  if (bytes.size() != kHalSize) return 0;
  const bool constants = LoadLittle(bytes, 0x1c8, 8) == 64 && LoadLittle(bytes, 0x200, 8) == 65536;
  if (path.ends_with(".hal")) return constants ? 90 : 70;
  return constants ? 60 : 0;
}

Result<Json> ToJson(const HalBlob& blob) {
  return Json{{"format", "hal"}, {"table", RecordToJson(HalRecordFields(), blob.bytes())}};
}

Result<Bytes> FromJson(const Json& json) {
  if (!json.is_object() || !json.contains("table")) {
    return json_fields::Bad("hal", "needs a member \"table\"");
  }
  return RecordFromJson(HalRecordFields(), json["table"], kHalSize, "table");
}

Result<Bytes> Write(const HalBlob& blob) { return Bytes(blob.bytes().begin(), blob.bytes().end()); }

// Returns the targets whose known values all equal those in the table.
std::string MatchingTargets(const HalBlob& blob) {
  std::string names;
  for (const Target& target : AllTargets()) {
    const HalImage pair[] = {HalImageOf(target), HalImageOf(blob, "file")};
    if (DiffHal(pair).empty()) names += (names.empty() ? "" : ", ") + target.name;
  }
  return names.empty() ? "no target" : names;
}

std::string FieldLine(const HalField& field, const HalBlob& blob) {
  std::string value;
  if (field.kind == HalKind::kFlag) {
    const uint8_t byte = blob.bytes()[field.offset];
    value = byte > 1 ? fmt::format("{} (byte 0x{:x})", byte & 1, byte) : fmt::format("{}", byte);
  } else if (field.kind == HalKind::kPointer || field.kind == HalKind::kString) {
    value = HexText(blob.bytes().subspan(field.offset, field.width));
  } else {
    value = fmt::format("{}", LoadLittle(blob.bytes(), field.offset, field.width));
  }
  return fmt::format("  0x{:03x} {:7} {:<2} {:42} {}{}{}\n", field.offset, HalKindName(field.kind),
                     field.width, field.name, value, field.unit.empty() ? "" : " " + field.unit,
                     field.dead ? "  (dead: not read through the table)" : "");
}

std::string Print(const HalBlob& blob) {
  std::string text = fmt::format("HAL table, 0x{:x} bytes\n", kHalSize);
  text += fmt::format("agrees with every known value of: {}\n", MatchingTargets(blob));
  text += fmt::format("named fields cover {} of {} bytes; no source describes the others\n",
                      RecordTypedBytes(HalRecordFields()), kHalSize);
  for (const HalField& field : HalLayout::Get().fields()) text += FieldLine(field, blob);
  const HalLayout& layout = HalLayout::Get();
  std::string unnamed;
  uint32_t opaque = 0;
  for (uint32_t offset = 0; offset < kHalSize; ++offset) {
    if (layout.Covering(offset) != nullptr || blob.bytes()[offset] == 0) continue;
    if (layout.MayBeFlag(offset)) {
      unnamed += fmt::format(" 0x{:x}", offset);
    } else {
      ++opaque;
    }
  }
  text += fmt::format("unnamed capability bytes not 0:{}\n", unnamed.empty() ? " none" : unnamed);
  text += fmt::format("other undescribed bytes not 0: {}\n", opaque);
  return text +
         "sources differ: the public guide, chapter 35, gives a table of 0x348 bytes; it names "
         "0x748 part of the factor list 0x730 to 0x750, the specification a texture descriptor\n";
}

ByteCounts CountBytes(const HalBlob& /*blob*/, ByteSpan bytes) {
  return {bytes.size(), 0, RecordTypedBytes(HalRecordFields())};
}

const FormatOf<HalBlob> kHal = {
    .name = "hal",
    .title = "Hardware-abstraction table of a compiler target",
    .rules = hal::Rules(),
    .fields = FieldFacts,
    .recognise = Recognise,
    .from_json = FromJson,
    .parse = HalBlob::Parse,
    .to_json = ToJson,
    .write = Write,
    .verify = hal::Verify,
    .print = Print,
    .count_bytes = CountBytes,
};

}  // namespace

const Format kFormat_hal = MakeFormat<kHal>();

}  // namespace anecheck
