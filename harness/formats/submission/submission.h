// A capture of driver calls. It has the calls of external methods that a program made, in order,
// with their arguments. This project defines the file format. The methods and structure sizes are
// those of methods.h, and the fields of structures are those of structures.h. Other bytes of a
// structure are opaque.
//
// Layout: kHeadRecord, then for each call kCallRecord, the input scalars (u64 each), the input
// structure, the output scalars and the output structure.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"
#include "harness/formats/record/typed_record.h"
#include "harness/formats/submission/methods.h"
#include "harness/formats/submission/structures.h"

namespace anecheck {

extern const Format kFormat_submission;

namespace submission {

inline constexpr std::array<uint8_t, 8> kMagic = {'A', 'N', 'E', 'S', 'U', 'B', 'M', 1};

struct CaptureHead {
  std::array<uint8_t, 8> magic = kMagic;
  uint32_t count = 0;  // the number of Capture::calls
};
inline constexpr auto kHeadRecord =
    RecordOf<CaptureHead>("the capture form", FactEvidence::kNotation,
                          Field{"magic", &CaptureHead::magic}, Field{"count", &CaptureHead::count});

struct CallHeader {
  uint32_t client = 0;  // a Client, or an unknown number
  uint32_t selector = 0;
  uint32_t result = 0;
  // The sizes of the vectors of Call. Parse and Write set them.
  uint32_t scalars_in_count = 0;
  uint32_t struct_in_size = 0;
  uint32_t scalars_out_count = 0;
  uint32_t struct_out_size = 0;
};
inline constexpr auto kCallRecord = RecordOf<CallHeader>(
    "facts/more/iokit_selectors.csv (public guide, chapter 27, has two clients); specification 000 "
    "has one interface",
    FactEvidence::kPublicNotes, Field{"client", &CallHeader::client},
    Field{"selector", &CallHeader::selector},
    Field{"scalars_in", &CallHeader::scalars_in_count, RecordKind::kNumber, FieldRole::kSpelled},
    Field{"struct_in", &CallHeader::struct_in_size, RecordKind::kNumber, FieldRole::kSpelled},
    Field{"scalars_out", &CallHeader::scalars_out_count, RecordKind::kNumber, FieldRole::kSpelled},
    Field{"struct_out", &CallHeader::struct_out_size, RecordKind::kNumber, FieldRole::kSpelled},
    Field{"result", &CallHeader::result, RecordKind::kHex});

struct Call : CallHeader {
  uint64_t offset = 0;  // offset of the call in the file; set by Parse, not written
  std::vector<uint64_t> scalars_in;
  Bytes struct_in;
  std::vector<uint64_t> scalars_out;
  Bytes struct_out;
};

struct Capture {
  std::vector<Call> calls;
};

// Returns the description of the structure that the call passes or returns. Returns null if no
// source has one, or if selector and size do not determine the method.
const Structure* StructureOf(const Call& call, Direction direction);

// Fails if the magic is wrong, a call extends beyond the file, or bytes follow the last call.
Result<Capture> Parse(ByteSpan bytes);
Bytes Write(const Capture& capture);

}  // namespace submission
}  // namespace anecheck
