// A finding as a file: everything that is needed to run one case again on any machine.
#pragma once

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/judging/judge_case.h"

namespace anecheck {

// {"version": 1, "tool_version", "provenance", "engine", "id", "verdict", "known_defect", "op",
//  "node", "message",
//  "case": {seed, index, case_seed, target, family, route, mode},
//  "runner": {kind, library, faults, quirks, case_timeout_ms, memory_limit},
//  "graph": (harness/graph/json.h), "mil": text,
//  "inputs": [{name, dtype, shape, data}], "expected": [{name, low, high, value}],
//  "actual": [{name, dtype, shape, data}],
//  "again": {inputs: [{name, dtype, shape, data}], actual: [{name, dtype, shape, data}]},
//  "at_shape": {extent, mil: text, inputs: [...], actual: [...]},
//  "files": {descriptor, container},
//  "relation": {name, site, graph, mil, actual: [{name, dtype, shape, data}]},
//  "defects": [text of a catalogue]}; "relation", by which a metamorphic case was rewritten, with
// the rewritten graph, only where it was; "defects", which it was judged by beside the documented
// ones, only where there were any; "again", of a second execution of the program, its inputs only
// if they were others and its outputs only if they are judged; "at_shape", the further shape of a
// program with a range that shows the finding, where one does, and the text of that program;
// "files", those that the compiler left, only if they are the finding. `identity` is that of the
// runner that answered.
Json ArtifactToJson(const CampaignOptions& options, const RunnerIdentity& identity,
                    const Case& item, const CaseOutcome& outcome, const RunReply& reply,
                    const std::string& id);

// The parts of an artifact that a replay needs.
struct Artifact {
  CampaignOptions options;  // targets: the case's one; runner and worker settings
  Case item;
  std::string id;
  Verdict verdict = Verdict::kWrong;
  std::string op;     // empty where the artifact names none
  DefectSet defects;  // likewise
};
// Errors name the member that is wrong.
Result<Artifact> ArtifactFromJson(const Json& json);

}  // namespace anecheck
