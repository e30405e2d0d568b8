// A runner of the exec protocol over Core ML: compiles each case's package, runs it with the engine
// and with the CPU alone, and reports the plan. harness/runners/PROTOCOL.md has the protocol.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/runners/coreml/framework.h"

namespace anecheck::coreml {

// Core ML's planner leaves a model whose saving on the engine is smaller, in microseconds, on the
// CPU. Source: facts/silicon/cost_model.csv, the saving that a segment at the start or end needs.
inline constexpr uint64_t kLeastSavingUs = 250;

struct Settings {
  std::string target;  // in place of those of the machine's chip; empty: those
  uint64_t least_saving_us = kLeastSavingUs;
};

// The answer to the hello. Errors: kInvalid for a chip that no table names, where no target is
// given.
Result<Json> HelloOf(const Machine& machine, const Settings& settings);

// The reply to a request. The stage of a failure is that of the call that failed: a package that
// does not compile is rejected by the front end; one that does not load, or load and not run, with
// the engine failed. The message says whether the CPU alone does it.
Json ReplyTo(const Json& request, Framework& framework);

// The member `plan` of a reply: operations that some device computes, by their MIL names.
Json PlanOf(std::span<const ProgramOp> ops);

// The elements of a strided array in C order. `strides` are in elements of `size` bytes, as
// MLMultiArray gives them.
std::vector<uint8_t> InOrder(const uint8_t* data, std::span<const uint64_t> shape,
                             std::span<const int64_t> strides, uint64_t size);

// Answers each line of `in` until it ends. The program's exit code: 2 for a line that is no JSON
// object, and for a hello that cannot be answered, with the reason on standard error.
int Serve(std::istream& in, const std::function<void(const std::string& line)>& answer,
          Framework& framework, const Settings& settings);

// The main function over `framework`: `[--target NAME] [--least-saving MICROSECONDS]`. Replies go
// to the standard output of the process; the framework's output there goes to standard error.
int RunnerMain(int argc, char** argv, Framework& framework);

}  // namespace anecheck::coreml
