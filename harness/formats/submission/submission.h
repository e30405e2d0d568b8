// A capture of driver calls: the external methods that a program made, in order, with their
// arguments. The capture form is this project's own; the methods and structure sizes are those of
// methods.h. What stands inside the structures no source describes, so they are opaque bytes.
//
// Layout, little endian: the 8 bytes of kMagic; u32 count; then a call each: u32 client (0 merged,
// 1 control, 2 direct), u32 selector, u32 scalars_in, u32 struct_in, u32 scalars_out, u32
// struct_out, u32 result; the scalars in (u64 each), the structure in, the scalars out, the
// structure out.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"
#include "harness/formats/submission/methods.h"

namespace anecheck {

extern const Format kFormat_submission;

namespace submission {

inline constexpr std::array<uint8_t, 8> kMagic = {'A', 'N', 'E', 'S', 'U', 'B', 'M', 1};
inline constexpr size_t kCallHeaderSize = 28;

struct Call {
  uint64_t offset = 0;  // of the call in the file; set by Parse, not written
  uint32_t client = 0;  // a Client; other numbers are kept
  uint32_t selector = 0;
  uint32_t result = 0;
  std::vector<uint64_t> scalars_in;
  Bytes struct_in;
  std::vector<uint64_t> scalars_out;
  Bytes struct_out;
};

struct Capture {
  std::vector<Call> calls;
};

// Fails on a wrong magic, a call that leaves the file, or bytes after the last call.
Result<Capture> Parse(ByteSpan bytes);
Bytes Write(const Capture& capture);

std::span<const Rule> Rules();
std::vector<Violation> Verify(const Capture& capture);

}  // namespace submission
}  // namespace anecheck
