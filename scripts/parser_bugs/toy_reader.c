// Makes a fuzz target from the reader of hardware containers in ANECHECK_CASES (parsers/toy_hwx.c,
// TOY_READER), which is a program that reads a file and ends by exit().
#define _GNU_SOURCE  // memfd_create
#include <fcntl.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef ANECHECK_DRIVER
#define ANECHECK_FUZZ_MAIN
#include "anecheck_fuzz.h"
#endif

static jmp_buf refusal;
static _Noreturn void leave(int code) { longjmp(refusal, code + 1); }

#define main read_file
#define exit leave
#include TOY_READER
#undef exit
#undef main

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static int file = -1;
  if (file < 0) file = memfd_create("input", 0);
  if (ftruncate(file, 0) != 0 || pwrite(file, bytes, size, 0) != (ssize_t)size) return 0;
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  char* words[] = {(char*)"reader", path, NULL};
  d = NULL;
  int code = setjmp(refusal);
  if (code == 0) code = read_file(2, words) + 1;
  free(d);
  return code != 1;
}
