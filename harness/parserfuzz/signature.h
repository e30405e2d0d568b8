// By what failures of a command are told apart: the words of a sanitizer's report or the last line
// of the output, without what differs from run to run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace anecheck::parserfuzz {

// `line` with addresses and numbers replaced by N, and no longer than 160 characters.
std::string WithoutNumbers(std::string_view line);

// The last line, without numbers, and not what a shell adds of a program that died.
std::string LastLine(std::string_view text);

// "AddressSanitizer: heap-buffer-overflow Parse file.cc:7 main" where `err` holds a sanitizer's
// report: what it says, the innermost three functions that are not the sanitizer's own, and where
// the first of them stands. Without symbols, the places in the program's file in their stead. The
// kind of undefined behaviour is not among it.
std::optional<std::string> ReportSignature(std::string_view err);

// "file.cc:7:12: runtime error: shift exponent N is too large" where `err` says so: the first of
// what was undefined, of which a program may do much and go on, with its stack where that is told.
std::optional<std::string> UndefinedSignature(std::string_view err);

// Whether that is the last that `err` says, as of a program that was ended for it.
bool EndsWithUndefined(std::string_view err);

}  // namespace anecheck::parserfuzz
