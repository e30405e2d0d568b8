// Reads stacks as printed by sanitizers, gdb, Python's faulthandler, Go and Java.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace anecheck::parserfuzz {

struct StackFrame {
  std::string function;  // name; without symbols, the place in the program's file
  std::string place;     // "file.cc:7", if known
};

// Returns the last component of a path.
std::string_view BaseName(std::string_view path);

// Returns "file.cc:7" for "file.cc:7:12" and for "file.cc:7". Empty if there is no line.
std::string_view WithoutColumn(std::string_view place);

// Returns the parser's own functions in the first stack in `text`, the innermost first. Leaves out
// functions of sanitizers, of the persistent driver and of the C library (runtime_frames.h). The
// outermost function may be the entry function of a fuzz target (LLVMFuzzerTestOneInput).
std::vector<StackFrame> ReadStack(std::string_view text);

// Removes the entry function, which is in every stack. Keeps it if it is the only function.
void DropEntry(std::vector<StackFrame>& frames);

}  // namespace anecheck::parserfuzz
