// Reads and writes the lines of the JSON-lines protocol of external runners, versions 1 and 2.
// harness/runners/PROTOCOL.md describes the protocol for authors of runners.
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

// The version of the hello line, and the newest version of the protocol. The program's answer to
// the hello selects the version of later lines.
inline constexpr int kExecProtocolVersion = 1;
inline constexpr int kNewestExecProtocol = 2;

// The line that asks for a runner's identity: {"v": 1, "hello": true, "versions": [1, 2]}.
std::string ExecHelloLine();

inline constexpr uint64_t kLargestExecBatch = 64;

// A runner's description of itself. Empty `targets` means every target.
struct ExecHello {
  std::string name, version;
  std::vector<std::string> targets;
  std::string chip, os, compiler_version;
  bool is_ane = true;            // "engine" is "ane" or absent; it may be "other"
  std::vector<std::string> ops;  // the operations it computes; empty if unknown
  bool wants_package = false;    // "models" contains "mlpackage": requests name a package
  uint64_t least_saving_us = 0;  // RunnerIdentity::least_saving_us
  int protocol = kExecProtocolVersion;
  // Only in version 2. `batch` is the largest number of cases in one request, from 1 to
  // kLargestExecBatch. `second` tells whether a request may ask for a second execution.
  uint64_t batch = 1;
  bool second = false;

  bool operator==(const ExecHello&) const = default;
};
// Reads the answer to the hello. Its members are v, name (required, not empty), version, targets,
// chip, os, compiler_version, engine, ops, models and least_saving_us, and in version 2 also batch
// and second. Unknown members are ignored. Errors: kMalformed or kInvalid, naming the member.
Result<ExecHello> ReadExecHello(std::string_view line);

// The absolute paths of the files of one case. The request leaves out empty paths.
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
// Returns the request line for `cases`. In version 1 `cases` must have exactly one element.
std::string ExecRequestLine(std::span<const ExecCase> cases, int version);

struct ExecReply {
  RunStatus status = RunStatus::kFailed;
  Step step = Step::kNone;
  std::string message, backend, proof;
  std::vector<PlannedOp> plan;
  std::string cpu_outputs;   // with "ok": outputs of the same model on the CPU alone
  std::string container;     // with "compiled": a hardware container in place of outputs
  bool unsupported = false;  // the program did not try the graph; the status is kRejected
  uint64_t compile_us = 0, run_us = 0;
};
// Reads a reply of either version to the case `id`. The member "status" is "ok", "rejected",
// "failed", "unsupported" (with the operation as "op") or "compiled", which is read as kOk with a
// container. The stage of a rejection is frontend, floor, hal, validator, codegen or load. The
// stage of a failure is compile, load or run. Errors: kMalformed or kInvalid, naming the member.
Result<ExecReply> ReadExecReply(std::string_view line, uint64_t id);

// Returns the id in a line, even if the rest of the line is no valid reply; empty if it has no id.
std::optional<uint64_t> ExecReplyId(std::string_view line);

}  // namespace anecheck
