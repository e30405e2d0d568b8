// Recognises programs that an uncaught error of their language ended: uncaught.cc has a row for
// each language.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace anecheck::parserfuzz {

// The error that ended a program that wrote `err` and ended with `code` (128 plus the signal, if
// there was one), if it did not catch that error: a panic of Rust or Go, an exception of Python,
// JavaScript, Java, Ruby, .NET or C++, a failed assertion of C. "ValueError parse reader.py:12":
// its type and the place of its origin. The error's message, which may quote the file, is left out.
std::optional<std::string> UncaughtSignature(std::string_view err, int code);

}  // namespace anecheck::parserfuzz
