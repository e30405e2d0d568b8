#include "harness/formats/firmware/firmware.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/little_endian.h"
#include "harness/formats/enums/firmware_commands.h"
#include "harness/formats/violation_list.h"

namespace anecheck::firmware {
namespace {

constexpr std::string_view kAppendixC3 = "facts/more/error_codes.csv (public guide, appendix C.3)";

constexpr Rule kRules[] = {
    {"file-form", "A file is a package, or a command of 24 bytes or more.",
     "specification 000, table 23.1; public guide, appendix C.5", FactEvidence::kSpecification},
    {"package-first", "A package begins with its own magic number, ANEH.", kAppendixC3,
     FactEvidence::kPublicNotes},
    {"one-package", "ANEH stands once.", "no source", FactEvidence::kAssumed},
    {"section-in-program", "A section follows a program.", "no source", FactEvidence::kAssumed},
    {"program-present", "A package holds a program.", "no source", FactEvidence::kAssumed},
    {"command-known", "The id is a logger index below 93 or an id of the wire.",
     "facts/enums.json csne_command; facts/more/csne_wire_ids.csv: the two number differently, and "
     "neither need be whole",
     FactEvidence::kAssumed},
    {"command-priority", "The priority is 0 to 7.",
     "facts/more/firmware_limits.csv (public guide, appendix C.5)", FactEvidence::kPublicNotes},
    {"command-size", "The size counts the whole message.",
     "facts/more/csne_wire_ids.csv names the field; no source for what it counts",
     FactEvidence::kAssumed},
};

constexpr RecordField kCommandFields[] = {
    {"id", 0x00, 4, RecordKind::kHex},          {"size", 0x04, 4, RecordKind::kNumber},
    {"priority", 0x08, 4, RecordKind::kNumber}, {"programId", 0x0c, 4, RecordKind::kHex},
    {"processId", 0x10, 4, RecordKind::kHex},   {"procedureId", 0x14, 4, RecordKind::kHex},
};

constexpr std::string_view kC5 = "public guide, appendix C.5";
constexpr std::string_view kC30 = "public guide, chapter 30";
constexpr Limit kLimits[] = {
    {"signal events a call", 16, kC5},
    {"custom barriers on the wire", 32, kC5},
    {"custom barriers in a program", 128, kC5},
    {"custom execute-order entries", 128, kC5},
    {"trigger input buffers", 16, kC5},
    {"active shared events, fewer than", 2, kC5},
    {"largest priority", 7, kC5},
    {"task-descriptor partitions, M1 single path", 1, kC30},
    {"requests in a list, M1 single path", 1, kC30},
    {"output buffer sets, single path", 1, kC5},
    {"task-queue watchdog, seconds", 2, "public guide, chapter 19"},
    {"pause after a failed compile, seconds, about", 15, "public guide, chapter 19"},
};

const Rule* Named(std::string_view id) {
  return std::find_if(std::begin(kRules), std::end(kRules),
                      [&](const Rule& rule) { return rule.id == id; });
}

void Add(ViolationList& list, std::string_view rule, uint64_t offset, std::string_view what) {
  list.Add(*Named(rule), offset, "{}: {}", rule, what);
}

void VerifyPackage(std::span<const Part> parts, ViolationList& list) {
  if (parts[0].magic != kPackageMagic) {
    Add(list, "package-first", 0, fmt::format("{} comes first", MagicName(parts[0].magic)));
  }
  bool package = false;
  bool program = false;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (part.magic == kPackageMagic && package) {
      Add(list, "one-package", part.offset, fmt::format("part[{}] is another ANEH", i));
    }
    if (part.magic == kSectionMagic && !program) {
      Add(list, "section-in-program", part.offset, fmt::format("part[{}] has no ANEP before", i));
    }
    package |= part.magic == kPackageMagic;
    program |= part.magic == kProgramMagic;
  }
  // A section without a program is reported as such.
  const bool section = std::any_of(parts.begin(), parts.end(),
                                   [](const Part& p) { return p.magic == kSectionMagic; });
  if (!program && !section) Add(list, "program-present", 0, "no part is an ANEP");
}

void VerifyCommand(const Command& command, ViolationList& list) {
  if (CommandByIndex(command.id) == nullptr && WireRangeOf(command.id) == nullptr) {
    Add(list, "command-known", 0x00, fmt::format("no command has the id 0x{:x}", command.id));
  }
  if (command.size != kCommandHeaderSize + command.payload.size()) {
    Add(list, "command-size", 0x04,
        fmt::format("the size is {}, the message has {} bytes", command.size,
                    kCommandHeaderSize + command.payload.size()));
  }
  if (command.priority > 7) {
    Add(list, "command-priority", 0x08, fmt::format("the priority is {}", command.priority));
  }
}

}  // namespace

std::string_view MagicName(uint32_t word) {
  switch (word) {
    case kPackageMagic:
      return "ANEH";
    case kProgramMagic:
      return "ANEP";
    case kSectionMagic:
      return "ANES";
    case kControlMagic:
      return "AFPP";
    default:
      return {};
  }
}

bool IsPackage(ByteSpan bytes) {
  return bytes.size() >= 4 && !MagicName(static_cast<uint32_t>(LoadLittle(bytes, 0, 4))).empty();
}

Result<std::vector<Part>> ParsePackage(ByteSpan bytes) {
  if (!IsPackage(bytes)) {
    return MakeError(ErrorCode::kMalformed,
                     "file-form: a package begins with ANEH, ANEP, ANES or AFPP", 0);
  }
  std::vector<Part> parts;
  size_t begin = 0;
  for (size_t at = 4; at <= bytes.size(); at += 4) {
    const bool last = bytes.size() - at < 4;
    if (!last && MagicName(static_cast<uint32_t>(LoadLittle(bytes, at, 4))).empty()) continue;
    const size_t end = last ? bytes.size() : at;
    const ByteSpan body = bytes.subspan(begin + 4, end - begin - 4);
    parts.push_back({begin, static_cast<uint32_t>(LoadLittle(bytes, begin, 4)),
                     Bytes(body.begin(), body.end())});
    begin = at;
    if (last) break;
  }
  return parts;
}

Bytes WritePackage(std::span<const Part> parts) {
  ByteWriter writer;
  for (const Part& part : parts) {
    writer.U32(part.magic);
    writer.Bytes(part.body);
  }
  return std::move(writer).Take();
}

std::span<const RecordField> CommandFields() { return kCommandFields; }

Result<Command> ParseCommand(ByteSpan bytes) {
  ByteReader reader(bytes, 0, "command");
  Command command;
  command.id = reader.U32("id");
  command.size = reader.U32("size");
  command.priority = reader.U32("priority");
  command.program_id = reader.U32("programId");
  command.process_id = reader.U32("processId");
  command.procedure_id = reader.U32("procedureId");
  const ByteSpan payload = reader.Bytes(reader.remaining(), "payload");
  if (!reader.ok()) {
    const Error& error = reader.status().error();
    return MakeError(error.code,
                     fmt::format("file-form: neither a package nor a command: {}", error.message),
                     error.offset);
  }
  command.payload.assign(payload.begin(), payload.end());
  return command;
}

Bytes WriteCommand(const Command& command) {
  ByteWriter writer;
  writer.U32(command.id);
  writer.U32(command.size);
  writer.U32(command.priority);
  writer.U32(command.program_id);
  writer.U32(command.process_id);
  writer.U32(command.procedure_id);
  writer.Bytes(command.payload);
  return std::move(writer).Take();
}

std::span<const Limit> Limits() { return kLimits; }
std::span<const Rule> Rules() { return kRules; }

Result<std::vector<Violation>> Verify(ByteSpan bytes) {
  ViolationList list;
  if (IsPackage(bytes)) {
    ANECHECK_ASSIGN(const std::vector<Part> parts, ParsePackage(bytes));
    VerifyPackage(parts, list);
  } else {
    ANECHECK_ASSIGN(const Command command, ParseCommand(bytes));
    VerifyCommand(command, list);
  }
  return std::move(list).Take();
}

}  // namespace anecheck::firmware
