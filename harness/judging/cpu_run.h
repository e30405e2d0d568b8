// Compares a run of the same model on the CPU alone with the engine's run. If both agree on a value
// that is not admitted, the engine is hardly at fault.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/graph/graph.h"
#include "oracles/judge.h"
#include "oracles/oracle.h"

namespace anecheck {

// Compares each output of a case with the CPU's. The CPU is not an ANE: its values are judged as
// for any sound engine (kFloatFamily), and only if they differ from the engine's.
class CpuRun {
 public:
  // `cpu` is empty if the runner returned no CPU values. All arguments must outlive the object.
  CpuRun(const Graph& graph, std::span<const Tensor> inputs, std::span<const Tensor> engine,
         std::span<const Tensor> cpu);

  // Returns the reason of `judged`, which is the judgement of the engine's output, with a remark on
  // the CPU. Empty if the engine passes and agrees with the CPU.
  std::string Beside(size_t output, const OutputJudgement& judged) const;

 private:
  std::string WordsOnOther(size_t output, bool engine_is_right) const;

  const Graph& graph_;
  std::span<const Tensor> inputs_, engine_, cpu_;
  std::vector<Estimate> sound_;  // empty if nothing differs, or no difference can be decided
};

}  // namespace anecheck
