// Reads and writes the lines of the JSON-lines protocol of external runners, versions 1 and 2.
// Starts no process. harness/runners/PROTOCOL.md describes the protocol for authors of runners.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "harness/runners/runner.h"

namespace anecheck {

// The version of the hello line, and the newest version. The answer to the hello chooses the
// version of later lines.
inline constexpr int kExecProtocolVersion = 1;
inline constexpr int kNewestExecProtocol = 2;

// The line that asks a runner who it is: {"v": 1, "hello": true, "versions": [1, 2]}.
std::string ExecHelloLine();

inline constexpr uint64_t kLargestExecBatch = 64;

// A runner's description of itself. Empty `targets` means every target.
struct ExecHello {
  std::string name, version;
  std::vector<std::string> targets;
  std::string chip, os, compiler_version;
  bool is_ane = true;            // "engine" is "ane" or left out; else it is "other"
  std::vector<std::string> ops;  // the operations it computes; empty: unknown
  bool wants_package = false;    // "models" holds "mlpackage": requests bring a package
  uint64_t least_saving_us = 0;  // RunnerIdentity::least_saving_us
  int protocol = kExecProtocolVersion;
  // Version 2: the most cases of one request, 1 to kLargestExecBatch; whether a request may ask
  // for a second execution.
  uint64_t batch = 1;
  bool second = false;

  bool operator==(const ExecHello&) const = default;
};
// Members: v, name (required, not empty), version, targets, chip, os, compiler_version, engine,
// ops, models, least_saving_us; of version 2 batch and second. Unknown members are ignored. Errors:
// kMalformed or kInvalid, naming the member.
Result<ExecHello> ReadExecHello(std::string_view line);

// The files of one case, absolute paths. Empty ones are left out of the request.
struct ExecFiles {
  std::string graph, mil, ranged_mil, netlist, mlpackage, inputs, outputs;
  std::string second_inputs, second_outputs;  // of a second execution by the same program
};
// A case of a request. Ids are unique, so that a reply identifies its case.
struct ExecCase {
  const RunRequest* request = nullptr;
  uint64_t id = 0;
  ExecFiles files;
};
// In version 1 `cases` must have exactly one case.
std::string ExecRequestLine(std::span<const ExecCase> cases, int version);

struct ExecReply {
  RunStatus status = RunStatus::kFailed;
  Step step = Step::kNone;
  std::string message, backend, proof;
  std::vector<PlannedOp> plan;
  std::string cpu_outputs;   // of "ok": outputs of the same model on the CPU alone
  std::string container;     // of "compiled": a hardware container in place of outputs
  bool unsupported = false;  // the program does not try the graph; kRejected
  uint64_t compile_us = 0, run_us = 0;
};
// A reply to the case `id`, of either version. `status` is "ok", "rejected", "failed",
// "unsupported" (with the operation as "op") or "compiled", which is kOk with a container; a
// rejection's stage is frontend, floor, hal, validator, codegen or load, a failure's compile, load
// or run. Errors: kMalformed or kInvalid, naming the member: such a reply breaks the protocol.
Result<ExecReply> ReadExecReply(std::string_view line, uint64_t id);

// The id of a line that may be a reply, even if the rest is wrong; empty if it has no id.
std::optional<uint64_t> ExecReplyId(std::string_view line);

}  // namespace anecheck
