#include "harness/parserfuzz/signature.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace anecheck::parserfuzz {
namespace {

constexpr int kStackFrames = 3;  // of a report, that tell bugs apart
constexpr size_t kLongest = 160;

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsAlphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool IsHexDigit(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

void DropEnd(std::string_view& text, std::string_view end) {
  if (text.ends_with(end)) text.remove_suffix(end.size());
}

// "file.cc:7:12" and "file.cc:7" become "file.cc:7". Empty where there is no line.
std::string_view WithoutColumn(std::string_view place) {
  const auto number_from = [](std::string_view text) {
    const size_t colon = text.rfind(':');
    const bool number = colon != std::string_view::npos && colon + 1 < text.size() &&
                        std::ranges::all_of(text.substr(colon + 1), IsDigit);
    return number ? colon : std::string_view::npos;
  };
  const size_t last = number_from(place);
  if (last == std::string_view::npos) return {};
  const size_t before = number_from(place.substr(0, last));
  return before == std::string_view::npos ? place : place.substr(0, last);
}

// "Parse<int>(char const*, (anonymous namespace)::T) const" is "Parse<int>": the last parenthesis
// that closes belongs to the argument list, whatever stands in names and arguments before it.
std::string_view WithoutArguments(std::string_view name) {
  DropEnd(name, " const");
  if (!name.ends_with(')')) return name;
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i == 0 ? name : name.substr(0, i);
  }
  return name;
}

struct Frame {
  std::string name;   // or the place in the program's file, where there are no symbols
  std::string place;  // file and line, where they are told
};

// Of a line like "    #0 0x55d2 in a::Parse(char const*) /tmp/file.cc:7:12",
// "    #0 0x55d2 in Parse (/tmp/parser+0x1a2b) (BuildId: ab12)" or
// "    #0 0x55d2  (/tmp/parser+0x1a2b) (BuildId: ab12)".
Frame ReadFrame(std::string_view line) {
  line = line.substr(0, line.find(" (BuildId: "));
  const size_t module = line.rfind(" (");
  const bool in_module = module != std::string_view::npos && line.ends_with(')') &&
                         line.find("+0x", module) != std::string_view::npos;
  const std::string_view offset =
      in_module ? BaseName(line.substr(module + 2, line.size() - module - 3)) : std::string_view();
  if (in_module) line = line.substr(0, module);
  const size_t in = line.find(" in ");
  if (in == std::string_view::npos) {
    return {std::string(in_module ? offset : std::string_view("?")), ""};
  }
  std::string_view name = line.substr(in + 4);
  if (in_module) return {std::string(WithoutArguments(name)), ""};
  // A path begins with a slash where the compiler was told whole ones, else behind the last space.
  const size_t slash = name.find(" /");
  const size_t space = slash == std::string_view::npos ? name.rfind(' ') : slash;
  const std::string_view last =
      space == std::string_view::npos ? std::string_view() : name.substr(space + 1);
  std::string_view place = WithoutColumn(last);
  if (place.empty() && last.starts_with('/')) place = last;  // code that has no line of its own
  if (!place.empty()) name = name.substr(0, space);
  return {std::string(WithoutArguments(name)), std::string(BaseName(place))};
}

// Allocators, the functions that a sanitizer puts before those of the C library, and what ends a
// program stand at the top of every bug of their kind; what starts one stands at the bottom.
bool IsRuntime(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {
      "__asan_",         "__interceptor_", "___interceptor_", "__sanitizer_", "__ubsan_",
      "__msan_",         "__tsan_",        "__lsan_",         "operator new", "operator delete",
      "fuzzer::",        "libc.so.",       "libstdc++.so.",   "libsystem_",   "__libc_start_",
      "__GI_",           "__pthread_kill", "__assert_",       "__cxa_",       "std::terminate",
      "std::__terminate"};
  constexpr std::string_view kNames[] = {"malloc",  "calloc",  "realloc", "free",        "memcpy",
                                         "memmove", "memset",  "memcmp",  "abort",       "raise",
                                         "gsignal", "__abort", "_start",  "pthread_kill"};
  return std::ranges::find(kNames, name) != std::end(kNames) ||
         std::ranges::any_of(kPrefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

// The innermost functions of the first stack.
std::string StackOf(std::string_view report) {
  std::string stack;
  int kept = 0;
  size_t at = report.find("#0 ");
  for (int number = 1; kept < kStackFrames && at != std::string_view::npos; ++number) {
    const std::string_view line = FirstLine(report.substr(at));
    const Frame frame = ReadFrame(line);
    if (!IsRuntime(frame.name)) {
      stack += fmt::format(" {}", frame.name);
      if (kept == 0 && !frame.place.empty()) stack += fmt::format(" {}", frame.place);
      ++kept;
    }
    // The next line of this stack, or its end.
    const std::string_view rest = report.substr(std::min(at + line.size() + 1, report.size()));
    const size_t next = FirstLine(rest).find(fmt::format("#{} ", number));
    at = next == std::string_view::npos ? next : at + line.size() + 1 + next;
  }
  return stack;
}

// The line of `text` in which `at` stands, from its beginning up to `at`.
std::string_view BeforeInLine(std::string_view text, size_t at) {
  const size_t start = text.substr(0, at).rfind('\n');
  return text.substr(start + 1, at - start - 1);
}

// Of letters and digits from `at` on.
size_t WordLength(std::string_view text, size_t at) {
  const auto begin = text.begin() + static_cast<ptrdiff_t>(at);
  return static_cast<size_t>(std::find_if_not(begin, text.end(), IsAlphanumeric) - begin);
}

// Of what begins with a quotation mark at `at` and ends with the next one, both counted; 0 where an
// apostrophe stands within a word or nothing ends it.
size_t QuotedLength(std::string_view text, size_t at) {
  const char mark = text[at];
  if (mark != '\'' && mark != '"' && mark != '`') return 0;
  if (at > 0 && IsAlphanumeric(text[at - 1])) return 0;
  const size_t end = text.find(mark, at + 1);
  return end == std::string_view::npos ? 0 : end + 1 - at;
}

// A word that is a number, decimal or hexadecimal, is N; in another each run of digits is.
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

// Within the name of a sanitizer, in a line that is not the last one of what was undefined.
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

// Where a report begins: within the name of what wrote it.
size_t ReportStart(std::string_view err) {
  constexpr std::string_view kBefore = "ERROR: ";
  const size_t fuzzer = err.find("ERROR: libFuzzer: ");
  const size_t sanitizer = SanitizerName(err);
  return fuzzer < sanitizer ? fuzzer + kBefore.size() : sanitizer;
}

constexpr std::string_view kUndefined = "runtime error: ";

// "dir/file.cc:7:12: ", "<unknown>: " or "(/tmp/parser+0x1a2b): ", which stands before the words:
// programs in Go and others say these too.
bool IsPlace(std::string_view before) {
  if (!before.ends_with(": ")) return false;
  before.remove_suffix(2);
  const bool line = !WithoutColumn(before).empty();
  return line || before.ends_with("<unknown>") || before.find("+0x") != std::string_view::npos;
}

// Where it is said first that something was undefined.
size_t UndefinedStart(std::string_view err) {
  size_t at = err.find(kUndefined);
  while (at != std::string_view::npos && !IsPlace(BeforeInLine(err, at))) {
    at = err.find(kUndefined, at + 1);
  }
  return at;
}

// What a shell adds of a program that died.
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

// The last line that a program said, as it stands.
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
  // Behind the kind of error stand addresses; the stack says more than they do.
  const std::string_view name = before.substr(before.find_last_of(" =") + 1);
  const size_t end = std::min({rest.find(" on "), rest.find(" 0x"), rest.find(" (")});
  return fmt::format("{}{}{}", name, WithoutNumbers(stack.empty() ? rest : rest.substr(0, end)),
                     stack);
}

std::optional<std::string> UndefinedSignature(std::string_view err) {
  const size_t at = UndefinedStart(err);
  if (at == std::string_view::npos) return std::nullopt;
  // The same words are said of many places.
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
