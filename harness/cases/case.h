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

// Returns the seed of the random choices of one case. It depends only on the run's seed and the
// index, so a campaign makes the same cases for any number of jobs and shards.
uint64_t CaseSeed(uint64_t run_seed, uint64_t index);

// One axis of one input that the case's program leaves open. Its extents are `start` to `stop` in
// steps of `step`, both ends included. One of them is the extent of the case's graph.
struct CaseRange {
  std::string input;
  int axis = 0;
  int64_t start = 1;
  int64_t stop = 1;
  int64_t step = 1;
};

// The metamorphic relation by which a case is rewritten (oracles/metamorphic). `site` names the
// rewritten value. It is empty if the relation rewrites the whole graph, or any value to which it
// applies.
struct CaseRelation {
  std::string name, site;
};

// Whether only MIL text can express cases of that mode. No known network description has a state or
// a compressed constant, and must-reject and metamorphic cases are written in MIL.
bool IsOfMilAlone(CaseMode mode);
// Returns the route of case `index`. A case for whose mode IsOfMilAlone holds has kMil instead.
Route RouteOfCase(const CampaignOptions& options, uint64_t index);

// One generated case.
struct Case {
  uint64_t index = 0;
  uint64_t seed = 0;
  CampaignTarget target;
  CaseMode mode = CaseMode::kFloat;
  Graph graph;
  std::vector<Tensor> inputs;
  // Inputs of the second execution, of the same types as `inputs`. Empty if the second execution
  // also takes `inputs`.
  std::vector<Tensor> again;
  // For each output, the proof that some change of the inputs moves it beyond its bound.
  SensitivityProof sensitivity;
  // The one rule of legality that a must-reject graph breaks, by its id; empty in other modes.
  std::string broken_rule;
  Route route = Route::kMil;
  std::string mil;
  std::vector<uint8_t> mil_weights;  // the weight file that the text names; empty for none
  // The network description and its weight file, if the route is kNetlist.
  std::string netlist;
  std::vector<uint8_t> netlist_weights;
  // The program's range of shapes if it has one, the text of the program with that range, and the
  // further shapes to run. The text and the shapes follow from the range (shape_range.h).
  std::optional<CaseRange> range;
  std::string ranged_mil;
  std::vector<RunShape> further;
  // The relation of a metamorphic case. If it is empty, the seed draws a relation.
  std::optional<CaseRelation> relation;
};

// Returns a case with only the index, seed, target, mode and route of `item`. Other executions,
// cuts and smaller versions of a case start from it.
Case InPlaceOf(const Case& item);

// Writes the graph as the program of the case. Always writes `mil`, which some runners and people
// read. Also writes the network description if the route is kNetlist, and the text of the range.
// Removes a range that the graph does not allow. Errors: those of GraphToMil and GraphToNetlist.
Status SpellCase(Case& item);
// Returns the request that runs the case. The case must outlive the request. One case in 16, and
// every case with states, is executed twice. About half of these have other inputs the second time.
// The case's seed selects both groups.
RunRequest RequestOf(const Case& item);

// Makes case `index` of a campaign: target, mode, graph, inputs and program. On the netlist route
// graphs are drawn from operations that network descriptions have. `expected`, if not null,
// receives the oracle's expectation of each output, or stays empty if that was not computed.
Result<Case> MakeCase(const CampaignOptions& options, uint64_t index,
                      std::vector<Estimate>* expected = nullptr);

}  // namespace anecheck
