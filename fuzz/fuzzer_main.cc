// The libFuzzer entry points of one target. This file is compiled once for each target, with
// ANECHECK_FUZZ_TARGET set to the target's name.
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
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
          .edit_bytes = LLVMFuzzerMutate,
          .draw = kTarget.draw};
}

// The number of executions that checked each law.
struct Executions {
  uint64_t read_again = 0;
  uint64_t as_text = 0;
  uint64_t vacuous = 0;  // executions that compared nothing
} executions;

void PrintExecutions() {
  std::fprintf(stderr, "stat::law_read_again: %14" PRIu64 "\n", executions.read_again);
  std::fprintf(stderr, "stat::law_as_text: %17" PRIu64 "\n", executions.as_text);
  std::fprintf(stderr, "stat::law_vacuous: %17" PRIu64 "\n", executions.vacuous);
}

size_t CopyOut(const Bytes& bytes, uint8_t* out) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace
}  // namespace anecheck::fuzz

// If ANECHECK_FUZZ_THOROUGH is set, every law is asserted on every input. It is used to measure the
// coverage of a corpus and to choose inputs to keep.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  using namespace anecheck::fuzz;
  TellTarget(kTarget.name);
  if (std::getenv("ANECHECK_FUZZ_THOROUGH") == nullptr) SampleCostlyLaws();
  for (int i = 1; i < *argc; ++i) {
    if (std::strcmp((*argv)[i], "-print_final_stats=1") == 0) std::atexit(PrintExecutions);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace anecheck::fuzz;
  laws_met = {};
  const bool kept = kTarget.check({data, size});
  executions.read_again += laws_met.read_again ? 1 : 0;
  executions.as_text += laws_met.as_text ? 1 : 0;
  executions.vacuous += laws_met.compared ? 0 : 1;
  return kept ? 0 : -1;
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
