// The mutations of MIL texts. For each rule, one mutation breaks only that rule. Other mutations
// damage the grammar. Used by kGenerator_mil.
#pragma once

#include <array>
#include <cstddef>

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

inline constexpr size_t kMilMutationCount = 32;
extern const std::array<MutationKind, kMilMutationCount> kMilMutations;

}  // namespace anecheck
