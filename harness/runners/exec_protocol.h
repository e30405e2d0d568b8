// The JSON-lines protocol of external runners, version 1: the lines themselves, without any
// process. scripts/examples/README.md describes it for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "harness/runners/runner.h"

namespace anecheck {

inline constexpr int kExecProtocolVersion = 1;

// The line that asks a runner who it is: {"v": 1, "hello": true}.
std::string ExecHelloLine();

// A runner's account of itself. Empty `targets` takes every target.
struct ExecHello {
  std::string name, version;
  std::vector<std::string> targets;
  std::string chip, os, compiler_version;
  bool is_ane = true;            // "engine" is "ane" or left out; else it is "other"
  std::vector<std::string> ops;  // the operations it computes; empty: it does not say
  bool wants_package = false;    // "models" holds "mlpackage": requests bring a package
  uint64_t least_saving_us = 0;  // RunnerIdentity::least_saving_us

  bool operator==(const ExecHello&) const = default;
};
// Members: v, name (required, not empty), version, targets, chip, os, compiler_version, engine,
// ops, models, least_saving_us. Others are passed over. Errors: kMalformed or kInvalid, naming the
// member.
Result<ExecHello> ReadExecHello(std::string_view line);

// The files of one case, absolute paths. Empty ones are left out of the request.
struct ExecFiles {
  std::string graph, mil, ranged_mil, netlist, mlpackage, inputs, outputs;
};
// `id` is new with every line, so that a reply tells which one it answers.
std::string ExecRequestLine(const RunRequest& request, uint64_t id, const ExecFiles& files);

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
// A reply to the request `id`. `status` is "ok", "rejected", "failed", "unsupported" (with the
// operation as "op") or "compiled", which is kOk with a container; a rejection's stage is frontend,
// floor, hal, validator, codegen or load, a failure's compile, load or run. Errors: kMalformed or
// kInvalid, naming the member: such a reply breaks the protocol.
Result<ExecReply> ReadExecReply(std::string_view line, uint64_t id);

// The id of a line that may be a reply, whatever else is wrong with it; nothing where it has none.
std::optional<uint64_t> ExecReplyId(std::string_view line);

}  // namespace anecheck
