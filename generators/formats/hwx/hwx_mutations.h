// The structure-aware mutations of hardware containers. At least one breaks each rule.
#pragma once

#include <span>

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const std::span<const MutationKind> kHwxMutations;

}  // namespace anecheck
