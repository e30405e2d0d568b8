// One generated case: its graph, inputs and program, and the request that runs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cases/options.h"
#include "harness/graph/graph.h"
#include "harness/runners/runner.h"
#include "harness/verdict/case_mode.h"
#include "harness/verdict/route.h"
#include "oracles/sensitivity.h"

namespace anecheck {

// The case's own choice stream seed: a function of the run's seed and the index alone, so that any
// cut of a campaign into jobs and shards makes the same cases.
uint64_t CaseSeed(uint64_t run_seed, uint64_t index);

// One axis of one input that the case's program leaves open: `start` to `stop` by `step`, both in
// the range, and the extent of the case's graph one of them.
struct CaseRange {
  std::string input;
  int axis = 0;
  int64_t start = 1;
  int64_t stop = 1;
  int64_t step = 1;
};

// The metamorphic relation by which a case is rewritten (oracles/metamorphic), and the name of the
// value that is; empty for the whole graph, or for any where it applies.
struct CaseRelation {
  std::string name, site;
};

// Whether MIL text alone says cases of that mode: no network description is known to hold a state
// or a compressed constant, and the graphs of must-reject and metamorphic cases are spelt in MIL.
bool IsOfMilAlone(CaseMode mode);
// The route of case `index`. Modes that take MIL text alone are of that whatever it says.
Route RouteOfCase(const CampaignOptions& options, uint64_t index);

// One generated case.
struct Case {
  uint64_t index = 0;
  uint64_t seed = 0;
  CampaignTarget target;
  CaseMode mode = CaseMode::kFloat;
  Graph graph;
  std::vector<Tensor> inputs;
  // Inputs of the second execution, of the same types; empty if it takes the same inputs.
  std::vector<Tensor> again;
  // The proof for each output that some change of the inputs moves it beyond its bound.
  SensitivityProof sensitivity;
  // The one rule of legality that a must-reject graph breaks, by its id; empty in other modes.
  std::string broken_rule;
  Route route = Route::kMil;
  std::string mil;
  std::vector<uint8_t> mil_weights;  // the weight side file that the text names; empty for none
  // The network description and its weight file, where that is the route.
  std::string netlist;
  std::vector<uint8_t> netlist_weights;
  // The range of shapes of the program, where it has one; its text, and the further shapes that it
  // runs at. The last two follow from the first (shape_range.h).
  std::optional<CaseRange> range;
  std::string ranged_mil;
  std::vector<RunShape> further;
  // Of a metamorphic case whose relation is known; else its seed draws one.
  std::optional<CaseRelation> relation;
};

// A case in the place of `item`: its number, seed, target, mode and route, and nothing else. Other
// executions of a case, cuts of it and smaller ones begin so.
Case InPlaceOf(const Case& item);

// Writes the graph as the case's route takes it: `mil` always, for people and for runners that read
// it, and the network description or the text of the range. A range that the graph does not take is
// dropped. Errors: those of GraphToMil and GraphToNetlist.
Status SpellCase(Case& item);
// The request that runs the case. It refers to the case. One case in 16, and each with states, is
// executed twice, half of them on other inputs the second time: which ones follows from their
// seeds.
RunRequest RequestOf(const Case& item);

// Makes case `index` of a campaign: target, mode, graph, inputs and program. On the netlist route
// graphs are drawn from operations that network descriptions have. `expected`, where given,
// receives the oracle's expectation of each output, or nothing if that was not computed.
Result<Case> MakeCase(const CampaignOptions& options, uint64_t index,
                      std::vector<Estimate>* expected = nullptr);

}  // namespace anecheck
