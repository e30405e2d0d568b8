// The firmware's commands with both of their numbers, the logger index (public guide, appendix C)
// and the 16-bit id in messages, called wire id (public guide, chapter 30). Used by the firmware
// format.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace anecheck {

enum class CommandDirection : uint8_t { kToFirmware, kToHost, kBoth };

// The source of a command's wire id. Chapter 30 names three ids (kNamed) and gives ranges for the
// others. If a range of ids is as long as the corresponding range of logger indexes, both are
// assumed to have the same order (kCounted). The range 0x400 to 0x404 has five ids for four names,
// so those four have no wire id here (kUnknown).
enum class WireIdEvidence : uint8_t { kNamed, kCounted, kUnknown };

struct FirmwareCommand {
  uint16_t index = 0;  // logger index, 0 to 92
  std::string_view name;
  CommandDirection direction = CommandDirection::kToFirmware;
  std::string_view group;  // "lifecycle", "program", ...
  WireIdEvidence wire_evidence = WireIdEvidence::kUnknown;
  uint16_t wire_id = 0;  // unspecified if kUnknown
};

// A range of wire ids.
struct WireIdRange {
  uint16_t first = 0;
  uint16_t last = 0;
  std::string_view covers;
};

// Returns all 93 commands, sorted by logger index.
std::span<const FirmwareCommand> FirmwareCommands();
// Returns the 94 wire ids as eight ranges.
std::span<const WireIdRange> WireIdRanges();

// Each function returns null if there is no such command or range.
const FirmwareCommand* CommandByIndex(uint64_t index);
const FirmwareCommand* CommandByWireId(uint64_t wire_id);
const WireIdRange* WireRangeOf(uint64_t wire_id);

}  // namespace anecheck
