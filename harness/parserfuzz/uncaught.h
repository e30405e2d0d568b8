// Recognises programs that ended by an uncaught error of their language. uncaught.cc has a row for
// each language.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace anecheck::parserfuzz {

// Returns the uncaught error that ended a program, or nothing. The error is a panic of Rust or Go,
// an exception of Python, JavaScript, Java, Ruby, .NET or C++, or a failed assertion of C. `err` is
// the text that the program wrote. `code` is its exit code, or 128 plus the signal that ended it.
// The result is the type of the error and the place of its origin, for example "ValueError parse
// reader.py:12". It leaves out the error's message, which may quote the file.
std::optional<std::string> UncaughtSignature(std::string_view err, int code);

}  // namespace anecheck::parserfuzz
