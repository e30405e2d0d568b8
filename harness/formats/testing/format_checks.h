// Checks properties that every format must have. The tests of a format run them on real and
// generated files.
#pragma once

#include <string>
#include <string_view>

#include "harness/formats/format.h"

namespace anecheck::testing {

// Checks that rewrite and the JSON form keep the bytes, that verify reports no error, that print
// and count_bytes succeed, and that the format recognises the file. `name` is the name in failure
// messages and the path for recognise.
void CheckValidFile(const Format& format, ByteSpan bytes, const std::string& name);

// Tries every truncation, and every byte replaced by 0x00, 0xff and itself with bit 0 flipped.
// Checks that nothing crashes, that rewrite, verify, print and count_bytes each allocate at most 16
// times the input plus 1 MiB, that rewrite returns a file that still parses unchanged, and that
// messages have a bounded length. At every 61st offset also checks that the JSON form restores the
// bytes, and that to_json and from_json together allocate at most 512 times the input plus 1 MiB.
// Runs on all processors.
void CheckHostileEdits(const Format& format, ByteSpan bytes, const std::string& name);

// Checks the JSON form of bytes that `format` can rewrite. Returns "" if the JSON form restores the
// bytes and takes at most 512 times the input plus 1 MiB, and a description of the fault otherwise.
// The limit is high because the JSON form has an object per field.
std::string FindJsonFault(const Format& format, ByteSpan bytes);

// Checks the message of an error or a violation. Returns "" if it is one line of bounded length in
// valid UTF-8 without control characters, and a description of the fault otherwise.
std::string FindMessageFault(std::string_view message);

// Runs the checks of CheckHostileEdits on one input. Returns the fault, or "".
std::string FindHostileFault(const Format& format, ByteSpan bytes);

}  // namespace anecheck::testing
