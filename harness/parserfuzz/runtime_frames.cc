#include "harness/parserfuzz/runtime_frames.h"

#include <algorithm>
#include <iterator>

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

// Functions that occur in many stacks. Allocators and functions that end a program are at the top,
// and functions that start a program are at the bottom.
constexpr std::string_view kRuntimePrefixes[] = {
    "fuzzer::",       "operator new",     "operator delete", "__libc_start_",
    "__GI_",          "__pthread_kill",   "__assert_",       "__cxa_",
    "std::terminate", "std::__terminate", "__cxxabiv1"};

// A function of the C library.
struct CFunction {
  std::string_view name;
  // Whether the name is reserved, so that no parser has a function of this name. A function of
  // another name belongs to the library only if the frame states no file. Sanitizers intercept such
  // functions, and in a program without line numbers they look like functions of the parser.
  bool reserved = false;
};
constexpr CFunction kCFunctions[] = {{"__abort", true},
                                     {"_start", true},
                                     {"abort", true},
                                     {"asprintf"},
                                     {"atoi"},
                                     {"atol"},
                                     {"atoll"},
                                     {"bcmp"},
                                     {"calloc", true},
                                     {"dprintf"},
                                     {"fgets"},
                                     {"fprintf"},
                                     {"fputs"},
                                     {"fread"},
                                     {"free", true},
                                     {"fscanf"},
                                     {"fwrite"},
                                     {"gsignal", true},
                                     {"malloc", true},
                                     {"memchr"},
                                     {"memcmp", true},
                                     {"memcpy", true},
                                     {"memmem"},
                                     {"memmove", true},
                                     {"mempcpy"},
                                     {"memrchr"},
                                     {"memset", true},
                                     {"pread"},
                                     {"pread64"},
                                     {"printf"},
                                     {"pthread_kill", true},
                                     {"puts"},
                                     {"pwrite"},
                                     {"raise", true},
                                     {"read"},
                                     {"readv"},
                                     {"realloc", true},
                                     {"scanf"},
                                     {"snprintf"},
                                     {"sprintf"},
                                     {"sscanf"},
                                     {"strcasecmp"},
                                     {"strcasestr"},
                                     {"strcat"},
                                     {"strchr"},
                                     {"strcmp"},
                                     {"strcpy"},
                                     {"strcspn"},
                                     {"strdup"},
                                     {"strlen"},
                                     {"strncasecmp"},
                                     {"strncat"},
                                     {"strncmp"},
                                     {"strncpy"},
                                     {"strndup"},
                                     {"strnlen"},
                                     {"strpbrk"},
                                     {"strrchr"},
                                     {"strspn"},
                                     {"strstr"},
                                     {"strtok"},
                                     {"strtol"},
                                     {"strtoll"},
                                     {"strtoul"},
                                     {"strtoull"},
                                     {"vasprintf"},
                                     {"vdprintf"},
                                     {"vfprintf"},
                                     {"vfscanf"},
                                     {"vprintf"},
                                     {"vscanf"},
                                     {"vsnprintf"},
                                     {"vsprintf"},
                                     {"vsscanf"},
                                     {"wcslen"},
                                     {"wcsnlen"},
                                     {"write"},
                                     {"writev"}};
static_assert(std::ranges::adjacent_find(kCFunctions, std::ranges::greater_equal{},
                                         &CFunction::name) == std::end(kCFunctions),
              "the names are in order, each once");

const CFunction* FindCFunction(std::string_view name) {
  const auto found = std::ranges::lower_bound(kCFunctions, name, {}, &CFunction::name);
  return found != std::end(kCFunctions) && found->name == name ? found : nullptr;
}

// Parts of the names of library functions that call the parser, for example to sort.
constexpr std::string_view kCallers[] = {"sort",   "search", "_once",   "thread", "Thread",
                                         "atexit", "twalk",  "scandir", "glob"};

// A parser may also have a file such as "sanitizer_html.cc". So the folder decides, if known.
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
  // The folder of the C library's sources for each processor.
  constexpr std::string_view kOfC = "sysdeps/";
  const CFunction* function = FindCFunction(frame.function);
  return IsSanitizerCode(frame) || IsRuntimeModule(frame.module) ||
         frame.path.find(kOfC) != std::string::npos ||
         (function != nullptr && function->reserved) ||
         StartsWithAny(frame.function, kRuntimePrefixes);
}

bool IsLibraryCall(const PrintedFrame& frame) {
  if (ContainsAny(frame.function, kCallers)) return false;
  if (IsSanitizerCode(frame)) return true;
  const CFunction* function = FindCFunction(frame.function);
  return frame.path.empty() && function != nullptr && !function->reserved;
}

}  // namespace anecheck::parserfuzz
