#include "generators/formats/registry/registry.h"

namespace anecheck {

#define ANECHECK_GENERATOR(name) extern const DescriptorGenerator kGenerator_##name;
#include "generators/formats/generators.def"
#undef ANECHECK_GENERATOR

namespace {

constexpr const DescriptorGenerator* kGenerators[] = {
#define ANECHECK_GENERATOR(name) &kGenerator_##name,
#include "generators/formats/generators.def"
#undef ANECHECK_GENERATOR
};

}  // namespace

std::span<const DescriptorGenerator* const> AllGenerators() { return kGenerators; }

const DescriptorGenerator* FindGenerator(std::string_view name) {
  for (const DescriptorGenerator* generator : kGenerators) {
    if (generator->format == name) return generator;
  }
  return nullptr;
}

}  // namespace anecheck
