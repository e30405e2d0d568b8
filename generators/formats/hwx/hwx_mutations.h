// The structure-aware mutations of hardware containers, at least one for each rule of the format.
#pragma once

#include <span>

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const std::span<const MutationKind> kHwxMutations;

}  // namespace anecheck
