// A small reader of MIL texts with planted bugs. See hwx_reader.c.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ANECHECK_DRIVER
#define ANECHECK_FUZZ_MAIN
#include "anecheck_fuzz.h"
#endif

#define NOINLINE __attribute__((noinline))

typedef struct {
  const char* at;
  const char* end;
} Text;

static volatile uint64_t sink;

// Each bracket recurses.
NOINLINE static void BugDepthWithoutLimit(Text* text) {
  char frame[256];
  memset(frame, (int)(text->end - text->at), sizeof frame);
  while (text->at < text->end) {
    const char c = *text->at++;
    if (c == '(' || c == '[' || c == '{' || c == '<') {
      BugDepthWithoutLimit(text);
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      break;
    }
  }
  sink += (uint64_t)((volatile char*)frame)[7];
}

// A name has at most 64 characters.
NOINLINE static void BugLongName(const char* name, size_t length) {
  char copy[65];
  memcpy(copy, name, length);
  copy[length] = 0;
  sink += (uint64_t)((volatile char*)copy)[0];
}

// An escaped character may lie past the end.
NOINLINE static const char* BugEscapeAtTheEnd(const char* at, const char* end) {
  while (at < end && *at != '"') at += *at == '\\' ? 2 : 1;
  sink += (uint64_t)*(volatile const char*)at;
  return at < end ? at : end;
}

// Axes count from the front, or from the back of nine. The check admits one too far back.
NOINLINE static void BugNegativeAxis(const char* digits, size_t length) {
  char copy[16] = {0};
  memcpy(copy, digits, length < 15 ? length : 15);
  const long axis = strtol(copy, NULL, 10);
  uint32_t uses[9] = {0};
  if (axis < 9) ((volatile uint32_t*)uses)[axis < 0 ? axis + 9 : axis] += 1;
  sink += uses[0];
}

// A dimension is multiplied in 32 bits.
NOINLINE static void BugSizeOfConstant(uint64_t count) {
  const uint32_t bytes = (uint32_t)count * 4u;
  if (bytes > 4096 || count == 0) return;
  uint32_t* values = (uint32_t*)malloc(bytes > 0 ? bytes : 1);
  if (values == NULL) return;
  ((volatile uint32_t*)values)[count - 1] = 1;
  free(values);
}

static int IsDigit(char c) { return c >= '0' && c <= '9'; }
static int IsWord(char c) { return (c | 32) >= 'a' ? (c | 32) <= 'z' : IsDigit(c) || c == '_'; }

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const char* at = (const char*)data;
  const char* const end = at + size;
  if (size < 8 || memcmp(at, "program(", 8) != 0) return 1;
  Text whole = {at, end};
  BugDepthWithoutLimit(&whole);
  while (at < end) {
    if (*at == '"') {
      at = BugEscapeAtTheEnd(at + 1, end);
      if (at < end) ++at;
    } else if (*at == '[' || (*at == '-' && at[-1] == '(')) {
      const char* start = ++at;
      while (at < end && (IsDigit(*at) || *at == '-')) ++at;
      if (at > start) {
        const size_t length = (size_t)(at - start);
        if (start[-1] == '-') {
          BugNegativeAxis(start - 1, length + 1);
        } else {
          char copy[24] = {0};
          memcpy(copy, start, length < 23 ? length : 23);
          BugSizeOfConstant(strtoull(copy, NULL, 10));
        }
      }
    } else if (IsWord(*at) && !IsDigit(*at)) {
      const char* start = at;
      while (at < end && IsWord(*at)) ++at;
      BugLongName(start, (size_t)(at - start));
    } else {
      ++at;
    }
  }
  return 0;
}
