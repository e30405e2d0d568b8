// Recognises frames of a stack that do not belong to the parser. These are functions of sanitizers,
// of their interceptors, of the C library and of language runtimes.
#pragma once

#include <string>
#include <string_view>

namespace anecheck::parserfuzz {

// A frame as a stack prints it. Members are empty if the stack does not state them.
struct PrintedFrame {
  std::string function;  // name without arguments; without symbols, the place in the program's file
  std::string path;      // "dir/file.cc:7:12", or an object file such as "asan_interceptors.cpp.o"
  std::string module;    // name of the program or library without its folder: "libasan.so.8"
};

// Whether `module` (a path or a file name) is the library of a sanitizer, of C or of C++.
bool IsRuntimeModule(std::string_view module);

// Whether the function of this frame is not part of the parser.
bool IsRuntimeFrame(const PrintedFrame& frame);

// Whether the frame is a call into a sanitizer's or the C library's code that calls no function of
// the parser. All frames further in are then library code too, even if nothing else shows it.
bool IsLibraryCall(const PrintedFrame& frame);

}  // namespace anecheck::parserfuzz
