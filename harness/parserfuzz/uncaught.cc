#include "harness/parserfuzz/uncaught.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

#include "harness/parserfuzz/signature.h"
#include "harness/parserfuzz/stack_text.h"

namespace anecheck::parserfuzz {
namespace {

constexpr int kRustPanic = 101;
constexpr int kGoPanic = 2;
constexpr int kAborted = 128 + SIGABRT;  // Rust's panic=abort, Go's GOTRACEBACK=crash

std::string_view LineAt(std::string_view text, size_t at) {
  return text.substr(at, text.find('\n', at) - at);
}

// Reads "thread 'main' panicked at src/main.rs:5:3:", which precedes the message. Compilers before
// 1.73 write "thread 'main' panicked at 'words', src/main.rs:5:3".
std::optional<std::string> RustPanic(std::string_view err) {
  constexpr std::string_view kWords = " panicked at ";
  constexpr std::string_view kSource = ".rs:";
  const size_t panicked = err.find(kWords);
  if (panicked == std::string_view::npos) return std::nullopt;
  const std::string_view line = LineAt(err, panicked + kWords.size());
  const size_t source = line.rfind(kSource);
  if (source == std::string_view::npos) return "panic " + WithoutNumbers(line);
  const size_t end = line.find(':', source + kSource.size());
  const std::string_view place = line.substr(0, end);
  return fmt::format("panic {}", BaseName(place.substr(place.rfind(' ') + 1)));
}

// Returns the position of the first line that begins with `words`.
size_t FindLine(std::string_view text, std::string_view words) {
  size_t at = text.find(words);
  while (at != std::string_view::npos && at > 0 && text[at - 1] != '\n') {
    at = text.find(words, at + 1);
  }
  return at;
}

// Reads "panic: words", or "fatal error: words" for errors that no program in Go can catch, such as
// a stack overflow. The place is the first function of the first goroutine that is not the
// runtime's. The line after the function states its file.
std::optional<std::string> GoPanic(std::string_view err) {
  const size_t panicked = std::min(FindLine(err, "panic: "), FindLine(err, "fatal error: "));
  const size_t goroutine = err.find("\ngoroutine ", panicked);
  if (panicked == std::string_view::npos || goroutine == std::string_view::npos) {
    return std::nullopt;
  }
  std::string signature = WithoutNumbers(LineAt(err, panicked));
  for (size_t at = err.find('\n', goroutine + 1); at != std::string_view::npos;) {
    const std::string_view function = LineAt(err, at + 1);
    const size_t next = err.find('\n', at + 1);
    if (function.empty() || next == std::string_view::npos) break;
    const std::string_view place = LineAt(err, next + 1);
    if (!function.starts_with("runtime.") && !function.starts_with("panic(")) {
      const std::string_view file = place.substr(0, place.find(" +0x"));
      return fmt::format("{} {} {}", signature, function.substr(0, function.rfind('(')),
                         BaseName(file));
    }
    at = err.find('\n', next + 1);
  }
  return signature;
}

// Returns for example "ValueError parse reader.py:12" if the output ends with a traceback.
std::optional<std::string> PythonException(std::string_view err) {
  constexpr std::string_view kFile = "\n  File \"";
  constexpr std::string_view kLine = "\", line ";
  constexpr std::string_view kFunction = ", in ";
  constexpr std::string_view kDriver = "/anecheck_fuzz.py\"";
  while (err.ends_with('\n')) err.remove_suffix(1);
  if (err.find("Traceback (most recent call last):") == std::string_view::npos) return {};
  // Finds the innermost frame outside the driver. The driver traces lines, so the traceback may
  // contain frames of the driver.
  size_t file = err.rfind(kFile);
  while (file != std::string_view::npos && file > 0 &&
         LineAt(err, file + kFile.size()).find(kDriver) != std::string_view::npos) {
    file = err.rfind(kFile, file - 1);
  }
  const std::string_view frame =
      file == std::string_view::npos ? std::string_view() : LineAt(err, file + kFile.size());
  const size_t line = frame.find(kLine);
  if (line == std::string_view::npos) return {};
  const size_t function = frame.find(kFunction, line);
  const std::string_view number = frame.substr(line + kLine.size(), function - line - kLine.size());
  const std::string_view last = err.substr(err.rfind('\n') + 1);
  return fmt::format("{}{} {}:{}", last.substr(0, last.find(':')),
                     function == std::string_view::npos
                         ? ""
                         : " " + std::string(frame.substr(function + kFunction.size())),
                     BaseName(frame.substr(0, line)), number);
}

// Returns the name of the error at the beginning of `text`, which precedes its message.
std::string_view ErrorName(std::string_view text) {
  const std::string_view line = LineAt(text, 0);
  return line.substr(0, std::min(line.find(':'), line.find(' ')));
}

// Returns "RangeError parse reader.js:12" for "RangeError: words" and lines like "    at parse
// (/a/reader.js:12:5)". Node's version follows these lines.
std::optional<std::string> NodeException(std::string_view err) {
  if (err.find("\nNode.js v") == std::string_view::npos) return {};
  constexpr std::string_view kFrame = "\n    at ";
  const size_t first = err.find(kFrame);
  if (first == std::string_view::npos) return {};
  size_t name = err.rfind("\n\n", first);  // after the source line with a mark below it
  name = name == std::string_view::npos ? 0 : name + 2;
  for (size_t at = first; at != std::string_view::npos; at = err.find(kFrame, at + 1)) {
    const std::string_view line = LineAt(err, at + kFrame.size());
    // Skips the runtime's own modules and functions.
    if (line.find("node:") != std::string_view::npos || line.ends_with("(<anonymous>)")) continue;
    const size_t open = line.find(" (");
    std::string_view place = open == std::string_view::npos ? line : line.substr(open + 2);
    if (place.ends_with(')')) place.remove_suffix(1);
    return fmt::format(
        "{}{}{} {}", ErrorName(err.substr(name)), open == std::string_view::npos ? "" : " ",
        open == std::string_view::npos ? "" : line.substr(0, open), BaseName(WithoutColumn(place)));
  }
  return std::string(ErrorName(err.substr(name)));
}

// Returns for example "java.lang.ArithmeticException Reader.parse Reader.java:12".
std::optional<std::string> JavaException(std::string_view err) {
  constexpr std::string_view kHead = "Exception in thread \"";
  constexpr std::string_view kFrame = "\n\tat ";
  const size_t head = FindLine(err, kHead);
  const size_t name = head == std::string_view::npos ? head : err.find("\" ", head + kHead.size());
  if (name == std::string_view::npos) return {};
  std::string signature(ErrorName(err.substr(name + 2)));
  for (size_t at = err.find(kFrame, name); at != std::string_view::npos;
       at = err.find(kFrame, at + 1)) {
    const std::string_view line = LineAt(err, at + kFrame.size());
    const size_t open = line.find('(');
    if (line.starts_with("java.") || open == std::string_view::npos || !line.ends_with(')'))
      continue;
    return fmt::format("{} {} {}", signature, line.substr(0, open),
                       line.substr(open + 1, line.size() - open - 2));
  }
  return signature;
}

// Returns "NoMethodError parse reader.rb:12" for "reader.rb:12:in `parse': words (NoMethodError)".
std::optional<std::string> RubyException(std::string_view err) {
  const size_t in = err.find(":in ");
  if (in == std::string_view::npos) return {};
  const size_t line_start = err.rfind('\n', in) + 1;
  const std::string_view line = LineAt(err, line_start);
  const std::string_view place = line.substr(0, in - line_start);
  const size_t open = line.rfind(" (");
  const std::string_view function = line.substr(in - line_start + 5);
  const size_t end = function.find("': ");
  if (place.find(".rb:") == std::string_view::npos || !line.ends_with(')') ||
      open == std::string_view::npos || end == std::string_view::npos) {
    return {};
  }
  return fmt::format("{} {} {}", line.substr(open + 2, line.size() - open - 3),
                     function.substr(0, end), BaseName(place));
}

// Returns for example "System.IndexOutOfRangeException Reader.Parse Reader.cs:12".
std::optional<std::string> DotNetException(std::string_view err) {
  constexpr std::string_view kHead = "Unhandled exception. ";
  constexpr std::string_view kFrame = "\n   at ";
  const size_t head = FindLine(err, kHead);
  if (head == std::string_view::npos) return {};
  std::string signature(ErrorName(err.substr(head + kHead.size())));
  const size_t frame = err.find(kFrame, head);
  if (frame == std::string_view::npos) return signature;
  const std::string_view line = LineAt(err, frame + kFrame.size());
  signature += fmt::format(" {}", line.substr(0, line.find('(')));
  const size_t place = line.rfind(":line ");
  if (place == std::string_view::npos) return signature;
  return fmt::format("{} {}:{}", signature, BaseName(line.substr(0, place)),
                     line.substr(place + 6));
}

// Returns "std::out_of_range" for "terminate called after throwing an instance of
// 'std::out_of_range'".
std::optional<std::string> CppException(std::string_view err) {
  constexpr std::string_view kHead = "terminate called after throwing an instance of '";
  constexpr std::string_view kLibcpp = "terminating due to uncaught exception of type ";
  size_t at = err.find(kHead);
  if (at != std::string_view::npos) {
    at += kHead.size();
    return fmt::format("uncaught {}", err.substr(at, err.find('\'', at) - at));
  }
  at = err.find(kLibcpp);
  if (at == std::string_view::npos) return {};
  return fmt::format("uncaught {}", ErrorName(err.substr(at + kLibcpp.size())));
}

// Returns "assertion Parse parser.c:12" for "parser: parser.c:12: int Parse(int): Assertion `n < 4'
// failed."
std::optional<std::string> FailedAssertion(std::string_view err) {
  const size_t words = err.find(": Assertion ");
  if (words == std::string_view::npos) return {};
  const size_t start = err.rfind('\n', words) + 1;
  std::string_view line = err.substr(start, words - start);
  const size_t program = line.find(": ");
  if (program != std::string_view::npos) line.remove_prefix(program + 2);
  const size_t end = line.find(": ");
  if (end == std::string_view::npos) return {};
  std::string_view function = line.substr(end + 2);
  function = function.substr(0, function.find('('));
  return fmt::format("assertion {} {}", function.substr(function.rfind(' ') + 1),
                     BaseName(line.substr(0, end)));
}

constexpr int kAnyFailure = -1;  // any code but 0

struct Language {
  int code;  // the exit code after an uncaught error
  std::optional<std::string> (*read)(std::string_view err);
};

constexpr Language kLanguages[] = {
    {kRustPanic, RustPanic},      {kAborted, RustPanic},          {kGoPanic, GoPanic},
    {kAborted, GoPanic},          {kAborted, CppException},       {kAborted, FailedAssertion},
    {kAborted, DotNetException},  {kAnyFailure, PythonException}, {kAnyFailure, NodeException},
    {kAnyFailure, JavaException}, {kAnyFailure, RubyException},   {kAnyFailure, DotNetException}};

}  // namespace

std::optional<std::string> UncaughtSignature(std::string_view err, int code) {
  for (const Language& language : kLanguages) {
    const bool ends_so = language.code == kAnyFailure ? code != 0 : language.code == code;
    if (!ends_so) continue;
    if (auto signature = language.read(err)) return signature;
  }
  return std::nullopt;
}

}  // namespace anecheck::parserfuzz
