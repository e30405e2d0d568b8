// Mutations of the tasks of containers that run. At least one breaks each rule of programs.
#pragma once

#include <span>

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

extern const std::span<const MutationKind> kProgramMutations;

}  // namespace anecheck
