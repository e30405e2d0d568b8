// A run of the same model on the CPU alone, held beside the engine's: where both agree on a value
// that is not admitted, the fault is hardly the engine's own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/graph/graph.h"
#include "oracles/judge.h"
#include "oracles/oracle.h"

namespace anecheck {

// Compares each output of a case with the CPU's. The CPU is no ANE: its values are judged as those
// of any sound engine (kFloatFamily), and only where they are others than the engine's.
class CpuRun {
 public:
  // `cpu` is empty where the runner gave none. All of it outlives the run.
  CpuRun(const Graph& graph, std::span<const Tensor> inputs, std::span<const Tensor> engine,
         std::span<const Tensor> cpu);

  // The reason of `judged`, the engine's, with words on the CPU. Empty where the engine passes and
  // gives the CPU's values.
  std::string Beside(size_t output, const OutputJudgement& judged) const;

 private:
  std::string WordsOnOther(size_t output, bool engine_is_right) const;

  const Graph& graph_;
  std::span<const Tensor> inputs_, engine_, cpu_;
  std::vector<Estimate> sound_;  // empty if nothing differs, or no difference can be decided
};

}  // namespace anecheck
