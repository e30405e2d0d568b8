#include <algorithm>
#include <fmt/format.h>

#include "harness/base/counted.h"
#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/base/json_fields.h"
#include "harness/base/little_endian.h"
#include "harness/formats/format_of.h"
#include "harness/formats/message.h"
#include "harness/formats/tdv10/file.h"

namespace anecheck {
namespace tdv10 {
namespace {

using json_fields::Bad;

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  static const std::vector<FieldFact> facts = [] {
    constexpr const char* kRecord =
        "specification 000, below table 23.5, for a record's content; its place is assumed";
    std::vector<FieldFact> rows = {
        {"form", FactEvidence::kNotation, "image, structure or sparse, by the size"},
        {"lead", FactEvidence::kOpaque, "the 8 bytes by which table 23.4 and appendix C.6 differ"}};
    for (const NamedField& field : Fields()) {
      const bool specified = field.evidence == FactEvidence::kSpecification;
      rows.push_back(
          {"image.fields." + std::string(field.name), field.evidence,
           specified ? "specification 000, listing 23.3" : "public guide, appendix C.6"});
    }
    rows.push_back(
        {"image.registers", FactEvidence::kSpecification,
         "specification 000, table 23.4: the groups; bits outside of fields have no name"});
    rows.push_back({"image.opaque", FactEvidence::kOpaque, "bytes between the groups"});
    for (const RecordField& field : kSparseFields) {
      rows.push_back({"records[]." + std::string(field.name), FactEvidence::kAssumed, kRecord});
    }
    rows.push_back({"records[].opaque", FactEvidence::kOpaque, "16 bytes without known meaning"});
    return rows;
  }();
  return facts;
}

// Returns a mask of the bits of the register at `address` that belong to named fields.
uint32_t FieldMask(uint32_t address) {
  uint32_t mask = 0;
  for (const NamedField& field : Fields()) {
    if (field.bits.address == address) {
      mask |= ((uint32_t{1} << field.bits.width) - 1) << field.bits.bit;
    }
  }
  return mask;
}

// Returns each group as one field of bytes. Then the bytes between the groups are opaque.
std::vector<RecordField> GroupFields() {
  std::vector<RecordField> fields;
  for (const RegisterGroup& group : Groups()) {
    fields.push_back({group.name, group.image_base, group.count * 4, RecordKind::kBytes});
  }
  return fields;
}

// Returns {"fields": {name: value}, "registers": {group: {"0x4d00": "0x..."}}, "opaque": [...]}.
// Leaves out registers that are 0 outside their named fields.
Json ImageJson(const Image& image) {
  Json fields = Json::object();
  for (const NamedField& field : Fields()) {
    fields[std::string(field.name)] = image.Bits(field.bits).value();
  }
  Json groups = Json::object();
  for (const RegisterGroup& group : Groups()) {
    Json registers = Json::object();
    for (uint32_t i = 0; i < group.count; ++i) {
      const uint32_t address = group.address + 4 * i;
      const uint32_t rest = image.Register(address).value() & ~FieldMask(address);
      if (rest != 0) registers[HexNumber(address)] = HexNumber(rest);
    }
    groups[std::string(group.name)] = std::move(registers);
  }
  const std::vector<RecordField> covered = GroupFields();
  return Json{{"fields", std::move(fields)},
              {"registers", std::move(groups)},
              {"opaque", RecordToJson(covered, image.bytes())["opaque"]}};
}

Status ReadRegisters(const Json& registers, const RegisterGroup& group, Image& image) {
  for (const auto& [key, value] : registers.items()) {
    const std::string path = fmt::format("registers.{}.{}", group.name, Shown(key));
    ANECHECK_ASSIGN(const uint64_t address, json_fields::Number(Json(key), path));
    ANECHECK_ASSIGN(const uint64_t word, json_fields::Number(value, path));
    if (address > UINT32_MAX || GroupOf(static_cast<uint32_t>(address)) != &group) {
      return Bad(path, "is no register of this group");
    }
    if (word > UINT32_MAX || (word & FieldMask(static_cast<uint32_t>(address))) != 0) {
      return Bad(path, "has bits of a named field, or more than 32");
    }
    ANECHECK_RETURN_IF_ERROR(
        image.SetRegister(static_cast<uint32_t>(address), static_cast<uint32_t>(word)));
  }
  return {};
}

Result<Image> ImageFromJson(const Json& json) {
  if (!json.is_object()) return Bad("image", "needs an object");
  // First sets the undescribed bytes, and the bytes of the groups to zero.
  Json between = Json::object();
  for (const RegisterGroup& group : Groups()) {
    between[std::string(group.name)] = std::string(group.count * 8, '0');
  }
  if (json.contains("opaque")) between["opaque"] = json["opaque"];
  const std::vector<RecordField> covered = GroupFields();
  ANECHECK_ASSIGN(const Bytes bytes, RecordFromJson(covered, between, kImageSize, "image"));
  ANECHECK_ASSIGN(Image image, Image::Parse(bytes));
  const auto registers = json.find("registers");
  const auto fields = json.find("fields");
  if (registers == json.end() || !registers->is_object() || fields == json.end() ||
      !fields->is_object()) {
    return Bad("image", "needs the objects \"fields\" and \"registers\"");
  }
  for (const auto& [name, values] : registers->items()) {
    const auto group = std::find_if(Groups().begin(), Groups().end(),
                                    [&](const RegisterGroup& g) { return g.name == name; });
    if (group == Groups().end() || !values.is_object()) {
      return Bad("registers",
                 fmt::format("\"{}\" is no group with an object of registers", Shown(name)));
    }
    ANECHECK_RETURN_IF_ERROR(ReadRegisters(values, *group, image));
  }
  for (const auto& [name, value] : fields->items()) {
    ANECHECK_ASSIGN(const uint64_t number, json_fields::Number(value, "fields." + Shown(name)));
    ANECHECK_RETURN_IF_ERROR(image.SetField(name, number));
  }
  return image;
}

Result<Json> ToJson(const File& file) {
  Json json = {{"format", "tdv10"}, {"form", FormName(file.form)}};
  if (file.form == Form::kSparse) {
    const Bytes bytes = WriteRecords(file.records);
    Json records = Json::array();
    for (size_t at = 0; at < bytes.size(); at += kRecordSize) {
      records.push_back(RecordToJson(kSparseFields, ByteSpan(bytes).subspan(at, kRecordSize)));
    }
    json["records"] = std::move(records);
    return json;
  }
  if (file.form == Form::kStructure) json["lead"] = HexText(file.lead);
  json["image"] = ImageJson(*file.image);
  return json;
}

Result<Bytes> SparseFromJson(const Json& json) {
  ANECHECK_ASSIGN(const std::vector<const Json*> rows,
                  json_fields::Array(json, "records", "tdv10"));
  if (rows.empty()) return Bad("tdv10", "a sparse stream needs at least one record");
  Bytes bytes;
  for (size_t i = 0; i < rows.size(); ++i) {
    ANECHECK_ASSIGN(const Bytes record, RecordFromJson(kSparseFields, *rows[i], kRecordSize,
                                                       fmt::format("records[{}]", i)));
    bytes.insert(bytes.end(), record.begin(), record.end());
  }
  return bytes;
}

Result<Bytes> FromJson(const Json& json) {
  if (!json.is_object()) return Bad("tdv10", "needs an object");
  ANECHECK_ASSIGN(const std::string form, json_fields::String(json, "form", "tdv10"));
  if (form == FormName(Form::kSparse)) return SparseFromJson(json);
  Bytes bytes;
  if (form == FormName(Form::kStructure)) {
    ANECHECK_ASSIGN(const std::string lead, json_fields::String(json, "lead", "tdv10"));
    ANECHECK_ASSIGN(bytes, ParseHexBytes(lead, "lead"));
    if (bytes.size() != kStructureLead) return Bad("lead", "needs 8 bytes");
  } else if (form != FormName(Form::kImage)) {
    return Bad("form", fmt::format("\"{}\" is none of image, structure, sparse", Shown(form)));
  }
  if (!json.contains("image")) return Bad("tdv10", "needs an object \"image\"");
  ANECHECK_ASSIGN(const Image image, ImageFromJson(json["image"]));
  bytes.insert(bytes.end(), image.bytes().begin(), image.bytes().end());
  return bytes;
}

Result<Bytes> Write(const File& file) {
  if (file.form == Form::kSparse) return WriteRecords(file.records);
  Bytes written = file.lead;
  written.insert(written.end(), file.image->bytes().begin(), file.image->bytes().end());
  return written;
}

int Recognise(ByteSpan bytes, std::string_view path) {
  const Result<Form> form = FormOf(bytes);
  if (!form.ok()) return 0;
  if (*form == Form::kSparse) {
    for (size_t at = 0; at < bytes.size(); at += kRecordSize) {
      if (LoadLittle(bytes, at, 4) != kRecordMarker) return 0;
    }
    return 70;
  }
  return path.ends_with(".tdv10") ? 60 : 0;
}

std::string PrintImage(const Image& image) {
  std::string text;
  for (const NamedField& field : Fields()) {
    text += fmt::format("  {:15} {:8}  register 0x{:x} bits {}:{} ({})\n", field.name,
                        image.Bits(field.bits).value(), field.bits.address,
                        field.bits.bit + field.bits.width - 1, field.bits.bit,
                        FactEvidenceName(field.evidence));
  }
  const uint32_t cout_word = image.Register(0x10).value();
  text += fmt::format(
      "  another source puts CommonInFmt ({}) and CommonOutFmt ({}) into the register of Cout\n",
      cout_word & 3, (cout_word >> 4) & 3);
  for (const RegisterGroup& group : Groups()) {
    text += fmt::format(
        "group {} (image 0x{:x}, structure 0x{:x}, {} at 0x{:x}; also "
        "\"{}\")\n",
        group.name, group.image_base, group.image_base + kStructureLead,
        Counted(group.count, "register"), group.address, group.other_label);
    for (uint32_t i = 0; i < group.count; ++i) {
      const uint32_t address = group.address + 4 * i;
      const uint32_t value = image.Register(address).value();
      const RelocationSlot* slot = SlotAt(address);
      if (value == 0 && slot == nullptr) continue;
      text += fmt::format("  0x{:04x} 0x{:08x}{}\n", address, value,
                          slot == nullptr ? "" : fmt::format("  slot {}", slot->name));
    }
  }
  return text;
}

std::string Print(const File& file) {
  const std::vector<SparseRecord>& records = file.records;
  const size_t size = file.image ? file.lead.size() + kImageSize : kRecordSize * records.size();
  std::string text =
      fmt::format("version-10 task, {} form, 0x{:x} bytes\n", FormName(file.form), size);
  if (file.image) return text + PrintImage(*file.image);
  text += "the layout of a record is assumed, except its size and marker\n";
  for (size_t i = 0; i < records.size(); ++i) {
    const RegisterGroup* group = GroupOf(records[i].address());
    const RelocationSlot* slot = SlotAt(records[i].address());
    text += fmt::format("  [{}] 0x{:x}: 0x{:x}{}  {}{}\n", i, records[i].register_address,
                        records[i].first,
                        records[i].second == 0 ? "" : fmt::format(" 0x{:x}", records[i].second),
                        group == nullptr ? "no group" : group->name,
                        slot == nullptr ? "" : fmt::format(", slot {}", slot->name));
  }
  return text;
}

ByteCounts CountBytes(const File& file, ByteSpan bytes) {
  const uint64_t typed = file.image ? RecordTypedBytes(GroupFields())
                                    : file.records.size() * RecordTypedBytes(kSparseFields);
  return {bytes.size(), 0, typed};
}

const FormatOf<File> kDefinition = {
    .name = "tdv10",
    .title = "Version-10 task image (ZinAneTdHw_v10), dense or sparse",
    .rules = Rules(),
    .fields = FieldFacts,
    .recognise = Recognise,
    .from_json = FromJson,
    .parse = Parse,
    .to_json = ToJson,
    .write = Write,
    .verify = Verify,
    .print = Print,
    .count_bytes = CountBytes,
};

}  // namespace
}  // namespace tdv10

const Format kFormat_tdv10 = MakeFormat<tdv10::kDefinition>();

}  // namespace anecheck
