// Writes a finding as a folder that can be understood without this tool. It contains the graph, the
// MIL text, the inputs, expected and actual outputs, and a NumPy script that judges outputs.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/findings/artifact.h"

namespace anecheck {

// Writes to `folder`: README.md, finding.json, check_output.py, graph.json, model.mil, inputs.npz,
// expected.npz, and actual.npz if the engine returned outputs. Writes further files if they apply.
// They are rewritten.mil if a metamorphic relation shows the finding; expected_rewritten.npz and
// actual_rewritten.npz if the rewritten network has outputs; net.plist and its constants for the
// direct route; program.e5 and model.hwx if the compiler's files show the finding; and inputs,
// expected and actual as *_again.npz for a second execution that was judged or took other inputs.
// Creates `folder` if it is missing, and removes optional files of an earlier finding from it.
// `finding` is the artifact as JSON (artifact.h); `provenance` is the origin of its evidence.
// Errors: kInvalid for an artifact that cannot be read, kUnsupported for graphs without a numeric
// reference or with element types that NumPy lacks, kIo.
Status ExportFinding(const Json& finding, const std::string& provenance, const std::string& folder);

// Returns whether the engine returned outputs. The script can judge only a finding with outputs.
bool HasOutputs(const Json& finding);
// Returns whether the script can demonstrate the finding from the engine's outputs alone. It cannot
// demonstrate a finding of a metamorphic relation if the rewritten network has no outputs, or if
// each network alone is right.
bool ScriptShows(const Json& finding);

}  // namespace anecheck
