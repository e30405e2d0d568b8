// Structure-aware mutation for fuzzers of third-party parsers, as a C interface. For libFuzzer,
// link libanecheck_fuzz_mutator.a with the flags that pkg-config prints for anecheck_fuzz_mutator,
// and call it from LLVMFuzzerCustomMutator. For AFL++, load libanecheck_afl_mutator.so
// (AFL_CUSTOM_MUTATOR_LIBRARY, with ANECHECK_FORMAT=hwx). The archive contains every part of the
// project that it needs. It also needs fmt, flatbuffers, libdeflate, zlib and the C++ library. Do
// not link other libraries of the project with it, because some definitions would exist twice.
//
//   extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
//                                             unsigned seed) {
//     return anecheck_fuzz_mutator("hwx", data, size, max_size, seed);
//   }
//
// All functions may be called from several threads at once. The same arguments give the same bytes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Changes the `size` bytes at `data` in place. The result has at most `max_size` bytes. Returns the
// new size. `format` is a name that `anecheck_fuzz_formats` lists. With any other name, the
// function edits bytes without a format. Input that is not of the format is edited as plain bytes,
// or replaced by a new valid file.
size_t anecheck_fuzz_mutator(const char* format, uint8_t* data, size_t size, size_t max_size,
                             uint64_t seed);

// Writes a child of two files to `out`. Returns the size of the child, at most `max_size`.
size_t anecheck_fuzz_crossover(const char* format, const uint8_t* a, size_t a_size,
                               const uint8_t* b, size_t b_size, uint8_t* out, size_t max_size,
                               uint64_t seed);

// Returns the names of the formats, terminated by a null pointer. The array has static storage.
const char* const* anecheck_fuzz_formats(void);

#ifdef __cplusplus
}
#endif
