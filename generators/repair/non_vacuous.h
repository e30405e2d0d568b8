// Repairs a generated case until every output that is judged can be moved beyond its bound by some
// change of the inputs, and keeps the proof. An output that cannot would pass whatever the engine
// gives.
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
  // Inputs at which values are lost or outputs are too vague to be judged give way to others where
  // these do better (input_search.h). For an output that cannot be moved: tries inputs of another
  // kind first, if the mode drives results to infinity and none were tried yet, and then judges the
  // operand of the output instead; the nodes after it fall away. `inputs` belong to `graph`. Gives
  // one witness an output and the changes they speak of, which fit the graph as it is left, and
  // leaves in `expected` the oracle's expectation of each output. Errors: those of the oracle at
  // `inputs`.
  Result<SensitivityProof> Run(ChoiceStream& choices, CaseMode mode, const Contract& contract,
                               Graph& graph, std::vector<Tensor>& inputs,
                               std::vector<Estimate>& expected);

 private:
  // Starts a search at `inputs`, or at others that are put in their place, and says in kept_ which.
  // True where others were tried.
  Result<bool> Search(ChoiceStream& choices, CaseMode mode, const Contract& contract,
                      const Graph& graph, std::vector<Tensor>& inputs);

  // One a try: the one that is kept is looked at again.
  std::array<SensitivitySearch, 2> searches_;
  size_t kept_ = 0;
};

}  // namespace anecheck
