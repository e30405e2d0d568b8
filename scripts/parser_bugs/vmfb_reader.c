// A small reader of compiled modules (a ZIP archive with a FlatBuffer, or the FlatBuffer alone)
// with planted bugs. See hwx_reader.c.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ANECHECK_DRIVER
#define ANECHECK_FUZZ_MAIN
#include "anecheck_fuzz.h"
#endif

#define NOINLINE __attribute__((noinline))

static volatile uint64_t sink;

static uint32_t Load(const uint8_t* data, size_t size, size_t at, unsigned width) {
  uint32_t value = 0;
  if (at <= size && size - at >= width) memcpy(&value, data + at, width);
  return value;
}

// The sum is computed in 32 bits.
NOINLINE static void BugMemberSumWraps(const uint8_t* data, uint32_t size, uint32_t at,
                                       uint32_t length) {
  if (at + length > size) return;
  if (length > 0)
    sink += ((volatile const uint8_t*)data)[at] +
            ((volatile const uint8_t*)data)[(size_t)at + length - 1];
}

// The name is copied into 256 bytes.
NOINLINE static void BugLongMemberName(const uint8_t* name, uint32_t length) {
  char copy[256];
  if (length > 4096) return;
  for (uint32_t i = 0; i < length; ++i) ((volatile char*)copy)[i] = (char)name[i];
  sink += (uint64_t)copy[0];
}

// Follows as many entries as the archive claims, whatever the size of a step.
NOINLINE static void BugEntriesBeyondTheEnd(const uint8_t* data, size_t size, uint32_t at,
                                            uint32_t entries) {
  for (uint32_t i = 0; i < entries; ++i) {
    if (at >= size) return;
    if (((volatile const uint8_t*)data)[(size_t)at + 3] == 0xff) return;
    at += 46 + Load(data, size, at + 28, 2);
  }
}

// A vtable may be smaller than its own two fields.
NOINLINE static uint32_t BugSmallVtable(const uint8_t* data, size_t size, size_t vtable) {
  const uint32_t bytes = Load(data, size, vtable, 2);
  const uint32_t fields = (bytes - 4) / 2;
  if (vtable + bytes > size) return 0;
  if (fields > 0) sink += ((volatile const uint8_t*)data)[vtable + 4 + 2 * ((size_t)fields - 1)];
  return fields > 64 ? 64 : fields;
}

// The vtable may lie before the buffer.
NOINLINE static size_t BugVtableBefore(const uint8_t* data, size_t table) {
  int32_t back = 0;
  memcpy(&back, data + table, 4);
  const int64_t at = (int64_t)table - back;
  sink += ((volatile const uint8_t*)data)[at];
  return (size_t)at;
}

// The count of a vector is multiplied by the size of its element in 32 bits.
NOINLINE static void BugVectorWraps(const uint8_t* data, size_t size, size_t at) {
  const uint32_t count = Load(data, size, at, 4);
  if (at + 4 > size || count * 4u > size - at - 4) return;
  if (count > 0) sink += ((volatile const uint8_t*)data)[at + 4 + 4 * ((size_t)count - 1)];
}

static int ReadBuffer(const uint8_t* data, size_t size) {
  const size_t root = Load(data, size, 0, 4);
  if (size < 16 || root > size - 4) return 1;
  const size_t vtable = BugVtableBefore(data, root);
  if (vtable > size - 4) return 1;
  const uint32_t fields = BugSmallVtable(data, size, vtable);
  for (uint32_t i = 0; i < fields; ++i) {
    const uint32_t offset = Load(data, size, vtable + 4 + 2 * (size_t)i, 2);
    const size_t place = root + offset;
    if (offset == 0 || place + 4 > size) continue;
    const size_t target = place + Load(data, size, place, 4);
    if (target < size) BugVectorWraps(data, size, target);
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 32) return 1;
  if (memcmp(data, "PK\x03\x04", 4) != 0) return ReadBuffer(data, size);
  size_t end = size - 22;
  while (end > 0 && memcmp(data + end, "PK\x05\x06", 4) != 0) --end;
  if (end == 0) return 1;
  const uint32_t directory = Load(data, size, end + 16, 4);
  BugEntriesBeyondTheEnd(data, size, directory, Load(data, size, end + 10, 2));
  if ((uint64_t)directory + 46 > size) return 1;
  const uint32_t name = Load(data, size, directory + 28, 2);
  if ((uint64_t)directory + 46 + name <= size) BugLongMemberName(data + directory + 46, name);
  const uint32_t local = Load(data, size, directory + 42, 4);
  const uint32_t length = Load(data, size, directory + 20, 4);
  const uint32_t start =
      local + 30 + Load(data, size, local + 26, 2) + Load(data, size, local + 28, 2);
  BugMemberSumWraps(data, (uint32_t)size, start, length);
  if ((uint64_t)start + length > size) return 1;
  return ReadBuffer(data + start, length);
}
