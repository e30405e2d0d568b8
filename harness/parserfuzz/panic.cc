#include "harness/parserfuzz/panic.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

#include "harness/parserfuzz/signature.h"

namespace anecheck::parserfuzz {
namespace {

constexpr int kRustPanic = 101;
constexpr int kGoPanic = 2;
constexpr int kAborted = 128 + SIGABRT;  // Rust's panic=abort, Go's GOTRACEBACK=crash

std::string_view LineAt(std::string_view text, size_t at) {
  return text.substr(at, text.find('\n', at) - at);
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// "thread 'main' panicked at src/main.rs:5:3:" before its words, or, by compilers before 1.73,
// "thread 'main' panicked at 'words', src/main.rs:5:3".
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

// Where a line begins with `words`.
size_t FindLine(std::string_view text, std::string_view words) {
  size_t at = text.find(words);
  while (at != std::string_view::npos && at > 0 && text[at - 1] != '\n') {
    at = text.find(words, at + 1);
  }
  return at;
}

// "panic: words", or "fatal error: words" of what no program in Go can catch, a stack that is used
// up among it; and of the first goroutine the first function that is not the runtime's, with the
// file it stands in on the next line.
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

}  // namespace

std::optional<std::string> PanicSignature(std::string_view err, int exit_code) {
  if (exit_code == kRustPanic) return RustPanic(err);
  if (exit_code == kGoPanic) return GoPanic(err);
  if (exit_code != kAborted) return std::nullopt;
  auto panic = RustPanic(err);
  return panic ? panic : GoPanic(err);
}

std::optional<std::string> ExceptionSignature(std::string_view err) {
  constexpr std::string_view kFile = "\n  File \"";
  constexpr std::string_view kLine = "\", line ";
  constexpr std::string_view kFunction = ", in ";
  while (err.ends_with('\n')) err.remove_suffix(1);
  if (err.find("Traceback (most recent call last):") == std::string_view::npos) return {};
  const size_t file = err.rfind(kFile);
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

}  // namespace anecheck::parserfuzz
