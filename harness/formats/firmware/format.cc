#include <algorithm>
#include <fmt/format.h>

#include "harness/base/counted.h"
#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/formats/enums/firmware_commands.h"
#include "harness/formats/firmware/firmware.h"
#include "harness/formats/format_of.h"
#include "harness/formats/message.h"
#include "harness/formats/rules.h"

namespace anecheck {
namespace firmware {
namespace {

constexpr std::string_view kAppendixC3 = "facts/more/error_codes.csv (public guide, appendix C.3)";
constexpr FactEvidence kAssumed = FactEvidence::kAssumed;
constexpr FactEvidence kPublicNotes = FactEvidence::kPublicNotes;

// Returns the parts of a package, or none for a command.
std::span<const Part> PartsOf(const File& file) {
  const auto* parts = std::get_if<std::vector<Part>>(&file);
  return parts == nullptr ? std::span<const Part>() : *parts;
}

bool HoldsPart(const File& file, uint32_t magic) {
  return std::ranges::find(PartsOf(file), magic, &Part::magic) != PartsOf(file).end();
}

constexpr auto kRules = RulesOf<File>({
    {"file-form", "A file is a package, or a command of 24 bytes or more.",
     "specification 000, table 23.1; public guide, appendix C.5", FactEvidence::kSpecification,
     CheckedWhileParsing},
    {"package-first", "A package begins with its own magic number, ANEH.", kAppendixC3,
     kPublicNotes,
     [](const File& file, RuleReport& broken) {
       const std::span<const Part> parts = PartsOf(file);
       if (!parts.empty() && parts[0].magic != kPackageMagic) {
         broken(0, "{} comes first", MagicName(parts[0].magic));
       }
     }},
    {"one-package", "ANEH occurs only once.", "no source", kAssumed,
     [](const File& file, RuleReport& broken) {
       bool package = false;
       for (size_t i = 0; i < PartsOf(file).size(); ++i) {
         const Part& part = PartsOf(file)[i];
         if (part.magic != kPackageMagic) continue;
         if (package) broken(part.offset, "part[{}] is another ANEH", i);
         package = true;
       }
     }},
    {"section-in-program", "A section follows a program.", "no source", kAssumed,
     [](const File& file, RuleReport& broken) {
       for (size_t i = 0; i < PartsOf(file).size(); ++i) {
         const Part& part = PartsOf(file)[i];
         if (part.magic == kProgramMagic) return;
         if (part.magic == kSectionMagic) broken(part.offset, "part[{}] has no ANEP before", i);
       }
     }},
    {"program-present", "A package holds a program.", "no source", kAssumed,
     [](const File& file, RuleReport& broken) {
       // Another rule reports a section without a program.
       if (!PartsOf(file).empty() && !HoldsPart(file, kProgramMagic) &&
           !HoldsPart(file, kSectionMagic)) {
         broken(0, "no part is an ANEP");
       }
     }},
    {"command-known", "The id is a logger index below 93 or a wire id.",
     "facts/enums.json csne_command; facts/more/csne_wire_ids.csv: the two use different "
     "numbers, and either may be incomplete",
     kAssumed,
     [](const File& file, RuleReport& broken) {
       const auto* command = std::get_if<Command>(&file);
       if (command != nullptr && CommandByIndex(command->id) == nullptr &&
           WireRangeOf(command->id) == nullptr) {
         broken(kCommandRecord.OffsetOf("id"), "no command has the id 0x{:x}", command->id);
       }
     }},
    {"command-priority", "The priority is 0 to 7.",
     "facts/more/firmware_limits.csv (public guide, appendix C.5)", kPublicNotes,
     [](const File& file, RuleReport& broken) {
       const auto* command = std::get_if<Command>(&file);
       if (command != nullptr && command->priority > 7) {
         broken(kCommandRecord.OffsetOf("priority"), "the priority is {}", command->priority);
       }
     }},
    {"command-sized", "The size is not 0 if a payload follows, whatever unit the size has.",
     "facts/more/csne_wire_ids.csv names the field", kPublicNotes,
     [](const File& file, RuleReport& broken) {
       const auto* command = std::get_if<Command>(&file);
       if (command != nullptr && command->size == 0 && !command->payload.empty()) {
         broken(kCommandRecord.OffsetOf("size"), "the size is 0, {} bytes of payload follow",
                command->payload.size());
       }
     }},
    {"command-size", "The size counts the whole message.",
     "facts/more/csne_wire_ids.csv names the field; no source says its unit", kAssumed,
     [](const File& file, RuleReport& broken) {
       const auto* command = std::get_if<Command>(&file);
       if (command == nullptr) return;
       const size_t size = kCommandHeaderSize + command->payload.size();
       const bool said = command->size == 0 && !command->payload.empty();  // see command-sized
       if (command->size != size && !said) {
         broken(kCommandRecord.OffsetOf("size"), "the size is {}, the message has {} bytes",
                command->size, size);
       }
     }},
});

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  static const std::vector<FieldFact> facts = [] {
    std::vector<FieldFact> rows = {
        {"form", FactEvidence::kNotation, "package or command, by the first word"},
        {"header.opaque", FactEvidence::kOpaque, "no source describes these bytes of a header"}};
    kCommandRecord.AddRecordFacts("header", kPublicNotes, rows);
    rows.insert(
        rows.end(),
        {{"payload", FactEvidence::kOpaque,
          "no source describes the bytes behind a command's header"},
         {"parts[].magic", FactEvidence::kSpecification,
          "specification 000, table 23.1; facts/more/error_codes.csv (public guide, appendix C.3)"},
         {"parts[].body", FactEvidence::kOpaque,
          "no source describes a part; that it ends at the next magic number is assumed"}});
    return rows;
  }();
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

Result<Json> ToJson(const File& file) {
  Json json = {{"format", "firmware"}};
  if (const auto* command = std::get_if<Command>(&file)) {
    json["form"] = "command";
    json["header"] = Json::object();
    kCommandRecord.ToJson(*command, json["header"]);
    json["header"]["opaque"] = Json::array();
    json["payload"] = HexText(command->payload);
    return json;
  }
  json["form"] = "package";
  json["parts"] = Json::array();
  for (const Part& part : PartsOf(file)) {
    json["parts"].push_back({{"magic", MagicName(part.magic)}, {"body", HexText(part.body)}});
  }
  return json;
}

Bytes PackageFromJson(JsonFields& fields) {
  std::vector<Part> parts;
  fields.ForEach("parts", [&](JsonFields part) {
    if (!parts.empty() && parts.back().body.size() % 4 != 0) {
      part.Fail("magic", "would not begin at a multiple of four bytes");
    }
    const std::string magic = part.Text("magic");
    parts.push_back({0, MagicOfName(magic), part.HexBytes("body")});
    if (parts.back().magic == 0) part.Fail("magic", fmt::format("{} is no part", Quoted(magic)));
    part.RefuseOthers();
  });
  if (parts.empty()) fields.Fail("parts", "a package needs at least one part");
  return WritePackage(parts);
}

Bytes CommandFromJson(JsonFields& fields) {
  Command command;
  JsonFields header = fields.In("header");
  kCommandRecord.FromJson(header, command);
  if (!header.Array("opaque").empty()) header.Fail("opaque", "the fields are all of a header");
  header.RefuseOthers();
  command.payload = fields.HexBytes("payload");
  return WriteCommand(command);
}

Result<Bytes> FromJson(const Json& json) {
  Status status;
  JsonFields fields(json, "", &status);
  fields.ReadElsewhere({"format"});
  const std::string form = fields.Text("form");
  Bytes bytes;
  if (form == "package") {
    bytes = PackageFromJson(fields);
  } else if (form == "command") {
    bytes = CommandFromJson(fields);
  } else {
    fields.Fail("form", fmt::format("{} is no form", Quoted(form)));
  }
  fields.RefuseOthers();
  if (!status.ok()) return status.error();
  return bytes;
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

// Returns the names of an id in both numberings, because a file may use either numbering.
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

std::string PrintCommand(const Command& command) {
  return fmt::format(
      "firmware command\n{}  size {}, priority {}{}\n"
      "  program {}, process {}, procedure {}\n  payload: {}\n"
      "sources differ: chapter 30 reads the id at message + 4 (0x{:x} here)\n",
      IdText(command.id), command.size, command.priority,
      command.priority < 2 ? " (privileged)" : "", ObjectIdText(command.program_id),
      ObjectIdText(command.process_id), ObjectIdText(command.procedure_id),
      Counted(command.payload.size(), "opaque byte"), command.size & 0xffff);
}

std::string Print(const File& file) {
  if (const auto* command = std::get_if<Command>(&file)) return PrintCommand(*command);
  const std::span<const Part> parts = PartsOf(file);
  std::string text = fmt::format("firmware package, 0x{:x} bytes, {}\n", WritePackage(parts).size(),
                                 Counted(parts.size(), "part"));
  for (size_t i = 0; i < parts.size(); ++i) {
    text += fmt::format("  [{}] 0x{:06x} {} {}\n", i, parts[i].offset, MagicName(parts[i].magic),
                        Counted(parts[i].body.size(), "opaque byte"));
  }
  return text + "assumed: a part ends at the next magic number\n";
}

ByteCounts CountBytes(const File& file, ByteSpan bytes) {
  const bool command = std::holds_alternative<Command>(file);
  return {bytes.size(), 0, command ? kCommandHeaderSize : 4 * PartsOf(file).size()};
}

constexpr FormatOf<File> kDefinition = {
    .name = "firmware",
    .title = "Firmware package or command",
    .rules = kRules.rules(),
    .fields = FieldFacts,
    .recognise = Recognise,
    .from_json = FromJson,
    .parse = Parse,
    .to_json = ToJson,
    .write = [](const File& file) -> Result<Bytes> {
      const auto* command = std::get_if<Command>(&file);
      return command != nullptr ? WriteCommand(*command) : WritePackage(PartsOf(file));
    },
    .verify = [](const File& file) { return kRules.Verify(file); },
    .print = Print,
    .count_bytes = CountBytes,
};

}  // namespace
}  // namespace firmware

const Format kFormat_firmware = MakeFormat<firmware::kDefinition>();

}  // namespace anecheck
