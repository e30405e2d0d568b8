// Repairs a generated case. In the repaired case, for each judged output some change of the inputs
// moves the output by more than its bound. The repair records the proof. An output that no change
// moves would not show whether the engine computes it from the inputs.
#pragma once

#include <array>
#include <vector>

#include "generators/choice_stream.h"
#include "generators/graph_generator.h"
#include "oracles/sensitivity.h"

namespace anecheck {

// Reuses memory between cases. Not thread-safe. Use one per thread.
class CaseRepair {
 public:
  // Replaces inputs at which values are lost or outputs are too vague to be judged, if other inputs
  // have fewer of these flaws (input_search.h). If an output cannot be moved and the mode drives
  // results to infinity, tries inputs of another mode, unless other inputs were already tried. If
  // the output still cannot be moved, judges a value on which the output depends, and drops the
  // nodes after this value. Precondition: `inputs` belong to `graph`. Returns one witness for each
  // output of the repaired graph, and the changes to which the witnesses refer. Sets `expected` to
  // the oracle's expectation of each output. Errors: those of the oracle at `inputs`.
  Result<SensitivityProof> Run(ChoiceStream& choices, CaseMode mode, const Contract& contract,
                               Graph& graph, std::vector<Tensor>& inputs,
                               std::vector<Estimate>& expected);

 private:
  // Starts a search at `inputs`, or at better inputs that replace them. Sets kept_ to the index of
  // the search. Returns true if other inputs were tried.
  Result<bool> Search(ChoiceStream& choices, CaseMode mode, const Contract& contract,
                      const Graph& graph, std::vector<Tensor>& inputs);

  // One search for each attempt. Sensitivity is proved with the search of index kept_.
  std::array<SensitivitySearch, 2> searches_;
  size_t kept_ = 0;
};

}  // namespace anecheck
