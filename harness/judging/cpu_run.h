// Compares the engine's run with a run of the same model on the CPU alone. If both return the same
// value outside the bounds, the error is probably not in the engine.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/graph/graph.h"
#include "oracles/judge.h"
#include "oracles/oracle.h"

namespace anecheck {

// Compares each output of a case with the CPU's output. Outputs that differ are judged on the CPU
// too. The CPU is not an ANE, so the contract is that of any sound engine (kFloatFamily).
class CpuRun {
 public:
  // `cpu` is empty if the runner returned no CPU values. All arguments must outlive the object.
  CpuRun(const Graph& graph, std::span<const Tensor> inputs, std::span<const Tensor> engine,
         std::span<const Tensor> cpu);

  // Returns the reason of `judged`, the judgement of the engine's output, with a remark on the CPU.
  // Adds no remark if the engine passes and agrees with the CPU.
  std::string Beside(size_t output, const OutputJudgement& judged) const;

 private:
  std::string WordsOnOther(size_t output, bool engine_is_right) const;

  const Graph& graph_;
  std::span<const Tensor> inputs_, engine_, cpu_;
  std::vector<Estimate> sound_;  // empty if nothing differs, or if the evaluation failed
};

}  // namespace anecheck
