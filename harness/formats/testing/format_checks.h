// The promises of every format, as checks that its tests run over real and generated files.
#pragma once

#include <string>
#include <string_view>

#include "harness/formats/format.h"

namespace anecheck::testing {

// Bytes survive rewrite and the JSON form; verify reports no error; print and coverage work; the
// format recognises the file. `name` goes into failure messages and is the path for recognise.
void CheckValidFile(const Format& format, ByteSpan bytes, const std::string& name);

// Every truncation, and every byte replaced by 0x00, 0xff and itself with bit 0 flipped: no crash,
// rewrite, verify, print and coverage allocate no more than 16 times the input plus 1 MiB, and a
// file that still parses rewrites to itself; at every 61st place its JSON form gives the same bytes
// too, for which to_json and from_json together hold up to 512 times the input plus 1 MiB. Messages
// stay within bounds. Runs on all processors.
void CheckHostileEdits(const Format& format, ByteSpan bytes, const std::string& name);

// The faults of the JSON form of bytes that rewrite; empty if it gives them back and holds no more
// than 512 times the input plus 1 MiB, an object per field being its nature.
std::string FindJsonFault(const Format& format, ByteSpan bytes);

// The faults of the message of an error or a violation; empty if it is one line of bounded length
// and well-formed UTF-8, in which no byte of a file controls a terminal.
std::string FindMessageFault(std::string_view message);

// Runs the checks of CheckHostileEdits on one input; empty, or the fault.
std::string FindHostileFault(const Format& format, ByteSpan bytes);

}  // namespace anecheck::testing
