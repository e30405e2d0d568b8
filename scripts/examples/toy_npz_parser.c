/* A small reader of .npz archives with a bug planted in it, for npz_fuzzer.c. It is as
 * careful as real readers: it checks sizes, and accepts a member only if its CRC-32 agrees. The bug
 * is in read_shape. Exit code 0: parsed, 1: refused. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __AFL_COMPILER
#include <unistd.h>
#endif
#include <zlib.h>

static uint32_t load(const uint8_t* at, int width) {
  uint32_t value = 0;
  for (int i = width; i-- > 0;) value = value << 8 | at[i];
  return value;
}

/* The elements of "(2, 3)", at most `limit` of them. 0: refused. */
static int read_shape(const char* text, uint64_t limit, uint64_t* elements) {
  *elements = 1;
  if (*text++ != '(') return 0;
  while (*text != ')') {
    char* end;
    const uint64_t extent = strtoul(text, &end, 10);
    if (end == text) return 0;
    if (extent > limit / *elements) return 0; /* the planted bug: an earlier extent may be 0 */
    *elements *= extent;
    while (*end == ',' || *end == ' ') ++end;
    text = end;
  }
  return 1;
}

static int read_array(const uint8_t* data, uint32_t size) {
  char header[512];
  if (size < 10 || memcmp(data, "\x93NUMPY\x01", 7) != 0) return 1;
  const uint32_t length = load(data + 8, 2);
  if (length >= sizeof header || length > size - 10) return 1;
  memcpy(header, data + 10, length);
  header[length] = 0;
  const char* shape = strstr(header, "'shape': ");
  uint64_t elements = 0;
  return shape == NULL || !read_shape(shape + strlen("'shape': "), size, &elements);
}

static int parse(const uint8_t* file, size_t size) {
  size_t at = 0;
  while (size - at >= 30 && load(file + at, 4) == 0x04034b50) {
    const uint32_t method = load(file + at + 8, 2), crc = load(file + at + 14, 4);
    const uint32_t stored = load(file + at + 18, 4);
    const size_t names = 30 + load(file + at + 26, 2) + load(file + at + 28, 2);
    if (method != 0 || names > size - at || stored > size - at - names) return 1;
    if (crc32(0, file + at + names, stored) != crc) return 1;
    if (read_array(file + at + names, stored) != 0) return 1;
    at += names + stored;
  }
  return at == 0;
}

#ifdef __AFL_COMPILER /* one process reads many files, through shared memory */
__AFL_FUZZ_INIT();

int main(void) {
  __AFL_INIT();
  const uint8_t* file = __AFL_FUZZ_TESTCASE_BUF;
  while (__AFL_LOOP(10000)) parse(file, (size_t)__AFL_FUZZ_TESTCASE_LEN);
  return 0;
}
#else
int main(int argc, char** argv) {
  static uint8_t file[1 << 16];
  FILE* in = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (in == NULL) return 2;
  const size_t size = fread(file, 1, sizeof file, in);
  fclose(in);
  return parse(file, size);
}
#endif
