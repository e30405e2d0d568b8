// The firmware format's entry: JSON, print and recognition of packages and commands.

#include <fmt/format.h>

#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/base/json_fields.h"
#include "harness/formats/enums/firmware_commands.h"
#include "harness/formats/firmware/firmware.h"
#include "harness/formats/message.h"

namespace anecheck {
namespace firmware {
namespace {

using json_fields::Bad;

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  static const std::vector<FieldFact> facts = {
      {"form", FactEvidence::kNotation, "package or command, told by the first word"},
      {"header.opaque", FactEvidence::kOpaque, "no source describes these bytes of a header"},
      {"header", FactEvidence::kPublicNotes,
       "public guide, appendix C.5; facts/more/csne_wire_ids.csv (chapter 30 reads the id "
       "elsewhere)"},
      {"payload", FactEvidence::kOpaque, "no source describes what follows a command's header"},
      {"parts[].magic", FactEvidence::kSpecification,
       "specification 000, table 23.1; facts/more/error_codes.csv (public guide, appendix C.3)"},
      {"parts[].body", FactEvidence::kOpaque,
       "no source describes a part; that it ends at the next magic number is assumed"}};
  return facts;
}

int Recognise(ByteSpan bytes, std::string_view path) {
  if (IsPackage(bytes)) return 100;
  return bytes.size() >= kCommandHeaderSize && path.ends_with(".csne") ? 40 : 0;
}

uint32_t MagicOfName(std::string_view name) {
  for (const uint32_t magic : {kPackageMagic, kProgramMagic, kSectionMagic, kControlMagic}) {
    if (MagicName(magic) == name) return magic;
  }
  return 0;
}

Result<Json> ToJson(ByteSpan bytes) {
  if (!IsPackage(bytes)) {
    ANECHECK_RETURN_IF_ERROR(ParseCommand(bytes));
    return Json{{"format", "firmware"},
                {"form", "command"},
                {"header", RecordToJson(CommandFields(), bytes.first(kCommandHeaderSize))},
                {"payload", HexText(bytes.subspan(kCommandHeaderSize))}};
  }
  ANECHECK_ASSIGN(const std::vector<Part> parts, ParsePackage(bytes));
  Json list = Json::array();
  for (const Part& part : parts) {
    list.push_back({{"magic", MagicName(part.magic)}, {"body", HexText(part.body)}});
  }
  return Json{{"format", "firmware"}, {"form", "package"}, {"parts", std::move(list)}};
}

Result<Bytes> PackageFromJson(const Json& json) {
  ANECHECK_ASSIGN(const std::vector<const Json*> rows,
                  json_fields::Array(json, "parts", "firmware"));
  if (rows.empty()) return Bad("parts", "a package needs one part at least");
  std::vector<Part> parts;
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string path = fmt::format("parts[{}]", i);
    ANECHECK_ASSIGN(const std::string magic, json_fields::String(*rows[i], "magic", path));
    ANECHECK_ASSIGN(const std::string body, json_fields::String(*rows[i], "body", path));
    Part part;
    part.magic = MagicOfName(magic);
    if (part.magic == 0) return Bad(path, fmt::format("\"{}\" is no part", Shown(magic)));
    ANECHECK_ASSIGN(part.body, ParseHexBytes(body, path));
    if (i + 1 < rows.size() && part.body.size() % 4 != 0) {
      return Bad(path, "the next part would not begin at a multiple of four bytes");
    }
    parts.push_back(std::move(part));
  }
  return WritePackage(parts);
}

Result<Bytes> FromJson(const Json& json) {
  if (!json.is_object()) return Bad("firmware", "needs an object");
  ANECHECK_ASSIGN(const std::string form, json_fields::String(json, "form", "firmware"));
  if (form == "package") return PackageFromJson(json);
  if (form != "command") return Bad("form", fmt::format("\"{}\" is no form", Shown(form)));
  if (!json.contains("header")) return Bad("firmware", "needs \"header\"");
  ANECHECK_ASSIGN(Bytes bytes,
                  RecordFromJson(CommandFields(), json["header"], kCommandHeaderSize, "header"));
  ANECHECK_ASSIGN(const std::string text, json_fields::String(json, "payload", "firmware"));
  ANECHECK_ASSIGN(const Bytes payload, ParseHexBytes(text, "payload"));
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

Result<Bytes> Rewrite(ByteSpan bytes) {
  if (IsPackage(bytes)) {
    ANECHECK_ASSIGN(const std::vector<Part> parts, ParsePackage(bytes));
    return WritePackage(parts);
  }
  ANECHECK_ASSIGN(const Command command, ParseCommand(bytes));
  return WriteCommand(command);
}

std::string WireText(const FirmwareCommand& command) {
  switch (command.wire_evidence) {
    case WireIdEvidence::kNamed:
      return fmt::format("wire id 0x{:x}", command.wire_id);
    case WireIdEvidence::kCounted:
      return fmt::format("wire id 0x{:x} by count (assumed)", command.wire_id);
    case WireIdEvidence::kUnknown:
      break;
  }
  return "wire id unknown (0x400 to 0x404)";
}

// The id in both numberings, as either may be meant.
std::string IdText(uint32_t id) {
  std::string text;
  if (const FirmwareCommand* command = CommandByIndex(id)) {
    text += fmt::format("  as logger index {}: {} ({}, {})\n", id, command->name, command->group,
                        WireText(*command));
  }
  if (const WireIdRange* range = WireRangeOf(id)) {
    const FirmwareCommand* command = CommandByWireId(id);
    text += fmt::format("  as wire id 0x{:x}: {}, range \"{}\"\n", id,
                        command == nullptr ? "name unknown" : command->name, range->covers);
  }
  return text.empty() ? fmt::format("  0x{:x} is no known command\n", id) : text;
}

std::string ObjectIdText(uint32_t id) {
  return id == kInvalidId ? "invalid" : fmt::format("0x{:x}", id);
}

Result<std::string> Print(ByteSpan bytes) {
  if (!IsPackage(bytes)) {
    ANECHECK_ASSIGN(const Command command, ParseCommand(bytes));
    return fmt::format(
        "firmware command\n{}  size {}, priority {}{}\n"
        "  program {}, process {}, procedure {}\n  payload: {} opaque bytes\n"
        "sources differ: chapter 30 reads the id at message + 4 (0x{:x} here)\n",
        IdText(command.id), command.size, command.priority,
        command.priority < 2 ? " (privileged)" : "", ObjectIdText(command.program_id),
        ObjectIdText(command.process_id), ObjectIdText(command.procedure_id),
        command.payload.size(), command.size & 0xffff);
  }
  ANECHECK_ASSIGN(const std::vector<Part> parts, ParsePackage(bytes));
  std::string text =
      fmt::format("firmware package, 0x{:x} bytes, {} parts\n", bytes.size(), parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    text += fmt::format("  [{}] 0x{:06x} {} {} opaque bytes\n", i, parts[i].offset,
                        MagicName(parts[i].magic), parts[i].body.size());
  }
  return text + "where a part ends is assumed: at the next magic number\n";
}

Result<ByteCounts> CountBytes(ByteSpan bytes) {
  if (!IsPackage(bytes)) {
    ANECHECK_RETURN_IF_ERROR(ParseCommand(bytes));
    return ByteCounts{bytes.size(), 0, RecordTypedBytes(CommandFields())};
  }
  ANECHECK_ASSIGN(const std::vector<Part> parts, ParsePackage(bytes));
  return ByteCounts{bytes.size(), 0, 4 * parts.size()};
}

}  // namespace
}  // namespace firmware

const Format kFormat_firmware = {
    .name = "firmware",
    .title = "Firmware package or command",
    .rules = firmware::Rules(),
    .fields = firmware::FieldFacts,
    .recognise = firmware::Recognise,
    .to_json = firmware::ToJson,
    .from_json = firmware::FromJson,
    .rewrite = firmware::Rewrite,
    .verify = firmware::Verify,
    .print = firmware::Print,
    .count_bytes = firmware::CountBytes,
};

}  // namespace anecheck
