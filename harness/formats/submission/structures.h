// The fields of the structures that the driver's methods take and return, if a source gives their
// offsets. All other bytes are opaque. Used by the submission format and by the simulated driver.
//
// Sources: the public guide, chapter 27 (measured on an M1), and public listings of the calls in
// the system's client library (the macOS 14 and iOS 17 releases).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "harness/base/little_endian.h"
#include "harness/base/result.h"
#include "harness/formats/format.h"
#include "harness/formats/record/record.h"

namespace anecheck::submission {

enum class Direction : uint8_t { kIn, kOut };

// The source of a field. If another source gives another meaning, the text has it too.
struct FieldSource {
  FactEvidence evidence = FactEvidence::kPublicNotes;
  std::string_view source;
};

struct Structure {
  std::string_view name;  // "program_request"
  std::string_view method;
  Direction direction = Direction::kIn;
  uint32_t size = 0;                     // bytes
  std::span<const RecordField> fields;   // sorted by offset
  std::span<const FieldSource> sources;  // sources[i] is the source of fields[i]; may be longer
};

std::span<const Structure> Structures();
// Returns null if no source describes a structure of that method, direction and size.
const Structure* FindStructure(std::string_view method, Direction direction, size_t size);
const Structure* StructureOfName(std::string_view name);

// The input and output structures of ANE_DeviceOpen, 104 bytes each.
namespace device_open {
inline constexpr RecordField kUsage = {"usage", 0x00, 1};
inline constexpr RecordField kCallback = {"callback", 0x08, 8, RecordKind::kHex};
inline constexpr RecordField kReceiver = {"receiver", 0x10, 8, RecordKind::kHex};
inline constexpr RecordField kTimeout = {"timeout", 0x18, 8};
}  // namespace device_open
namespace device_info {
inline constexpr RecordField kSessionToken = {"session_token", 0x00, 8, RecordKind::kHex};
inline constexpr RecordField kVersion = {"ane_version", 0x48, 4};
inline constexpr RecordField kVersionSecond = {"ane_version_second", 0x4c, 4};
inline constexpr RecordField kEngines = {"engines", 0x50, 4};
inline constexpr RecordField kCpuSubtype = {"cpusubtype", 0x60, 4};
}  // namespace device_info

// The structures of ANE_ProgramSendRequest: 2,376 bytes in, 40 bytes out.
namespace program_request {
inline constexpr RecordField kToken = {"program_token", 0x00, 8, RecordKind::kHex};
inline constexpr RecordField kSequence = {"sequence", 0x08, 8};
inline constexpr RecordField kQualityOfService = {"quality_of_service", 0x10, 4};
inline constexpr RecordField kPriority = {"priority", 0x14, 4};
inline constexpr RecordField kProcedure = {"procedure", 0x18, 4};
inline constexpr RecordField kIoCategory = {"io_category", 0x1c, 4};
// No source states which of the 586 numbers are inputs, outputs or intermediate surfaces.
inline constexpr RecordField kSurfaces = {"surfaces", 0x20, 2376 - 0x20, RecordKind::kSparse, 4};
}  // namespace program_request
namespace program_reply {
inline constexpr RecordField kSequence = {"sequence_result", 0x00, 8};
inline constexpr RecordField kToken = {"program_token", 0x08, 8, RecordKind::kHex};
inline constexpr RecordField kStatus = {"status", 0x20, 4};
}  // namespace program_reply

// For methods whose first field identifies a program: prepare, unprepare and destroy.
inline constexpr RecordField kProgramToken = {"program_token", 0x00, 8, RecordKind::kHex};

// For methods whose structure points to larger structures: create instance and chaining prepare.
namespace indirect {
inline constexpr RecordField kArguments = {"arguments_address", 0x00, 8, RecordKind::kHex};
inline constexpr RecordField kArgumentsSize = {"arguments_size", 0x08, 8};
inline constexpr RecordField kOutput = {"output_address", 0x10, 8, RecordKind::kHex};
inline constexpr RecordField kOutputSize = {"output_size", 0x18, 8};
}  // namespace indirect

// Read or write a field of a structure. Preconditions: the field is inside `bytes` and is not
// sparse.
inline uint64_t Load(const RecordField& field, ByteSpan bytes) {
  return LoadLittle(bytes, field.offset, field.width);
}
inline void Store(const RecordField& field, std::span<uint8_t> bytes, uint64_t value) {
  StoreLittle(bytes, field.offset, field.width, value);
}

}  // namespace anecheck::submission
