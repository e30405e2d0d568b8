#include "harness/parserfuzz/stack_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "harness/parserfuzz/runtime_frames.h"

namespace anecheck::parserfuzz {
namespace {

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

void DropEnd(std::string_view& text, std::string_view end) {
  if (text.ends_with(end)) text.remove_suffix(end.size());
}

// Turns "Parse<int>(char const*, (anonymous namespace)::T) const" into "Parse<int>". The last
// closing parenthesis always belongs to the argument list.
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

// Whether the place is an object file, as in "asan_interceptors.cpp.o:0:0". Symbol tables name the
// object file if the line is unknown.
bool IsObject(std::string_view place) { return place.substr(0, place.find(':')).ends_with(".o"); }

// Reads a line like "    #0 0x55d2 in a::Parse(char const*) /tmp/file.cc:7:12", "    #0 0x55d2 in
// Parse (/tmp/parser+0x1a2b) (BuildId: ab12)" or "    #0 0x55d2  (/tmp/parser+0x1a2b) (BuildId:
// ab12)".
PrintedFrame ReadNumberedFrame(std::string_view line) {
  line = line.substr(0, line.find(" (BuildId: "));
  const size_t module = line.rfind(" (");
  const bool in_module = module != std::string_view::npos && line.ends_with(')') &&
                         line.find("+0x", module) != std::string_view::npos;
  const std::string_view offset =
      in_module ? BaseName(line.substr(module + 2, line.size() - module - 3)) : std::string_view();
  const std::string of_module(offset.substr(0, offset.find("+0x")));
  if (in_module) line = line.substr(0, module);
  const size_t in = line.find(" in ");
  if (in == std::string_view::npos) {
    return {std::string(in_module ? offset : std::string_view("?")), "", of_module};
  }
  std::string_view name = line.substr(in + 4);
  if (in_module) return {std::string(WithoutArguments(name)), "", of_module};
  // The path is the part from the first " /" on if the compiler was given absolute paths. Else it
  // is the part after the last space.
  const size_t slash = name.find(" /");
  const size_t space = slash == std::string_view::npos ? name.rfind(' ') : slash;
  const std::string_view last =
      space == std::string_view::npos ? std::string_view() : name.substr(space + 1);
  const bool code = last.starts_with('/');  // a source file, which may lack a line number
  const bool place = !WithoutColumn(last).empty() || code || IsObject(last);
  if (place) name = name.substr(0, space);
  return {std::string(WithoutArguments(name)), std::string(place ? last : std::string_view()), ""};
}

// Reads a line like "#1  0x55d2 in Parse (data=0x1) at parser.c:7" or "#0  Parse () at parser.c:7".
PrintedFrame ReadGdbFrame(std::string_view line) {
  line.remove_prefix(std::min(line.find(' '), line.size()));
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (line.starts_with("0x")) {
    const size_t in = line.find(" in ");
    line.remove_prefix(in == std::string_view::npos ? 0 : in + 4);
  }
  const size_t at = line.rfind(" at "), from = line.rfind(" from ");
  const auto behind = [line](size_t word, size_t length) {
    return std::string(word == std::string_view::npos ? "" : line.substr(word + length));
  };
  return {std::string(line.substr(0, line.find(" ("))), behind(at, 4),
          std::string(BaseName(behind(from, 6)))};
}

// Returns "file.cc:7" for "/src/file.cc:7:12". Returns an empty text for an object file, and for
// code whose file is unknown.
std::string PlaceOf(const PrintedFrame& frame) {
  if (IsObject(frame.path)) return "";
  const std::string_view place = WithoutColumn(frame.path);
  return std::string(BaseName(place.empty() ? std::string_view(frame.path) : place));
}

// Whether the frame is a function of a persistent driver. The frames that call such a function are
// not part of the parser.
bool IsDriver(const PrintedFrame& frame) {
  return frame.function.starts_with("anecheck_fuzz_") ||
         BaseName(frame.path).starts_with("anecheck_fuzz.py:");
}

bool IsEntry(std::string_view function) { return function.starts_with("LLVMFuzzerTestOneInput"); }

// Reads consecutive lines that begin with "#0 ", "#1 " and so on.
std::vector<PrintedFrame> ReadNumbered(std::string_view text) {
  const bool by_gdb = text.find("stack by gdb:") != std::string_view::npos;
  std::vector<PrintedFrame> frames;
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

// Reads the lines like "  File "/a/b.py", line 7 in parse" after "(most recent call first):".
std::vector<PrintedFrame> ReadFaultHandler(std::string_view text) {
  constexpr std::string_view kHead = "(most recent call first):\n";
  constexpr std::string_view kFile = "  File \"";
  constexpr std::string_view kLine = "\", line ";
  std::vector<PrintedFrame> frames;
  const size_t head = text.find(kHead);
  if (head == std::string_view::npos) return frames;
  text.remove_prefix(head + kHead.size());
  while (text.starts_with(kFile)) {
    const std::string_view line = FirstLine(text);
    const size_t number = line.find(kLine), in = line.rfind(" in ");
    if (number == std::string_view::npos || in == std::string_view::npos || in < number) break;
    const size_t digits = number + kLine.size();
    frames.push_back({std::string(line.substr(in + 4)),
                      std::string(line.substr(kFile.size(), number - kFile.size())) + ":" +
                          std::string(line.substr(digits, in - digits)),
                      ""});
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return frames;
}

// Reads the pairs of lines "main.parse(0x1)" and "\t/a/main.go:12 +0x1d" after "goroutine 1
// [running]:".
std::vector<PrintedFrame> ReadGoroutine(std::string_view text) {
  std::vector<PrintedFrame> frames;
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
                      std::string(place.substr(1, place.find(" +0x") - 1)), ""});
  }
  return frames;
}

// Returns the end of the library frames at the top of a stack. It is the frame after the outermost
// library call that is not preceded by a frame with a line of the parser.
std::vector<PrintedFrame>::const_iterator EndOfLibrary(const std::vector<PrintedFrame>& frames) {
  auto end = frames.begin();
  for (auto frame = frames.begin(); frame != frames.end(); ++frame) {
    if (IsLibraryCall(*frame)) {
      end = frame + 1;
    } else if (!IsRuntimeFrame(*frame) && !PlaceOf(*frame).empty()) {
      break;
    }
  }
  return end;
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
  std::vector<PrintedFrame> printed = ReadNumbered(text);
  if (printed.empty()) printed = ReadFaultHandler(text);
  if (printed.empty()) printed = ReadGoroutine(text);
  printed.erase(std::ranges::find_if(printed, IsDriver), printed.end());
  const auto entry = std::ranges::find_if(
      printed, [](const PrintedFrame& frame) { return IsEntry(frame.function); });
  if (entry != printed.end()) printed.erase(entry + 1, printed.end());
  printed.erase(printed.begin(), EndOfLibrary(printed));
  std::erase_if(printed, IsRuntimeFrame);
  std::vector<StackFrame> frames;
  frames.reserve(printed.size());
  for (PrintedFrame& frame : printed) {
    frames.push_back({.function = std::move(frame.function), .place = PlaceOf(frame)});
  }
  // Helpers of the C library and of interceptors have no lines, but functions of the parser have
  // lines. The entry function does not count, because it may be the only function compiled with -g.
  const auto has_line = [](const StackFrame& frame) {
    return !frame.place.empty() && !IsEntry(frame.function);
  };
  if (const auto first = std::ranges::find_if(frames, has_line); first != frames.end()) {
    frames.erase(frames.begin(), first);
  }
  return frames;
}

void DropEntry(std::vector<StackFrame>& frames) {
  if (frames.size() > 1 && IsEntry(frames.back().function)) frames.pop_back();
}

}  // namespace anecheck::parserfuzz
