// Hardware containers from a choice stream: every dialect of compiler that real files show and the
// form of the specification, with all optional parts. Used by the tests, the fuzz target and the
// benchmark.
#pragma once

#include "generators/formats/descriptor_generator.h"
#include "harness/formats/hwx/builder.h"

namespace anecheck {

// A plan of a container. Build(plan) succeeds, and the built container verifies.
hwx::ContainerSpec GenerateContainerSpec(ChoiceStream& choices);

// A container with one kernel section of `weight_bytes` (a multiple of 16 * 64), for benchmarks.
hwx::ContainerSpec WeightContainerSpec(uint64_t weight_bytes);

extern const DescriptorGenerator kGenerator_hwx;

}  // namespace anecheck
