// A run of the same model on the CPU alone, held beside the engine's: where both agree on a value
// that is not admitted, the fault is hardly the engine's own.
#pragma once

#include <string>

#include "harness/graph/graph.h"
#include "oracles/judge.h"

namespace anecheck {

// The reason of `judged` with words on the CPU's values `cpu`, of the type of `output` and judged
// as `on_cpu`. Empty where the engine passes and gives the CPU's values.
std::string BesideCpu(const OutputJudgement& judged, const Tensor& output,
                      const OutputJudgement& on_cpu, const Tensor& cpu);

}  // namespace anecheck
