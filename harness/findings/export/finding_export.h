// A finding as a folder that explains itself: graph, MIL, inputs, expectation, answer, and a NumPy
// script that judges outputs without this tool.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/findings/artifact.h"

namespace anecheck {

// Writes README.md, graph.json, model.mil, rewritten.mil (where a metamorphic relation shows the
// finding), net.plist and its constants (where the route is by network description), program.e5 and
// model.hwx (where the compiler's files show the finding), inputs.npz, expected.npz, actual.npz
// (where the engine gave outputs), those three once more as *_again.npz of a second execution that
// was judged or took other inputs, the last two as *_rewritten.npz where the rewritten network gave
// outputs, check_output.py and finding.json to `folder`, which is made
// where it is missing; where it holds an earlier finding, files of that one go which this one does
// not have. `finding` is the artifact as JSON (artifact.h); `provenance` where its evidence comes
// from. Errors: kInvalid for an artifact that cannot be read, kUnsupported for graphs without a
// numeric reference or with element types that NumPy lacks, kIo.
Status ExportFinding(const Json& finding, const std::string& provenance, const std::string& folder);

// Whether the engine gave outputs, which alone the script can judge.
bool HasOutputs(const Json& finding);
// Whether the script shows the finding by the engine's outputs: not a finding of a metamorphic
// relation if the rewritten network gave nothing, or if both networks are right by themselves.
bool ScriptShows(const Json& finding);

}  // namespace anecheck
