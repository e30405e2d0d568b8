// By what failures of a command are told apart: the words of a sanitizer's report or the last line
// of the output, without what differs from run to run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace anecheck::parserfuzz {

// `line` with addresses and numbers replaced by N, and no longer than 160 characters.
std::string WithoutNumbers(std::string_view line);

// The last line, without numbers.
std::string LastLine(std::string_view text);

// "AddressSanitizer: heap-buffer-overflow Parse file.cc:7 main" where `err` holds a sanitizer's
// report: what it says, the innermost three functions that are not the sanitizer's own, and where
// the first of them stands. Without symbols, the places in the program's file in their stead.
std::optional<std::string> ReportSignature(std::string_view err);

}  // namespace anecheck::parserfuzz
