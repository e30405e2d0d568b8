// A small reader of hardware containers with planted bugs. Each bug is in a function whose name
// begins with Bug, by which scripts/compare-fuzzers recognises it in a stack. The entry point is
// LLVMFuzzerTestOneInput, so that libFuzzer, AFL++ and the persistent driver of `anecheck fuzz` can
// build it unchanged.
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
  const uint8_t* data;
  size_t size;
  size_t text, text_size;
  const char* first_port;
} Reader;

static volatile uint64_t sink;

static uint32_t Load32(const Reader* r, size_t at) {
  uint32_t value = 0;
  if (at <= r->size && r->size - at >= 4) memcpy(&value, r->data + at, 4);
  return value;
}
static uint64_t Load64(const Reader* r, size_t at) {
  return Load32(r, at) | (uint64_t)Load32(r, at + 4) << 32;
}

// The table has room for 16 sections.
NOINLINE static void BugTooManySections(const Reader* r, size_t command, uint32_t count) {
  uint64_t offsets[16];
  for (uint32_t i = 0; i < count; ++i) {
    ((volatile uint64_t*)offsets)[i] = Load32(r, command + 72 + 80 * (size_t)i + 48);
  }
  sink += offsets[0];
}

// The size is checked in 32 bits and used in 64.
NOINLINE static int BugSizeCutTo32Bits(const Reader* r, uint32_t offset, uint64_t size) {
  if (offset > r->size || (uint32_t)size > r->size - offset) return 0;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < size; ++i) sum += ((volatile const uint8_t*)r->data)[offset + i];
  sink += sum;
  return 1;
}

// The sum of offset and size wraps.
NOINLINE static int BugSumWraps(const Reader* r, uint32_t offset, uint32_t count) {
  if (offset + count * 8 > r->size || count > 1000) return 0;
  for (uint32_t i = 0; i < count; ++i)
    sink += ((volatile const uint8_t*)r->data)[offset + i * 8ull];
  return 1;
}

// The product of count and record wraps.
NOINLINE static int BugProductWraps(const Reader* r, uint32_t offset, uint32_t count) {
  if (offset > r->size || count * 16u > r->size - offset) return 0;
  for (uint32_t i = 0; i < count; ++i)
    sink += ((volatile const uint8_t*)r->data)[offset + 16 * (size_t)i];
  return 1;
}

// A zero byte need not end the name inside the table.
NOINLINE static void BugNameWithoutEnd(const char* strings, uint32_t size, uint32_t at) {
  char* table = (char*)malloc(size > 0 ? size : 1);
  memcpy(table, strings, size);
  if (at < size) sink += strlen(table + at);
  free(table);
}

// The check tests only the low 16 bits.
NOINLINE static void BugOffsetCutTo16Bits(const Reader* r, uint32_t offset) {
  if ((uint16_t)offset + 4u > r->size) return;
  sink += ((volatile const uint8_t*)r->data)[offset];
}

// A command of zero bytes is its own successor: the loop does not end.
NOINLINE static size_t BugCommandOfNoBytes(const Reader* r, size_t at, size_t end) {
  volatile size_t next = at;
  while (next < end && Load32(r, next + 4) == 0 && Load32(r, next) != 0)
    next += Load32(r, next + 4);
  return next;
}

// Tasks may be linked in a ring.
NOINLINE static void BugRingOfTasks(const Reader* r) {
  size_t at = r->text;
  while (at + 40 <= r->size && Load32(r, at + 0x1c) != 0) {
    const uint32_t next = Load32(r, at + 0x1c);
    if (next >= r->text_size) return;
    at = r->text + next;
    sink += at;
  }
}

// A negative alignment is less than 16.
NOINLINE static void BugNegativeIndex(uint32_t align) {
  static const uint32_t kSizes[16] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
  const int index = (int)align;
  if (index >= 16) return;
  sink += ((volatile const uint32_t*)kSizes)[index];
}

// The name is freed if it differs from the segment's, and compared afterwards.
NOINLINE static void BugUseAfterFree(const uint8_t* section, const uint8_t* segment) {
  char* name = (char*)malloc(17);
  memcpy(name, section, 16);
  name[16] = 0;
  const int same = strncmp(name, (const char*)segment, 16) == 0;
  if (!same) free(name);
  sink += (uint64_t)strlen(name);
  if (same) free(name);
}

typedef struct {
  const char* name;
  uint32_t kind;
} Port;

// Unknown kinds leave the allocated name uninitialised.
NOINLINE static void BugUninitialisedName(const Reader* r, size_t command, uint32_t size) {
  Port* port = (Port*)malloc(sizeof(Port));
  port->kind = Load32(r, command + 12);
  if (port->kind < 0x10000) port->name = (const char*)r->data + command;
  if (size >= 16) sink += (uint64_t)port->name[0];
  free(port);
}

static int ReadSegment(Reader* r, size_t at, uint32_t size) {
  const uint32_t count = Load32(r, at + 64);
  if (72 + (uint64_t)count * 80 > size || at + size > r->size) return 0;
  for (uint32_t i = 0; i < count; ++i) {
    const size_t section = at + 72 + 80 * (size_t)i;
    const uint32_t offset = Load32(r, section + 48);
    const uint64_t bytes = Load64(r, section + 40);
    if (memcmp(r->data + section, "__text", 6) == 0) {
      r->text = offset;
      r->text_size = (size_t)bytes;
    }
    BugNegativeIndex(Load32(r, section + 52));
    BugUseAfterFree(r->data + section + 16, r->data + at + 8);
    if (Load32(r, section + 60) > 0 &&
        !BugSumWraps(r, Load32(r, section + 56), Load32(r, section + 60))) {
      return 0;
    }
    if (offset != 0 && offset < r->size && !BugSizeCutTo32Bits(r, offset, bytes)) return 0;
  }
  BugTooManySections(r, at, count);
  return 1;
}

static int ReadSymbols(const Reader* r, size_t at) {
  const uint32_t symbols = Load32(r, at + 8), count = Load32(r, at + 12);
  const uint32_t strings = Load32(r, at + 16), size = Load32(r, at + 20);
  BugOffsetCutTo16Bits(r, strings);
  if (!BugProductWraps(r, symbols, count)) return 0;
  if ((uint64_t)strings + size > r->size) return 0;
  for (uint32_t i = 0; i < count; ++i) {
    BugNameWithoutEnd((const char*)r->data + strings, size, Load32(r, symbols + 16 * (size_t)i));
    if (i > 64) break;
  }
  return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Reader reader = {data, size, 0, 0, NULL};
  if (size < 32 || Load32(&reader, 0) != 0xbeefface) return 1;
  const size_t end = 32 + (size_t)Load32(&reader, 20);
  if (end > size) return 1;
  size_t at = 32;
  for (uint32_t left = Load32(&reader, 16); left > 0; --left) {
    if (end - at < 8) return 1;
    const uint32_t command = Load32(&reader, at), bytes = Load32(&reader, at + 4);
    if (bytes > end - at) return 1;
    if (bytes == 0) BugCommandOfNoBytes(&reader, at, end);
    if (bytes < 8) return 1;
    if (command == 0x19 && bytes >= 72 && !ReadSegment(&reader, at, bytes)) return 1;
    if (command == 2 && bytes >= 24 && !ReadSymbols(&reader, at)) return 1;
    if (command == 0x40 || command == 6) BugUninitialisedName(&reader, at, bytes);
    at += bytes;
  }
  if (reader.text != 0) BugRingOfTasks(&reader);
  return 0;
}
