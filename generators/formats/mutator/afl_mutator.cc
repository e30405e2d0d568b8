// libanecheck_afl_mutator.so: an AFL++ custom mutator (docs/custom_mutators.md of AFL++, version 4)
// for the format that the environment variable ANECHECK_FORMAT names.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "generators/formats/mutator/anecheck_fuzz_mutator.h"
#include "harness/base/hash.h"

namespace {

struct Mutator {
  const char* format = nullptr;
  uint64_t state = 0;
  std::vector<uint8_t> buffer;

  uint64_t NextSeed() { return state += anecheck::kGoldenRatio64; }
};

bool IsKnown(const char* format) {
  for (const char* const* name = anecheck_fuzz_formats(); *name != nullptr; ++name) {
    if (std::strcmp(*name, format) == 0) return true;
  }
  return false;
}

// AFL++ does not check the result of afl_custom_init and would continue with a null pointer.
[[noreturn]] void RefuseFormat(const char* format) {
  const char* rest = format == nullptr ? " is not set" : "' is no format";
  std::fprintf(stderr,
               "anecheck: ANECHECK_FORMAT%s%s%s; set it to one of:", format == nullptr ? "" : " '",
               format == nullptr ? "" : format, rest);
  for (const char* const* name = anecheck_fuzz_formats(); *name != nullptr; ++name) {
    std::fprintf(stderr, " %s", *name);
  }
  std::fprintf(stderr, "\n");
  std::exit(2);
}

// One in kCrossEvery children has two parents.
constexpr uint64_t kCrossEvery = 8;

}  // namespace

extern "C" {

void* afl_custom_init(void* afl, unsigned int seed) {
  static_cast<void>(afl);
  const char* format = std::getenv("ANECHECK_FORMAT");
  if (format == nullptr || !IsKnown(format)) RefuseFormat(format);
  auto* mutator = new Mutator;
  mutator->format = format;
  mutator->state = seed;
  return mutator;
}

void afl_custom_deinit(void* data) { delete static_cast<Mutator*>(data); }

size_t afl_custom_fuzz(void* data, uint8_t* input, size_t size, uint8_t** out, uint8_t* other,
                       size_t other_size, size_t max_size) {
  auto* mutator = static_cast<Mutator*>(data);
  mutator->buffer.resize(max_size);
  const uint64_t seed = mutator->NextSeed();
  size_t made = 0;
  if (other != nullptr && (seed >> 32) % kCrossEvery == 0) {
    made = anecheck_fuzz_crossover(mutator->format, input, size, other, other_size,
                                   mutator->buffer.data(), max_size, seed);
  } else {
    if (size > max_size) size = max_size;
    std::memcpy(mutator->buffer.data(), input, size);
    made = anecheck_fuzz_mutator(mutator->format, mutator->buffer.data(), size, max_size, seed);
  }
  *out = mutator->buffer.data();
  return made;
}

}  // extern "C"
