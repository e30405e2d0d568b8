// A runner of the exec protocol over Core ML. It compiles each case's package, runs the package
// with the engine and with the CPU alone, and reports the plan. harness/runners/PROTOCOL.md
// describes the protocol.
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

// In microseconds. If the engine saves less time on a model, Core ML's planner chooses the CPU.
// Source: facts/silicon/cost_model.csv, the saving that a segment at the start or end needs.
inline constexpr uint64_t kLeastSavingUs = 250;

struct Settings {
  std::string target;  // replaces those of the machine's chip, unless empty
  uint64_t least_saving_us = kLeastSavingUs;
};

// The answer to the hello. Errors: kInvalid if no target is given and no table names the chip.
Result<Json> HelloOf(const Machine& machine, const Settings& settings);

// The reply to a request. The stage of a failure is that of the call that failed. A package that
// does not compile is `rejected` by the front end; a package that compiles, but does not load or
// run with the engine, has `failed`. The message then says whether the CPU alone runs it.
Json ReplyTo(const Json& request, Framework& framework);

// The member `plan` of a reply: operations that some device computes, by their MIL names.
Json PlanOf(std::span<const ProgramOp> ops);

// The elements of a strided array in C order. `strides` are in elements of `size` bytes, as in
// MLMultiArray.
std::vector<uint8_t> InOrder(const uint8_t* data, std::span<const uint64_t> shape,
                             std::span<const int64_t> strides, uint64_t size);

// Answers each line of `in` until it ends. Returns the program's exit code: 2, with the reason on
// standard error, for a line that is no JSON object and for a hello that cannot be answered.
int Serve(std::istream& in, const std::function<void(const std::string& line)>& answer,
          Framework& framework, const Settings& settings);

// The main function over `framework`: `[--target NAME] [--least-saving MICROSECONDS]`. Replies go
// to the standard output of the process; the framework's output there goes to standard error.
int RunnerMain(int argc, char** argv, Framework& framework);

}  // namespace anecheck::coreml
