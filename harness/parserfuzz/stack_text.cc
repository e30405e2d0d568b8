#include "harness/parserfuzz/stack_text.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace anecheck::parserfuzz {
namespace {

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

void DropEnd(std::string_view& text, std::string_view end) {
  if (text.ends_with(end)) text.remove_suffix(end.size());
}

// Turns "Parse<int>(char const*, (anonymous namespace)::T) const" into "Parse<int>". The last
// closing parenthesis belongs to the argument list, whatever precedes it in names and arguments.
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

// If the line is unknown, a symbol table names an object file in its place:
// "asan_interceptors.cpp.o:0:0".
bool IsObject(std::string_view place) { return place.substr(0, place.find(':')).ends_with(".o"); }

// The frame of a line like "    #0 0x55d2 in a::Parse(char const*) /tmp/file.cc:7:12", "    #0
// 0x55d2 in Parse (/tmp/parser+0x1a2b) (BuildId: ab12)" or "    #0 0x55d2  (/tmp/parser+0x1a2b)
// (BuildId: ab12)".
StackFrame ReadNumberedFrame(std::string_view line) {
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
  // A path begins with a slash if the compiler was given absolute paths, else after the last space.
  const size_t slash = name.find(" /");
  const size_t space = slash == std::string_view::npos ? name.rfind(' ') : slash;
  const std::string_view last =
      space == std::string_view::npos ? std::string_view() : name.substr(space + 1);
  std::string_view place = WithoutColumn(last);
  if (place.empty() && last.starts_with('/')) place = last;  // code without a line number
  if (!place.empty() || IsObject(last)) name = name.substr(0, space);
  if (IsObject(last)) place = {};
  return {std::string(WithoutArguments(name)), std::string(BaseName(place))};
}

// The frame of a line like "#1  0x55d2 in Parse (data=0x1) at parser.c:7" or "#0  Parse () at
// parser.c:7".
StackFrame ReadGdbFrame(std::string_view line) {
  line.remove_prefix(std::min(line.find(' '), line.size()));
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (line.starts_with("0x")) {
    const size_t in = line.find(" in ");
    line.remove_prefix(in == std::string_view::npos ? 0 : in + 4);
  }
  const size_t at = line.rfind(" at ");
  const std::string_view place =
      at == std::string_view::npos ? std::string_view() : WithoutColumn(line.substr(at + 4));
  return {std::string(line.substr(0, line.find(" ("))), std::string(BaseName(place))};
}

// Allocators, the functions that a sanitizer puts before those of the C library, and functions that
// end a program are at the top of every stack of their kind; functions that start a program are at
// the bottom.
bool IsRuntime(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {
      "__asan_",          "__interceptor_",  "___interceptor_", "__sanitizer_",
      "__ubsan_",         "__msan_",         "__tsan_",         "__lsan_",
      "operator new",     "operator delete", "fuzzer::",        "libc.so.",
      "libstdc++.so.",    "libsystem_",      "__libc_start_",   "__GI_",
      "__pthread_kill",   "__assert_",       "__cxa_",          "std::terminate",
      "std::__terminate", "__cxxabiv1"};
  constexpr std::string_view kNames[] = {"malloc",  "calloc",  "realloc", "free",        "memcpy",
                                         "memmove", "memset",  "memcmp",  "abort",       "raise",
                                         "gsignal", "__abort", "_start",  "pthread_kill"};
  return std::ranges::find(kNames, name) != std::end(kNames) ||
         std::ranges::any_of(kPrefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

// Functions of a persistent driver. The frames that call them are not part of the parser.
bool IsDriver(const StackFrame& frame) {
  return frame.function.starts_with("anecheck_fuzz_") ||
         frame.function.starts_with("LLVMFuzzerTestOneInput") ||
         frame.place.starts_with("anecheck_fuzz.py:");
}

// Consecutive lines "#0 ", "#1 " and so on.
std::vector<StackFrame> ReadNumbered(std::string_view text) {
  const bool by_gdb = text.find("stack by gdb:") != std::string_view::npos;
  std::vector<StackFrame> frames;
  size_t at = text.find("#0 ");
  for (int number = 1; at != std::string_view::npos; ++number) {
    const std::string_view line = FirstLine(text.substr(at));
    frames.push_back(by_gdb ? ReadGdbFrame(line) : ReadNumberedFrame(line));
    const std::string_view rest = text.substr(std::min(at + line.size() + 1, text.size()));
    const size_t next = FirstLine(rest).find("#" + std::to_string(number) + " ");
    at = next == std::string_view::npos ? next : at + line.size() + 1 + next;
  }
  return frames;
}

// After "(most recent call first):", lines like "  File "/a/b.py", line 7 in parse".
std::vector<StackFrame> ReadFaultHandler(std::string_view text) {
  constexpr std::string_view kHead = "(most recent call first):\n";
  constexpr std::string_view kFile = "  File \"";
  constexpr std::string_view kLine = "\", line ";
  std::vector<StackFrame> frames;
  const size_t head = text.find(kHead);
  if (head == std::string_view::npos) return frames;
  text.remove_prefix(head + kHead.size());
  while (text.starts_with(kFile)) {
    const std::string_view line = FirstLine(text);
    const size_t number = line.find(kLine), in = line.rfind(" in ");
    if (number == std::string_view::npos || in == std::string_view::npos || in < number) break;
    const size_t digits = number + kLine.size();
    frames.push_back({std::string(line.substr(in + 4)),
                      std::string(BaseName(line.substr(kFile.size(), number - kFile.size()))) +
                          ":" + std::string(line.substr(digits, in - digits))});
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return frames;
}

// After "goroutine 1 [running]:", pairs of lines, "main.parse(0x1)" and "\t/a/main.go:12 +0x1d".
std::vector<StackFrame> ReadGoroutine(std::string_view text) {
  std::vector<StackFrame> frames;
  const size_t head = text.find("\ngoroutine ");
  if (head == std::string_view::npos) return frames;
  text.remove_prefix(std::min(text.find('\n', head + 1) + 1, text.size()));
  while (!text.empty() && text.front() != '\n') {
    const std::string_view function = FirstLine(text);
    text.remove_prefix(std::min(function.size() + 1, text.size()));
    if (!text.starts_with('\t')) break;
    const std::string_view place = FirstLine(text);
    text.remove_prefix(std::min(place.size() + 1, text.size()));
    if (function.starts_with("runtime.") || function.starts_with("panic(")) continue;
    frames.push_back({std::string(function.substr(0, function.rfind('('))),
                      std::string(BaseName(place.substr(1, place.find(" +0x") - 1)))});
  }
  return frames;
}

}  // namespace

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

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

std::vector<StackFrame> ReadStack(std::string_view text) {
  std::vector<StackFrame> frames = ReadNumbered(text);
  if (frames.empty()) frames = ReadFaultHandler(text);
  if (frames.empty()) frames = ReadGoroutine(text);
  frames.erase(std::ranges::find_if(frames, IsDriver), frames.end());
  std::erase_if(frames, [](const StackFrame& frame) { return IsRuntime(frame.function); });
  // Interceptors of the C library have the library's names and no lines; functions of the parser
  // have lines.
  const auto has_line = [](const StackFrame& frame) { return !frame.place.empty(); };
  if (std::ranges::any_of(frames, has_line)) {
    frames.erase(frames.begin(), std::ranges::find_if(frames, has_line));
  }
  return frames;
}

}  // namespace anecheck::parserfuzz
