// A finding as a file. It has everything that a rerun of one case on any machine needs.
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
// Some members are present only if the finding has them. "relation" is the relation by which a
// metamorphic case was rewritten, with the rewritten graph. "defects" are the catalogues by which
// the case was judged in addition to the documented defects. "again" is a second execution of the
// program. It has inputs if they differ from those of the first execution, and outputs if they are
// judged. "at_shape" is the further shape that shows the finding of a program with a range of
// shapes, with the program's text. "files" are the compiler's files, if they show the finding.
// `identity` describes the runner that answered.
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
  DefectSet defects;  // empty if the artifact names none
};
// Errors name the wrong member.
Result<Artifact> ArtifactFromJson(const Json& json);

}  // namespace anecheck
