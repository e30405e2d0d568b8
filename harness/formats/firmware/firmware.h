// The files and messages of the firmware: the package, which has ANEH, ANEP and ANES parts and is
// loaded, and the command, which the host sends. Sources: specification 000, table 23.1; public
// guide, chapter 30 and appendices C.3 and C.5 (facts/more/error_codes.csv, csne_wire_ids.csv,
// firmware_limits.csv).
//
// No source describes the content or the length of a part. The parser assumes that a part extends
// from its magic number to the next magic number at a multiple of four bytes, or to the end of the
// file. It keeps the body of a part as opaque bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"
#include "harness/formats/record/typed_record.h"

namespace anecheck {

extern const Format kFormat_firmware;

namespace firmware {

inline constexpr uint32_t kPackageMagic = 0x414e4548;  // ANEH, stored as the bytes HENA
inline constexpr uint32_t kProgramMagic = 0x414e4550;  // ANEP
inline constexpr uint32_t kSectionMagic = 0x414e4553;  // ANES
inline constexpr uint32_t kControlMagic = 0x55aa55aa;  // AFPP control structure

// Returns "ANEH", "ANEP", "ANES" or "AFPP", or "" for any other word.
std::string_view MagicName(uint32_t word);

struct Part {
  uint64_t offset = 0;  // offset of the magic number; set by ParsePackage, not written
  uint32_t magic = 0;
  Bytes body;  // the bytes after the magic number
};

// Splits a package into parts. Fails if it does not begin with a magic number.
Result<std::vector<Part>> ParsePackage(ByteSpan bytes);
Bytes WritePackage(std::span<const Part> parts);

struct Command {
  uint32_t id = 0;
  uint32_t size = 0;
  uint32_t priority = 0;  // 0 to 7; 0 and 1 are privileged
  uint32_t program_id = 0;
  uint32_t process_id = 0;
  uint32_t procedure_id = 0;
  Bytes payload;  // opaque
};
// The header of a command. In chapter 30 of the guide the id is four bytes later.
inline constexpr auto kCommandRecord = RecordOf<Command>(
    "public guide, appendix C.5; facts/more/csne_wire_ids.csv (chapter 30 reads the id elsewhere)",
    FactEvidence::kPublicNotes, Field{"id", &Command::id, RecordKind::kHex},
    Field{"size", &Command::size}, Field{"priority", &Command::priority},
    Field{"programId", &Command::program_id, RecordKind::kHex},
    Field{"processId", &Command::process_id, RecordKind::kHex},
    Field{"procedureId", &Command::procedure_id, RecordKind::kHex});
inline constexpr size_t kCommandHeaderSize = kCommandRecord.kSize;
inline constexpr uint32_t kInvalidId = 0xffffffff;  // appendix C.3

Result<Command> ParseCommand(ByteSpan bytes);
Bytes WriteCommand(const Command& command);

// A file that begins with a magic number is a package; any other file is a command.
using File = std::variant<std::vector<Part>, Command>;
bool IsPackage(ByteSpan bytes);
// The message of an Error begins with the id of the broken rule.
Result<File> Parse(ByteSpan bytes);

// A documented limit of the firmware.
struct Limit {
  std::string_view name;
  uint64_t value = 0;
  std::string_view source;
  // The check that enforces the limit: "rule ID" for a rule of this format, or "driver law ID" for
  // a check of the simulated driver (harness/device/driver). Empty if no source names the field to
  // which the limit applies, because no check can read the field.
  std::string_view held_by = {};
};
std::span<const Limit> Limits();

}  // namespace firmware
}  // namespace anecheck
