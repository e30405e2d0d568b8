/* A libFuzzer target for an external parser, the toy reader of .npz archives. The
 * mutations know the format: an edit of a member also corrects the member's CRC-32 and sizes.
 *
 *   clang -g -fsanitize=fuzzer,address,undefined npz_fuzzer.c \
 *     $(pkg-config --cflags --libs anecheck_fuzz_mutator) -o npz_fuzzer
 *   ./npz_fuzzer corpus/  */
#include "anecheck_fuzz_mutator.h"

#define main toy_main
#include "toy_npz_parser.c"
#undef main

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  parse(data, size);
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  return anecheck_fuzz_mutator("npz", data, size, max_size, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                                 uint8_t* out, size_t max_size, unsigned int seed) {
  return anecheck_fuzz_crossover("npz", a, a_size, b, b_size, out, max_size, seed);
}
