#include <algorithm>
#include <string_view>

#include "fuzz/fuzz_target.h"

namespace anecheck::fuzz {

// fuzz_targets.inc has an entry for each target of fuzz/CMakeLists.txt.
#define ANECHECK_FUZZ_TARGET(name) extern const FuzzTarget kTarget_##name;
#include "fuzz_targets.inc"
#undef ANECHECK_FUZZ_TARGET

namespace {

constexpr const FuzzTarget* kTargets[] = {
#define ANECHECK_FUZZ_TARGET(name) &kTarget_##name,
#include "fuzz_targets.inc"
#undef ANECHECK_FUZZ_TARGET
};

}  // namespace

std::span<const FuzzTarget* const> AllTargets() { return kTargets; }

const FuzzTarget* FindTarget(std::string_view name) {
  const auto found = std::ranges::find(kTargets, name, &FuzzTarget::name);
  return found == std::end(kTargets) ? nullptr : *found;
}

}  // namespace anecheck::fuzz
