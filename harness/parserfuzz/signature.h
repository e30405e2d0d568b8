// Makes the signature of a command's failure. It is the text of a sanitizer's report or the last
// line of the output, without the parts that differ between runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace anecheck::parserfuzz {

// Returns `line` with each address and number replaced by N, cut to 160 characters.
std::string WithoutNumbers(std::string_view line);

// Returns the last line without its numbers. Skips a shell's note about a program that died.
std::string LastLine(std::string_view text);

// Reads the sanitizer's report in `err`. Returns its tool and error, the innermost three functions
// that are not the sanitizer's own, and the place of the first of them: "AddressSanitizer:
// heap-buffer-overflow Parse file.cc:7 main". Returns nothing if `err` has no report. If there are
// no symbols, places in the program's file replace the functions. Ignores reports of undefined
// behaviour.
std::optional<std::string> ReportSignature(std::string_view err);

// Returns the first report of undefined behaviour in `err`, with its stack if there is one:
// "file.cc:7:12: runtime error: shift exponent N is too large". A program may continue after such a
// report.
std::optional<std::string> UndefinedSignature(std::string_view err);

// Whether `err` ends with the first report of undefined behaviour. This is true if the report ended
// the program.
bool EndsWithUndefined(std::string_view err);

}  // namespace anecheck::parserfuzz
