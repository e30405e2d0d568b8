// How programs in languages that catch their own errors tell that they ended by one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace anecheck::parserfuzz {

// "panic main.rs:5" or "panic: index out of range [N] with length N main.parse main.go:12" where
// `err` holds the panic of a program in Rust or Go that ended with the exit code of one (101, 2),
// or by SIGABRT, which is told as 128 and the signal.
std::optional<std::string> PanicSignature(std::string_view err, int exit_code);

// "ValueError parse reader.py:12" where `err` ends with the traceback of an exception in Python:
// its type, and where it was raised. What the exception says is left out.
std::optional<std::string> ExceptionSignature(std::string_view err);

}  // namespace anecheck::parserfuzz
