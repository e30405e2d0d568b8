// Stacks as programs print them: by sanitizers, gdb, Python's faulthandler, Go and Java.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace anecheck::parserfuzz {

struct StackFrame {
  std::string function;  // or the place in the program's file, where there are no symbols
  std::string place;     // "file.cc:7", if known
};

// The last part of a path.
std::string_view BaseName(std::string_view path);

// "file.cc:7:12" and "file.cc:7" are "file.cc:7". Empty where there is no line.
std::string_view WithoutColumn(std::string_view place);

// The parser's own functions in the first stack in `text`, the innermost first: not those
// of sanitizers, of the C library where frames have lines, and of the persistent driver.
std::vector<StackFrame> ReadStack(std::string_view text);

}  // namespace anecheck::parserfuzz
