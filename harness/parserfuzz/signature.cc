#include "harness/parserfuzz/signature.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <vector>

#include "harness/parserfuzz/stack_text.h"

namespace anecheck::parserfuzz {
namespace {

constexpr int kStackFrames = 3;  // number of frames of a report that distinguish bugs
constexpr size_t kLongest = 160;

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsAlphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool IsHexDigit(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

void DropEnd(std::string_view& text, std::string_view end) {
  if (text.ends_with(end)) text.remove_suffix(end.size());
}

// Returns the innermost functions of the stack, and the place of the first.
std::string StackOf(std::string_view report) {
  std::string stack;
  int kept = 0;
  std::vector<StackFrame> frames = ReadStack(report);
  DropEntry(frames);
  for (const StackFrame& frame : frames) {
    if (kept == kStackFrames) break;
    stack += fmt::format(" {}", frame.function);
    if (kept++ == 0 && !frame.place.empty()) stack += fmt::format(" {}", frame.place);
  }
  return stack;
}

// Returns the part of the line that precedes offset `at` of `text`.
std::string_view BeforeInLine(std::string_view text, size_t at) {
  const size_t start = text.substr(0, at).rfind('\n');
  return text.substr(start + 1, at - start - 1);
}

// Returns the length of the run of letters and digits at offset `at`.
size_t WordLength(std::string_view text, size_t at) {
  const auto begin = text.begin() + static_cast<ptrdiff_t>(at);
  return static_cast<size_t>(std::find_if_not(begin, text.end(), IsAlphanumeric) - begin);
}

// Returns the length of the quotation from the mark at `at` to the next mark, inclusive. Returns 0
// if the mark is an apostrophe within a word, or if no mark ends the quotation.
size_t QuotedLength(std::string_view text, size_t at) {
  const char mark = text[at];
  if (mark != '\'' && mark != '"' && mark != '`') return 0;
  if (at > 0 && IsAlphanumeric(text[at - 1])) return 0;
  const size_t end = text.find(mark, at + 1);
  return end == std::string_view::npos ? 0 : end + 1 - at;
}

// Returns N if the word is a decimal or hexadecimal number. Otherwise returns the word with each
// run of digits replaced by N.
std::string WithoutDigits(std::string_view word) {
  const std::string_view digits = word.starts_with("0x") ? word.substr(2) : word;
  const bool number = !digits.empty() && std::ranges::all_of(digits, IsHexDigit) &&
                      std::ranges::any_of(word, IsDigit);
  if (number) return "N";
  std::string text;
  for (const char c : word) {
    if (!IsDigit(c)) text += c;
    if (IsDigit(c) && !text.ends_with('N')) text += 'N';
  }
  return text;
}

constexpr std::string_view kSummaryOfUndefined = "SUMMARY: Undefined";

// Returns a position within the name of a sanitizer. Skips the line that ends a report of undefined
// behaviour.
size_t SanitizerName(std::string_view err) {
  constexpr std::string_view kName = "Sanitizer: ";
  const auto names = [&](size_t at) {
    return at > 0 && IsAlphanumeric(err[at - 1]) &&
           !BeforeInLine(err, at).starts_with(kSummaryOfUndefined);
  };
  size_t at = err.find(kName);
  while (at != std::string_view::npos && !names(at)) at = err.find(kName, at + 1);
  return at;
}

// Returns the position of a report, which lies within the name of the tool that wrote it.
size_t ReportStart(std::string_view err) {
  constexpr std::string_view kBefore = "ERROR: ";
  const size_t fuzzer = err.find("ERROR: libFuzzer: ");
  const size_t sanitizer = SanitizerName(err);
  return fuzzer < sanitizer ? fuzzer + kBefore.size() : sanitizer;
}

constexpr std::string_view kUndefined = "runtime error: ";

// Whether the text is a place as it precedes "runtime error" in a report of undefined behaviour:
// "dir/file.cc:7:12: ", "<unknown>: " or "(/tmp/parser+0x1a2b): ". The check is needed because
// other programs, for example in Go, also write "runtime error".
bool IsPlace(std::string_view before) {
  if (!before.ends_with(": ")) return false;
  before.remove_suffix(2);
  const bool line = !WithoutColumn(before).empty();
  return line || before.ends_with("<unknown>") || before.find("+0x") != std::string_view::npos;
}

// Returns the position of the first report of undefined behaviour.
size_t UndefinedStart(std::string_view err) {
  size_t at = err.find(kUndefined);
  while (at != std::string_view::npos && !IsPlace(BeforeInLine(err, at))) {
    at = err.find(kUndefined, at + 1);
  }
  return at;
}

// Whether a shell wrote the line about a program that died.
bool IsOfShell(std::string_view line) {
  constexpr std::string_view kWords[] = {"Aborted",
                                         "Abort trap",
                                         "Segmentation fault",
                                         "Bus error",
                                         "Illegal instruction",
                                         "Trace/",
                                         "Floating point exception"};
  return std::ranges::any_of(
      kWords, [&](auto words) { return line.find(words) != std::string_view::npos; });
}

// Returns the last line that a program wrote, unchanged.
std::string_view End(std::string_view text) {
  for (;;) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    const size_t before = text.rfind('\n');
    const std::string_view line = text.substr(before + 1);
    if (before == std::string_view::npos || !IsOfShell(line)) return line;
    text = text.substr(0, before);
  }
}

}  // namespace

std::string WithoutNumbers(std::string_view line) {
  line = line.substr(0, kLongest);
  std::string text;
  for (size_t i = 0; i < line.size();) {
    const size_t quoted = QuotedLength(line, i);
    const size_t word = WordLength(line, i);
    if (quoted > 0) {
      text += line[i];
      text += "...";
      text += line[i];
    } else if (word > 0) {
      text += WithoutDigits(line.substr(i, word));
    } else {
      text += line[i];
    }
    i += std::max({quoted, word, size_t{1}});
  }
  return text;
}

std::string LastLine(std::string_view text) { return WithoutNumbers(End(text)); }

std::optional<std::string> ReportSignature(std::string_view err) {
  const size_t at = ReportStart(err);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string stack = StackOf(err.substr(at));
  const std::string_view before = BeforeInLine(err, at);
  const std::string_view rest = FirstLine(err.substr(at));
  // Addresses follow the kind of error. They are left out if there is a stack.
  const std::string_view name = before.substr(before.find_last_of(" =") + 1);
  const size_t end = std::min({rest.find(" on "), rest.find(" 0x"), rest.find(" (")});
  return fmt::format("{}{}{}", name, WithoutNumbers(stack.empty() ? rest : rest.substr(0, end)),
                     stack);
}

std::optional<std::string> UndefinedSignature(std::string_view err) {
  const size_t at = UndefinedStart(err);
  if (at == std::string_view::npos) return std::nullopt;
  // Reports of many places have the same text, so the place is part of the signature.
  std::string_view place = BeforeInLine(err, at);
  DropEnd(place, ": ");
  place = BaseName(place.substr(place.rfind(' ') + 1));
  DropEnd(place, ")");
  return fmt::format("{}: {}{}", place, WithoutNumbers(FirstLine(err.substr(at))),
                     StackOf(err.substr(at)));
}

bool EndsWithUndefined(std::string_view err) {
  const std::string_view end = End(err);
  return end.starts_with(kSummaryOfUndefined) || UndefinedStart(end) != std::string_view::npos;
}

}  // namespace anecheck::parserfuzz
