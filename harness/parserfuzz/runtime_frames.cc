#include "harness/parserfuzz/runtime_frames.h"

#include <algorithm>

#include "harness/parserfuzz/stack_text.h"

namespace anecheck::parserfuzz {
namespace {

template <typename Words>
bool StartsWithAny(std::string_view text, const Words& words) {
  return std::ranges::any_of(words, [&](auto word) { return text.starts_with(word); });
}

template <typename Words>
bool ContainsAny(std::string_view text, const Words& words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// Namespaces and prefixes of the functions of sanitizers.
constexpr std::string_view kSanitizerFunctions[] = {
    "__sanitizer", "__asan",         "__ubsan",        "__msan",          "__tsan",  "__lsan",
    "__hwasan",    "__interception", "__interceptor_", "___interceptor_", "__sancov"};

constexpr std::string_view kSanitizerModules[] = {"libasan.so", "libubsan.so",  "libtsan.so",
                                                  "liblsan.so", "libhwasan.so", "libclang_rt."};
constexpr std::string_view kCModules[] = {"libc.so.", "libc-2.",        "libm.so.",
                                          "ld-linux", "libpthread.so.", "libstdc++.so.",
                                          "libc++.",  "libc++abi.",     "libsystem_"};

// Allocators and functions that end a program are at the top of every stack of their kind;
// functions that start a program are at the bottom.
constexpr std::string_view kRuntimePrefixes[] = {
    "fuzzer::",       "operator new",     "operator delete", "__libc_start_",
    "__GI_",          "__pthread_kill",   "__assert_",       "__cxa_",
    "std::terminate", "std::__terminate", "__cxxabiv1"};
constexpr std::string_view kRuntimeNames[] = {
    "malloc", "calloc", "realloc", "free",    "memcpy",  "memmove", "memset",
    "memcmp", "abort",  "raise",   "gsignal", "__abort", "_start",  "pthread_kill"};

// Functions of the C library that sanitizers intercept. A program without line numbers shows them
// like functions of the parser.
constexpr std::string_view kCFunctions[] = {
    "asprintf",   "atoi",        "atol",      "atoll",    "bcmp",     "dprintf", "fgets",
    "fprintf",    "fputs",       "fread",     "fscanf",   "fwrite",   "memchr",  "memmem",
    "mempcpy",    "memrchr",     "pread",     "pread64",  "printf",   "puts",    "pwrite",
    "read",       "readv",       "scanf",     "snprintf", "sprintf",  "sscanf",  "strcasecmp",
    "strcasestr", "strcat",      "strchr",    "strcmp",   "strcpy",   "strcspn", "strdup",
    "strlen",     "strncasecmp", "strncat",   "strncmp",  "strncpy",  "strndup", "strnlen",
    "strpbrk",    "strrchr",     "strspn",    "strstr",   "strtok",   "strtol",  "strtoll",
    "strtoul",    "strtoull",    "vasprintf", "vdprintf", "vfprintf", "vfscanf", "vprintf",
    "vscanf",     "vsnprintf",   "vsprintf",  "vsscanf",  "wcslen",   "wcsnlen", "write",
    "writev"};

// Functions that call a function of the parser, as sorting does.
constexpr std::string_view kCallers[] = {"sort",   "search", "_once",   "thread", "Thread",
                                         "atexit", "twalk",  "scandir", "glob"};

// A parser may have a file "sanitizer_html.cc" as well, so the folder counts if it is known.
bool IsSanitizerSource(std::string_view path) {
  constexpr std::string_view kTrees[] = {"libsanitizer/", "compiler-rt/"};
  constexpr std::string_view kFolders[] = {
      "sanitizer_common/", "asan/", "ubsan/", "msan/", "tsan/", "lsan/", "interception/"};
  constexpr std::string_view kFiles[] = {"sanitizer_", "asan_", "ubsan_",  "msan_",
                                         "tsan_",      "lsan_", "hwasan_", "interception_"};
  if (ContainsAny(path, kTrees)) return true;
  const std::string_view file = BaseName(path);
  const bool named =
      StartsWithAny(file, kFiles) || file.find("_interceptors") != std::string_view::npos;
  return named && (file.size() == path.size() || ContainsAny(path, kFolders));
}

bool IsSanitizerCode(const PrintedFrame& frame) {
  return StartsWithAny(frame.function, kSanitizerFunctions) || IsSanitizerSource(frame.path);
}

}  // namespace

bool IsRuntimeModule(std::string_view module) {
  const std::string_view name = BaseName(module);
  return StartsWithAny(name, kSanitizerModules) || StartsWithAny(name, kCModules);
}

bool IsRuntimeFrame(const PrintedFrame& frame) {
  // The C library's own sources for each processor.
  constexpr std::string_view kOfC = "sysdeps/";
  return IsSanitizerCode(frame) || IsRuntimeModule(frame.module) ||
         frame.path.find(kOfC) != std::string::npos ||
         std::ranges::find(kRuntimeNames, frame.function) != std::end(kRuntimeNames) ||
         StartsWithAny(frame.function, kRuntimePrefixes);
}

bool IsLibraryCall(const PrintedFrame& frame) {
  if (ContainsAny(frame.function, kCallers)) return false;
  if (IsSanitizerCode(frame)) return true;
  return frame.path.empty() &&
         std::ranges::find(kCFunctions, frame.function) != std::end(kCFunctions);
}

}  // namespace anecheck::parserfuzz
