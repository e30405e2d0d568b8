// Writes the files of a case for an external program, and checks the program's reply.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "harness/runners/exec_protocol.h"
#include "harness/runners/runner.h"

namespace anecheck {

// Writes the files of `request` into `folder`, which it makes. Errors: kUnsupported if the program
// asks for a package and a package cannot contain the model, else those of the disk.
Result<ExecFiles> WriteExecFiles(const RunRequest& request, const ExecHello& hello,
                                 const std::string& folder);

// Checks a program's reply and reads the outputs that the program wrote. It also executes a
// container, checks a proof, and compares or returns the outputs of a second execution. The status
// is kGarbled, with the reason, if a file is missing or wrong.
RunReply AcceptExecReply(const RunRequest& request, const ExecFiles& files, ExecReply given);

// Returns a reply without outputs to the caller's case `id`.
RunReply BadExecReply(uint64_t id, RunStatus status, std::string message);

// Returns the backend that the analytics file `path` of a reply names for `graph`: "ane", "bnns".
// The file must be a regular file in `folder`, begin like MIL text, and name the graph's ports and
// operations. Errors: kInvalid with the reason, also for analytics of the simulated engine.
Result<std::string> CheckProof(const std::string& path, const std::string& folder,
                               const Graph& graph);

}  // namespace anecheck
