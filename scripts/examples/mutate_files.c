/* Writes mutated copies of two files of a format. Shows libanecheck_fuzz_mutator.a in a C program.
 *
 *   cc mutate_files.c $(pkg-config --cflags --libs anecheck_fuzz_mutator) -o mutate_files
 *   mutate_files hwx 100 /tmp/out a.hwx b.hwx
 *
 * writes /tmp/out/0 to /tmp/out/99. Copy I depends only on seed I and the two files. Every fourth
 * copy combines both files; the others mutate one of the files in turn. Without arguments the
 * program prints the names of the formats. Exit code 2 for wrong usage, and for files that cannot
 * be read or written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anecheck_fuzz_mutator.h"

#define MAX_SIZE (1u << 20)

struct file {
  uint8_t* bytes; /* MAX_SIZE of them */
  size_t size;
};

static int fail(const char* what) {
  fprintf(stderr, "mutate_files: error: %s\n", what);
  return 2;
}

static int read_file(const char* path, struct file* file) {
  file->bytes = malloc(MAX_SIZE);
  FILE* in = fopen(path, "rb");
  if (in == NULL || file->bytes == NULL) return 0;
  file->size = fread(file->bytes, 1, MAX_SIZE, in);
  fclose(in);
  return 1;
}

static int write_file(const char* folder, unsigned long index, const uint8_t* bytes, size_t size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%lu", folder, index);
  FILE* out = fopen(path, "wb");
  if (out == NULL) return 0;
  const int written = fwrite(bytes, 1, size, out) == size;
  return fclose(out) == 0 && written;
}

static int is_format(const char* name) {
  for (const char* const* format = anecheck_fuzz_formats(); *format != NULL; ++format) {
    if (strcmp(*format, name) == 0) return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc == 1) {
    for (const char* const* format = anecheck_fuzz_formats(); *format != NULL; ++format)
      puts(*format);
    return 0;
  }
  if (argc != 6) return fail("usage: mutate_files FORMAT COUNT FOLDER FILE FILE");
  if (!is_format(argv[1])) return fail("no such format");
  struct file parents[2];
  uint8_t* child = malloc(MAX_SIZE);
  if (child == NULL || !read_file(argv[4], &parents[0]) || !read_file(argv[5], &parents[1])) {
    return fail("a file cannot be read");
  }
  const unsigned long count = strtoul(argv[2], NULL, 10);
  for (unsigned long i = 0; i < count; ++i) {
    const struct file* first = &parents[i % 2];
    const struct file* second = &parents[(i + 1) % 2];
    size_t size;
    if (i % 4 == 3) {
      size = anecheck_fuzz_crossover(argv[1], first->bytes, first->size, second->bytes,
                                     second->size, child, MAX_SIZE, i);
    } else {
      memcpy(child, first->bytes, first->size);
      size = anecheck_fuzz_mutator(argv[1], child, first->size, MAX_SIZE, i);
    }
    if (!write_file(argv[3], i, child, size)) return fail("a copy cannot be written");
  }
  free(child);
  free(parents[0].bytes);
  free(parents[1].bytes);
  return 0;
}
