// The files of a case for an external program, and the reply to it as far as it can be checked.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "harness/runners/exec_protocol.h"
#include "harness/runners/runner.h"

namespace anecheck {

// Writes the files of `request` into `folder`, which it makes. Errors: kUnsupported for a model
// that cannot stand in the package that the program asks for, else those of the disk.
Result<ExecFiles> WriteExecFiles(const RunRequest& request, const ExecHello& hello,
                                 const std::string& folder);

// The reply with the outputs that the program wrote, or kGarbled with the reason. A container is
// executed, a proof is checked, a second execution is compared or given.
RunReply AcceptExecReply(const RunRequest& request, const ExecFiles& files, ExecReply given);

// A reply without outputs to the caller's case `id`.
RunReply BadExecReply(uint64_t id, RunStatus status, std::string message);

// The backend that the analytics file `path` of a reply names for `graph`: "ane", "bnns". The file
// must stand in `folder`, be a regular file, begin as MIL text does, and speak of the graph's ports
// and operations. Errors: kInvalid with the reason, also for analytics that the simulated engine
// wrote.
Result<std::string> CheckProof(const std::string& path, const std::string& folder,
                               const Graph& graph);

}  // namespace anecheck
