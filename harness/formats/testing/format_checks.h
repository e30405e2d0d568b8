// Checks of the properties that every format must have. The tests of a format run them on real and
// generated files.
#pragma once

#include <string>
#include <string_view>

#include "harness/formats/format.h"

namespace anecheck::testing {

// Checks that rewrite and the JSON form keep the bytes, that verify reports no error, that print
// and coverage work, and that the format recognises the file. `name` is used in failure messages
// and as the path for recognise.
void CheckValidFile(const Format& format, ByteSpan bytes, const std::string& name);

// Tries every truncation, and every byte replaced by 0x00, 0xff and itself with bit 0 flipped.
// Checks that nothing crashes, that rewrite, verify, print and coverage each allocate at most 16
// times the input plus 1 MiB, that a file that still parses rewrites to itself, and that messages
// are bounded. At every 61st place also checks that the JSON form restores the bytes, and that
// to_json and from_json together allocate at most 512 times the input plus 1 MiB. Runs on all
// processors.
void CheckHostileEdits(const Format& format, ByteSpan bytes, const std::string& name);

// The fault of the JSON form of bytes that `format` can rewrite. Empty if the JSON form restores
// the bytes and takes at most 512 times the input plus 1 MiB; the bound is high because the form
// has an object per field.
std::string FindJsonFault(const Format& format, ByteSpan bytes);

// The fault of the message of an error or a violation. Empty if the message is one line of bounded
// length in well-formed UTF-8, without control characters.
std::string FindMessageFault(std::string_view message);

// Runs the checks of CheckHostileEdits on one input. Returns the fault, or "".
std::string FindHostileFault(const Format& format, ByteSpan bytes);

}  // namespace anecheck::testing
