// Lets `anecheck fuzz` run a parser in C or C++ in one process, with thousands of files a second.
//
//   #define ANECHECK_FUZZ_MAIN
//   #include "anecheck_fuzz.h"
//   int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
//     return my_parse(data, size) ? 0 : 1;   // 0: accepted; anything else: refused
//   }
//
//   clang -g -fsanitize=address -fsanitize-coverage=inline-8bit-counters target.c -o target
//   anecheck fuzz --format hwx -- ./target
//
// Use the macro in one source file of the program. A target of libFuzzer works unchanged. Without
// the harness, the program reads the files named by its arguments, so that `./target FILE`
// reproduces a finding.
//
// The harness uses coverage as feedback if the compiler provides it, by
// -fsanitize-coverage=inline-8bit-counters or trace-pc-guard of clang, or trace-pc of gcc. With
// gcc, compile the source file that includes this header without trace-pc. Without coverage, the
// feedback is the parser's exit codes and error texts.
//
// The process that the harness starts only forks workers. A crash or a call of exit() ends a worker
// and costs one fork. A parser that keeps state between files must call exit() after each file. The
// header needs POSIX. Only one thread calls the target.
#ifndef ANECHECK_FUZZ_H_
#define ANECHECK_FUZZ_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
#ifdef __cplusplus
}
#endif

#ifdef ANECHECK_FUZZ_MAIN

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

// The shared memory, as harness/parserfuzz/driver_protocol.h describes it.
enum { ANECHECK_FUZZ_COUNTERS = 65536, ANECHECK_FUZZ_HEAD = 4096 };
struct anecheck_fuzz_head {
  uint32_t magic;     // "AFZ1"
  uint32_t size;      // of the file, bytes
  uint32_t counters;  // number of counters of the target; 0: no coverage
  int32_t child;      // the process that runs the file
  uint32_t closed;    // set if the harness has no more files
};

static struct anecheck_fuzz_head* anecheck_fuzz_shared;
static uint8_t* anecheck_fuzz_counters(void) {
  return (uint8_t*)anecheck_fuzz_shared + ANECHECK_FUZZ_HEAD;
}

// ---- coverage ----------------------------------------------------------------------------------

enum { ANECHECK_FUZZ_MODULES = 64 };
static struct {
  uint8_t *begin, *end;
} anecheck_fuzz_modules[ANECHECK_FUZZ_MODULES];
static int anecheck_fuzz_module_count;
static uint32_t anecheck_fuzz_guards;
static uint8_t anecheck_fuzz_traced[ANECHECK_FUZZ_COUNTERS];
static int anecheck_fuzz_is_traced;

#define ANECHECK_FUZZ_PLAIN __attribute__((used, visibility("default")))

ANECHECK_FUZZ_PLAIN void __sanitizer_cov_8bit_counters_init(char* begin, char* end) {
  for (int i = 0; i < anecheck_fuzz_module_count; ++i) {
    if (anecheck_fuzz_modules[i].begin == (uint8_t*)begin) return;
  }
  if (begin == end || anecheck_fuzz_module_count == ANECHECK_FUZZ_MODULES) return;
  anecheck_fuzz_modules[anecheck_fuzz_module_count].begin = (uint8_t*)begin;
  anecheck_fuzz_modules[anecheck_fuzz_module_count++].end = (uint8_t*)end;
}
ANECHECK_FUZZ_PLAIN void __sanitizer_cov_pcs_init(const uintptr_t* begin, const uintptr_t* end) {
  (void)begin;
  (void)end;
}
ANECHECK_FUZZ_PLAIN void __sanitizer_cov_trace_pc_guard_init(uint32_t* begin, uint32_t* end) {
  for (; begin != end && *begin == 0; ++begin) *begin = ++anecheck_fuzz_guards;
  anecheck_fuzz_is_traced = 1;
}
ANECHECK_FUZZ_PLAIN void __sanitizer_cov_trace_pc_guard(uint32_t* guard) {
  uint8_t* counter = &anecheck_fuzz_traced[*guard % ANECHECK_FUZZ_COUNTERS];
  if (*counter != 255) ++*counter;
}
ANECHECK_FUZZ_PLAIN void __sanitizer_cov_trace_pc(void) {
  const uintptr_t place = (uintptr_t)__builtin_return_address(0);
  uint8_t* counter = &anecheck_fuzz_traced[(place ^ place >> 16) % ANECHECK_FUZZ_COUNTERS];
  anecheck_fuzz_is_traced = 1;
  if (*counter != 255) ++*counter;
}

static void anecheck_fuzz_clear_coverage(void) {
  for (int i = 0; i < anecheck_fuzz_module_count; ++i) {
    uint8_t* begin = anecheck_fuzz_modules[i].begin;
    memset(begin, 0, (size_t)(anecheck_fuzz_modules[i].end - begin));
  }
  if (anecheck_fuzz_is_traced) memset(anecheck_fuzz_traced, 0, sizeof anecheck_fuzz_traced);
}

// Also runs if the parser ends the process.
static void anecheck_fuzz_publish_coverage(void) {
  if (anecheck_fuzz_shared == NULL) return;
  uint8_t* shared = anecheck_fuzz_counters();
  size_t at = 0;
  for (int i = 0; i < anecheck_fuzz_module_count; ++i) {
    const uint8_t* begin = anecheck_fuzz_modules[i].begin;
    size_t count = (size_t)(anecheck_fuzz_modules[i].end - begin);
    if (count > ANECHECK_FUZZ_COUNTERS - at) count = ANECHECK_FUZZ_COUNTERS - at;
    memcpy(shared + at, begin, count);
    at += count;
  }
  if (at == 0 && anecheck_fuzz_is_traced) {
    at = ANECHECK_FUZZ_COUNTERS;
    memcpy(shared, anecheck_fuzz_traced, at);
  }
  anecheck_fuzz_shared->counters = (uint32_t)at;
}

// ---- the loop ----------------------------------------------------------------------------------

// A buffer of exactly the file's size, so that a sanitizer detects any read past its end.
static int anecheck_fuzz_run(const uint8_t* data, size_t size) {
  uint8_t* copy = (uint8_t*)malloc(size > 0 ? size : 1);
  if (copy == NULL) return 1;
  memcpy(copy, data, size);
  anecheck_fuzz_clear_coverage();
  const int refused = LLVMFuzzerTestOneInput(copy, size);
  anecheck_fuzz_publish_coverage();
  free(copy);
  return refused != 0;
}

static void anecheck_fuzz_answer(int out, uint8_t tag, int32_t value) {
  uint8_t message[5] = {tag};
  memcpy(message + 1, &value, 4);
  if (write(out, message, sizeof message) != (ssize_t)sizeof message) _exit(0);
}

// Runs one file after the other, in a child of the process that the harness started.
static void anecheck_fuzz_work(int in, int out, const uint8_t* file) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  for (uint8_t order; read(in, &order, 1) == 1;) {
    const int refused = anecheck_fuzz_run(file, anecheck_fuzz_shared->size);
    fflush(NULL);
    anecheck_fuzz_answer(out, 'D', refused);
  }
  anecheck_fuzz_shared->closed = 1;
  _exit(0);
}

// Never returns if a harness drives the program.
static void anecheck_fuzz_serve(void) {
  const char* place = getenv("ANECHECK_FUZZ");  // PATH:IN:OUT
  if (place == NULL) return;
  char* text = strdup(place);
  char* out_text = text == NULL ? NULL : strrchr(text, ':');
  if (out_text == NULL) exit(3);
  *out_text++ = 0;
  char* in_text = strrchr(text, ':');
  if (in_text == NULL) exit(3);
  *in_text++ = 0;
  const int in = atoi(in_text), out = atoi(out_text), map = open(text, O_RDWR | O_CLOEXEC);
  struct stat status;
  if (map < 0 || fstat(map, &status) != 0) exit(3);
  void* memory = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
  if (memory == MAP_FAILED) exit(3);
  close(map);
  free(text);
  unsetenv("ANECHECK_FUZZ");
  anecheck_fuzz_shared = (struct anecheck_fuzz_head*)memory;
  const uint8_t* file = anecheck_fuzz_counters() + ANECHECK_FUZZ_COUNTERS;
  atexit(anecheck_fuzz_publish_coverage);
  anecheck_fuzz_answer(out, 'H', 1);
  while (!anecheck_fuzz_shared->closed) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) anecheck_fuzz_work(in, out, file);
    anecheck_fuzz_shared->child = child;
    if (child < 0 || waitpid(child, &status, 0) != child) _exit(3);
    if (anecheck_fuzz_shared->closed) break;
    if (WIFSIGNALED(status)) {
      anecheck_fuzz_answer(out, 'S', WTERMSIG(status));
    } else {
      anecheck_fuzz_answer(out, 'E', WEXITSTATUS(status));
    }
  }
  _exit(0);
}

static int anecheck_fuzz_read_file(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    perror(path);
    exit(2);
  }
  const long size = ftell(file);
  rewind(file);
  uint8_t* data = (uint8_t*)malloc(size > 0 ? (size_t)size : 1);
  if (size < 0 || data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) exit(2);
  fclose(file);
  const int refused = anecheck_fuzz_run(data, (size_t)size);
  free(data);
  return refused;
}

int main(int argc, char** argv) {
  anecheck_fuzz_serve();
  int refused = 0;
  for (int i = 1; i < argc; ++i) refused |= anecheck_fuzz_read_file(argv[i]);
  return refused;
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ANECHECK_FUZZ_MAIN
#endif  // ANECHECK_FUZZ_H_
