// A finding as a file: everything that a rerun of one case on any machine needs.
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
//  "defects": [text of a catalogue]}
//
// Some members are there only if the finding has them. "relation": the relation by which a
// metamorphic case was rewritten, and the rewritten graph. "defects": the catalogues by which it
// was judged in addition to the documented defects. "again": a second execution of the program,
// with its inputs if they differ from the first and its outputs if they are judged. "at_shape": for
// a program with a range, the further shape that shows the finding, and the program's text.
// "files": the compiler's files, if they are the finding. `identity` describes the runner that
// answered.
Json ArtifactToJson(const CampaignOptions& options, const RunnerIdentity& identity,
                    const Case& item, const CaseOutcome& outcome, const RunReply& reply,
                    const std::string& id);

// The parts of an artifact that a replay needs.
struct Artifact {
  CampaignOptions options;  // only the case's target; runner and worker settings
  Case item;
  std::string id;
  Verdict verdict = Verdict::kWrong;
  std::string op;     // empty if the artifact names none
  DefectSet defects;  // likewise
};
// Errors name the wrong member.
Result<Artifact> ArtifactFromJson(const Json& json);

}  // namespace anecheck
