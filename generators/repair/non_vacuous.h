// Repairs a generated case until some change of the inputs moves each judged output beyond its
// bound, and keeps the proof. An output that no change moves passes whatever the engine returns.
#pragma once

#include <array>
#include <vector>

#include "generators/choice_stream.h"
#include "generators/graph_generator.h"
#include "oracles/sensitivity.h"

namespace anecheck {

// Keeps memory between cases. Not thread-safe; one per thread.
class CaseRepair {
 public:
  // Replaces inputs at which values are lost or outputs are too vague to be judged, if other inputs
  // do better (input_search.h). For an output that cannot be moved, first tries inputs of another
  // kind, if the mode drives results to infinity and none were tried yet; then judges the operand
  // of the output instead and drops the nodes after it. Precondition: `inputs` belong to `graph`.
  // Returns one witness for each output of the repaired graph, and the changes to which the
  // witnesses refer. Sets `expected` to the oracle's expectation of each output. Errors: those of
  // the oracle at `inputs`.
  Result<SensitivityProof> Run(ChoiceStream& choices, CaseMode mode, const Contract& contract,
                               Graph& graph, std::vector<Tensor>& inputs,
                               std::vector<Estimate>& expected);

 private:
  // Starts a search at `inputs`, or at better inputs that replace them; kept_ is the index of the
  // search. Returns true if other inputs were tried.
  Result<bool> Search(ChoiceStream& choices, CaseMode mode, const Contract& contract,
                      const Graph& graph, std::vector<Tensor>& inputs);

  // One search for each attempt; the kept one is used again.
  std::array<SensitivitySearch, 2> searches_;
  size_t kept_ = 0;
};

}  // namespace anecheck
