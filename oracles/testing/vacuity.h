// An independent check of generated cases. It finds outputs that no change of an input moves, and
// nodes from which no path leads to an output. It shares no code with the generators or with the
// campaign's own proof, so their agreement is evidence. Tests and measurements use it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/graph/graph.h"
#include "oracles/contract.h"
#include "oracles/oracle.h"

namespace anecheck::testing {

// The reason why no change moves an output.
enum class Vacuity : uint8_t {
  kMoves,     // a change moves it
  kConstant,  // its value and its bounds are the same for every input that was tried
  kTooWide,   // its value changes, but every change stays inside the bounds
  kFailed,    // the oracle could not evaluate the case
};

struct VacuousOutput {
  size_t output = 0;
  Vacuity why = Vacuity::kConstant;
  std::string op;  // the operation that computes the output
};

// Returns the outputs whose elements stay in their bounds at `inputs` under every change of the
// inputs that is tried. A change replaces, scales, negates or shuffles a whole tensor, or replaces
// single elements. The replacements of a whole tensor are zeros, constants from 2^-14 to 2^15 of
// either sign, ramps, and random numbers, which are whole or of several magnitudes. `claimed` are
// further inputs, which are tried first. The maker of a case claims that they move outputs, but
// they are run like any other change.
std::vector<VacuousOutput> FindVacuous(Evaluation& evaluation, const Graph& graph,
                                       std::span<const Tensor> inputs, const Contract& contract,
                                       std::span<const std::vector<Tensor>> claimed = {});

// Returns the nodes from which no path through values and states leads to an output of the graph.
std::vector<NodeId> DeadNodes(const Graph& graph);

}  // namespace anecheck::testing
