// A finding as a JSON file. The file has all data that a machine needs to run the case again.
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
// Members that do not apply to the finding are left out. "relation" is the relation by which a
// metamorphic case was rewritten, with the rewritten graph. "defects" are the catalogues by which
// the case was judged in addition to the documented defects. "again" is a second execution of the
// program. It has "inputs" if they differ from those of the first execution, and "actual" if the
// outputs were judged. "at_shape" is the shape, other than the graph's own, that shows the finding
// of a program with a range of shapes, with the program's text. "files" are the compiler's files,
// if these show the finding. `identity` identifies the runner that answered.
Json ArtifactToJson(const CampaignOptions& options, const RunnerIdentity& identity,
                    const Case& item, const CaseOutcome& outcome, const RunReply& reply,
                    const std::string& id);

// The parts of an artifact that a replay needs.
struct Artifact {
  CampaignOptions options;  // the case's target, the runner and its settings
  Case item;
  std::string id;
  Verdict verdict = Verdict::kWrong;
  std::string op;     // empty if the artifact names none
  DefectSet defects;  // empty if the artifact names none
};
// Reads an artifact. Errors name the wrong member.
Result<Artifact> ArtifactFromJson(const Json& json);

}  // namespace anecheck
