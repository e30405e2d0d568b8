// The libFuzzer entry points of one target, compiled once for each with ANECHECK_FUZZ_TARGET set to
// its name.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "generators/formats/mutator/structured_mutator.h"

#define ANECHECK_FUZZ_JOIN_INNER(a, b) a##b
#define ANECHECK_FUZZ_JOIN(a, b) ANECHECK_FUZZ_JOIN_INNER(a, b)
#define ANECHECK_FUZZ_THIS_TARGET ANECHECK_FUZZ_JOIN(kTarget_, ANECHECK_FUZZ_TARGET)

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace anecheck::fuzz {

extern const FuzzTarget ANECHECK_FUZZ_THIS_TARGET;

namespace {

const FuzzTarget& kTarget = ANECHECK_FUZZ_THIS_TARGET;

MutatorParts Parts() {
  return {.format = kTarget.format,
          .generator = kTarget.generator,
          .generate = kTarget.generate,
          .edit_bytes = LLVMFuzzerMutate};
}

size_t CopyOut(const Bytes& bytes, uint8_t* out) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace
}  // namespace anecheck::fuzz

// ANECHECK_FUZZ_THOROUGH asserts every law on every input: for measuring what a corpus reaches.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  if (std::getenv("ANECHECK_FUZZ_THOROUGH") == nullptr) anecheck::fuzz::SampleCostlyLaws();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return anecheck::fuzz::kTarget.check({data, size}) ? 0 : -1;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  using namespace anecheck::fuzz;
  if (kTarget.format == nullptr) return LLVMFuzzerMutate(data, size, max_size);
  return CopyOut(anecheck::MutateFile(Parts(), {data, size}, max_size, seed), data);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2, uint8_t* out,
                                            size_t max_out_size, unsigned int seed) {
  using namespace anecheck::fuzz;
  return CopyOut(anecheck::CrossFiles(Parts(), {data1, size1}, {data2, size2}, max_out_size, seed),
                 out);
}
