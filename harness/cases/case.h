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

// The seed of the random choices of one case. It depends only on the run's seed and the index, so
// that any division of a campaign into jobs and shards makes the same cases.
uint64_t CaseSeed(uint64_t run_seed, uint64_t index);

// One axis of one input that the case's program leaves open. Its extents are `start` to `stop` by
// `step`, both ends included; the extent of the case's graph is one of them.
struct CaseRange {
  std::string input;
  int axis = 0;
  int64_t start = 1;
  int64_t stop = 1;
  int64_t step = 1;
};

// The metamorphic relation by which a case is rewritten (oracles/metamorphic), and the name of the
// rewritten value. The name is empty if the relation rewrites the whole graph, or any value that it
// applies to.
struct CaseRelation {
  std::string name, site;
};

// Whether only MIL text can express cases of that mode: no network description is known to hold a
// state or a compressed constant, and the graphs of must-reject and metamorphic cases are spelt in
// MIL.
bool IsOfMilAlone(CaseMode mode);
// The route of case `index`. A mode that only MIL text can express is always on that route.
Route RouteOfCase(const CampaignOptions& options, uint64_t index);

// One generated case.
struct Case {
  uint64_t index = 0;
  uint64_t seed = 0;
  CampaignTarget target;
  CaseMode mode = CaseMode::kFloat;
  Graph graph;
  std::vector<Tensor> inputs;
  // Inputs of the second execution, of the same types; empty if that execution takes the inputs of
  // the first.
  std::vector<Tensor> again;
  // The proof for each output that some change of the inputs moves it beyond its bound.
  SensitivityProof sensitivity;
  // The one rule of legality that a must-reject graph breaks, by its id; empty in other modes.
  std::string broken_rule;
  Route route = Route::kMil;
  std::string mil;
  std::vector<uint8_t> mil_weights;  // the weight side file that the text names; empty for none
  // The network description and its weight file, if that is the route.
  std::string netlist;
  std::vector<uint8_t> netlist_weights;
  // The program's range of shapes if it has one, the text of the program with that range, and the
  // further shapes to run. The text and the shapes follow from the range (shape_range.h).
  std::optional<CaseRange> range;
  std::string ranged_mil;
  std::vector<RunShape> further;
  // The relation of a metamorphic case, if it is fixed; otherwise the seed draws one.
  std::optional<CaseRelation> relation;
};

// A case with only the number, seed, target, mode and route of `item`. Other executions, cuts and
// smaller versions of a case start from it.
Case InPlaceOf(const Case& item);

// Writes the graph as the program of the case. Always writes `mil`, for people and for runners that
// read it. Also writes the network description, if that is the route, or the text of the range. A
// range that the graph does not allow is dropped. Errors: those of GraphToMil and GraphToNetlist.
Status SpellCase(Case& item);
// The request that runs the case, which must outlive it. One case in 16, and every case with
// states, is executed twice. About half of the cases that are executed twice have other inputs the
// second time. The case's seed decides both.
RunRequest RequestOf(const Case& item);

// Makes case `index` of a campaign: target, mode, graph, inputs and program. On the netlist route
// graphs are drawn from operations that network descriptions have. `expected`, if not null,
// receives the oracle's expectation of each output, or stays empty if that was not computed.
Result<Case> MakeCase(const CampaignOptions& options, uint64_t index,
                      std::vector<Estimate>* expected = nullptr);

}  // namespace anecheck
