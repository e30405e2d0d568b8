// How programs in languages that catch their own errors tell that one ended them: a row per
// language in uncaught.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace anecheck::parserfuzz {

// The error that ended a program that wrote `err` and ended with `code` (128 and the signal if
// there was one), if it did not catch that error: a panic of Rust or Go, an exception of Python,
// JavaScript, Java, Ruby, .NET or C++, a failed assertion of C. "ValueError parse reader.py:12":
// its type and the place of its origin. The error's words about the file are left out.
std::optional<std::string> UncaughtSignature(std::string_view err, int code);

}  // namespace anecheck::parserfuzz
