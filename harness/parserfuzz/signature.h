// The signature of a command's failure: the text of a sanitizer's report or the last line of the
// output, without the parts that differ from run to run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace anecheck::parserfuzz {

// `line` with addresses and numbers replaced by N, and no longer than 160 characters.
std::string WithoutNumbers(std::string_view line);

// Returns the last line that is not a shell's note about a program that died, without its numbers.
std::string LastLine(std::string_view text);

// Returns the tool and the error that the sanitizer's report in `err` names, the innermost three
// functions that are not the sanitizer's own, and the place of the first of them:
// "AddressSanitizer: heap-buffer-overflow Parse file.cc:7 main". Returns nothing if `err` has no
// report. Without symbols, places in the program's file replace the functions. Reports of undefined
// behaviour are not included.
std::optional<std::string> ReportSignature(std::string_view err);

// Returns the first report of undefined behaviour in `err`, with its stack if there is one:
// "file.cc:7:12: runtime error: shift exponent N is too large". A program may continue after such a
// report.
std::optional<std::string> UndefinedSignature(std::string_view err);

// Whether that report is the end of `err`, as it is if the report ended the program.
bool EndsWithUndefined(std::string_view err);

}  // namespace anecheck::parserfuzz
