// Draws hardware containers from a choice stream. They have the dialects of all compilers of real
// files, the form of the specification, and all optional parts. Used by the tests, the fuzz target
// and the benchmark.
#pragma once

#include "generators/formats/descriptor_generator.h"
#include "harness/formats/hwx/builder.h"

namespace anecheck {

// Draws the specification of a container. The built container breaks no rule.
hwx::ContainerSpec GenerateContainerSpec(ChoiceStream& choices);

// The specification of a container for benchmarks. It has one kernel section of `weight_bytes`,
// which must be a multiple of 16 * 64.
hwx::ContainerSpec WeightContainerSpec(uint64_t weight_bytes);

extern const DescriptorGenerator kGenerator_hwx;

}  // namespace anecheck
