#include "generators/formats/firmware/firmware_generator.h"

#include <array>

#include "generators/formats/common/byte_mutations.h"
#include "harness/formats/enums/firmware_commands.h"
#include "harness/formats/firmware/firmware.h"

namespace anecheck {
namespace {

using namespace firmware;  // NOLINT(google-build-using-namespace): every name is of that room

// Opaque bytes below 0x40, so that they contain no magic number.
Bytes Body(ChoiceStream& choices, bool last) {
  const uint64_t size = last ? choices.Below(80) : 4 * choices.Below(20);
  Bytes body(size, 0);
  for (uint8_t& byte : body) byte = static_cast<uint8_t>(choices.Below(0x40));
  return body;
}

Bytes GeneratePackage(ChoiceStream& choices) {
  std::vector<uint32_t> magics = {kPackageMagic};
  if (choices.Coin()) magics.push_back(kControlMagic);
  const uint64_t programs = 1 + choices.Below(3);
  magics.reserve(magics.size() + 4 * programs);
  for (uint64_t i = 0; i < programs; ++i) {
    magics.push_back(kProgramMagic);
    magics.insert(magics.end(), choices.Below(4), kSectionMagic);
  }
  std::vector<Part> parts;
  parts.reserve(magics.size());
  for (size_t i = 0; i < magics.size(); ++i) {
    parts.push_back({0, magics[i], Body(choices, i + 1 == magics.size())});
  }
  return WritePackage(parts);
}

uint32_t CommandId(ChoiceStream& choices) {
  if (choices.Coin()) return choices.Pick(FirmwareCommands()).index;
  const WireIdRange& range = choices.Pick(WireIdRanges());
  return static_cast<uint32_t>(range.first + choices.Below(range.last - range.first + 1u));
}

uint32_t ObjectId(ChoiceStream& choices) {
  return choices.Chance(1, 4) ? kInvalidId : static_cast<uint32_t>(choices.Below(1000));
}

Bytes GenerateCommand(ChoiceStream& choices) {
  Command command;
  command.id = CommandId(choices);
  command.priority = static_cast<uint32_t>(choices.Below(8));
  command.program_id = ObjectId(choices);
  command.process_id = ObjectId(choices);
  command.procedure_id = ObjectId(choices);
  command.payload.resize(choices.Below(100));
  for (uint8_t& byte : command.payload) byte = static_cast<uint8_t>(choices.Below(256));
  command.size = static_cast<uint32_t>(kCommandHeaderSize + command.payload.size());
  return WriteCommand(command);
}

Bytes Generate(ChoiceStream& choices) {
  return choices.Coin() ? GenerateCommand(choices) : GeneratePackage(choices);
}

std::vector<Part> Parts(ByteSpan bytes) { return ParsePackage(bytes).value(); }

// Picks a random part with this magic number. Nothing if `bytes` is a command or has no such part.
std::optional<Part> PickPart(ByteSpan bytes, ChoiceStream& choices, uint32_t magic) {
  if (!IsPackage(bytes)) return std::nullopt;
  std::vector<Part> fitting;
  for (const Part& part : Parts(bytes)) {
    if (part.magic == magic) fitting.push_back(part);
  }
  if (fitting.empty()) return std::nullopt;
  return choices.Pick(fitting);
}

std::optional<Mutation> Truncate(ByteSpan bytes, ChoiceStream& choices) {
  if (IsPackage(bytes)) return std::nullopt;
  return MakeResize("truncate-header", choices.Below(kCommandHeaderSize));
}

std::optional<Mutation> CutMagic(ByteSpan bytes, ChoiceStream& choices) {
  if (!IsPackage(bytes)) return std::nullopt;
  return MakeResize("cut-magic", choices.Below(4));
}

std::optional<Mutation> DropPackage(ByteSpan bytes, ChoiceStream& /*choices*/) {
  if (!IsPackage(bytes)) return std::nullopt;
  return MakeCut("drop-package", 0, 4 + Parts(bytes)[0].body.size());
}

std::optional<Mutation> RenamePackage(ByteSpan bytes, ChoiceStream& choices) {
  if (!IsPackage(bytes)) return std::nullopt;
  return MakePatch("rename-package", {{0, 4, choices.Coin() ? kProgramMagic : kControlMagic}});
}

std::optional<Mutation> SecondPackage(ByteSpan bytes, ChoiceStream& /*choices*/) {
  if (!IsPackage(bytes)) return std::nullopt;
  return MakeRepeat("repeat-package", 0, 4 + Parts(bytes)[0].body.size());
}

std::optional<Mutation> OrphanSection(ByteSpan bytes, ChoiceStream& choices) {
  const std::optional<Part> section = PickPart(bytes, choices, kSectionMagic);
  if (!section || section->body.size() % 4 != 0) return std::nullopt;
  return MakeMove("orphan-section", section->offset, 4 + section->body.size(),
                  4 + Parts(bytes)[0].body.size());
}

std::optional<Mutation> NoProgram(ByteSpan bytes, ChoiceStream& /*choices*/) {
  if (!IsPackage(bytes)) return std::nullopt;
  // Sections follow the first program, so the cut removes them too.
  for (const Part& part : Parts(bytes)) {
    if (part.magic == kProgramMagic) {
      return MakeResize("drop-programs", part.offset);
    }
  }
  return std::nullopt;
}

std::optional<Mutation> UnknownCommand(ByteSpan bytes, ChoiceStream& choices) {
  if (IsPackage(bytes)) return std::nullopt;
  constexpr std::array<uint64_t, 7> kIds = {0x5d, 0xff, 0x109, 0x213, 0x306, 0x405, 0x17000};
  return MakePatch("set-unknown-command", {{0, 4, choices.Pick(kIds)}});
}

std::optional<Mutation> Priority(ByteSpan bytes, ChoiceStream& choices) {
  if (IsPackage(bytes)) return std::nullopt;
  return MakePatch("raise-priority", {{8, 4, 8 + choices.Below(1000)}});
}

std::optional<Mutation> Size(ByteSpan bytes, ChoiceStream& choices) {
  if (IsPackage(bytes)) return std::nullopt;
  return MakePatch("change-size", {{4, 4, bytes.size() + 1 + choices.Below(1u << 30)}});
}

std::optional<Mutation> NoSize(ByteSpan bytes, ChoiceStream& /*choices*/) {
  if (IsPackage(bytes) || bytes.size() == kCommandHeaderSize) return std::nullopt;
  return MakePatch("clear-size", {{4, 4, 0}});
}

std::optional<Mutation> Lengthen(ByteSpan bytes, ChoiceStream& choices) {
  if (IsPackage(bytes)) return std::nullopt;
  return MakeResize("lengthen-payload", bytes.size() + 1 + choices.Below(64));
}

std::optional<Mutation> SwapIds(ByteSpan bytes, ChoiceStream& choices) {
  if (IsPackage(bytes)) return std::nullopt;
  const uint64_t program = bytes[0x0c];
  return MakePatch("change-program", {{0x0c, 1, program ^ (1 + choices.Below(255))}});
}

std::optional<Mutation> ChangeBody(ByteSpan bytes, ChoiceStream& choices) {
  const std::optional<Part> part = PickPart(bytes, choices, kPackageMagic);
  if (!part || part->body.empty()) return std::nullopt;
  const uint64_t at = part->offset + 4 + choices.Below(part->body.size());
  return MakePatch("change-body", {{at, 1, uint64_t{bytes[at]} ^ 0x80}});
}

std::optional<Mutation> RepeatSection(ByteSpan bytes, ChoiceStream& choices) {
  const std::optional<Part> section = PickPart(bytes, choices, kSectionMagic);
  if (!section) return std::nullopt;
  return MakeRepeat("repeat-section", section->offset, 4 + section->body.size());
}

constexpr MutationKind kMutations[] = {
    {"truncate-header", "file-form", Truncate, ApplyResize},
    {"cut-magic", "file-form", CutMagic, ApplyResize},
    {"drop-package", "package-first", DropPackage, ApplyCut},
    {"rename-package", "package-first", RenamePackage, ApplyPatch},
    {"repeat-package", "one-package", SecondPackage, ApplyRepeat},
    {"orphan-section", "section-in-program", OrphanSection, ApplyMove},
    {"drop-programs", "program-present", NoProgram, ApplyResize},
    {"set-unknown-command", "command-known", UnknownCommand, ApplyPatch},
    {"raise-priority", "command-priority", Priority, ApplyPatch},
    {"change-size", "command-size", Size, ApplyPatch},
    {"clear-size", "command-sized", NoSize, ApplyPatch},
    {"lengthen-payload", "command-size", Lengthen, ApplyResize},
    {"change-program", "", SwapIds, ApplyPatch},
    {"change-body", "", ChangeBody, ApplyPatch},
    {"repeat-section", "", RepeatSection, ApplyRepeat},
};

}  // namespace

const DescriptorGenerator kGenerator_firmware = {"firmware", Generate, kMutations};

}  // namespace anecheck
