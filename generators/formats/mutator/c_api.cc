#include <cstring>
#include <vector>

#include "generators/formats/mutator/anecheck_fuzz_mutator.h"
#include "generators/formats/mutator/structured_mutator.h"
#include "generators/formats/registry/registry.h"
#include "harness/formats/registry/registry.h"

namespace anecheck {
namespace {

MutatorParts PartsOf(const char* name) {
  MutatorParts parts;
  if (name == nullptr) return parts;
  if (const auto format = FindFormat(name); format.ok()) parts.format = *format;
  parts.generator = FindGenerator(name);
  return parts;
}

size_t CopyOut(const Bytes& bytes, uint8_t* out) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace
}  // namespace anecheck

size_t anecheck_fuzz_mutator(const char* format, uint8_t* data, size_t size, size_t max_size,
                             uint64_t seed) {
  using namespace anecheck;
  return CopyOut(MutateFile(PartsOf(format), {data, size}, max_size, seed), data);
}

size_t anecheck_fuzz_crossover(const char* format, const uint8_t* a, size_t a_size,
                               const uint8_t* b, size_t b_size, uint8_t* out, size_t max_size,
                               uint64_t seed) {
  using namespace anecheck;
  return CopyOut(CrossFiles(PartsOf(format), {a, a_size}, {b, b_size}, max_size, seed), out);
}

const char* const* anecheck_fuzz_formats(void) {
  using namespace anecheck;
  // The names are string literals, so their data are null-terminated.
  static const std::vector<const char*> names = [] {
    std::vector<const char*> list;
    for (const DescriptorGenerator* generator : AllGenerators()) {
      list.push_back(generator->format.data());
    }
    list.push_back(nullptr);
    return list;
  }();
  return names.data();
}
