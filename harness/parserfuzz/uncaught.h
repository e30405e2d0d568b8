// Recognises programs that an uncaught error of their language ended: uncaught.cc has a row for
// each language.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace anecheck::parserfuzz {

// Returns the error that ended a program, if the program did not catch it: a panic of Rust or Go,
// an exception of Python, JavaScript, Java, Ruby, .NET or C++, a failed assertion of C. `err` is
// the text that the program wrote; `code` is its exit code, or 128 plus the signal that ended it.
// The result is the type of the error and the place of its origin: "ValueError parse reader.py:12".
// The error's message, which may quote the file, is left out.
std::optional<std::string> UncaughtSignature(std::string_view err, int code);

}  // namespace anecheck::parserfuzz
