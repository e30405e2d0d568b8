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

// The smallest saving in microseconds for which Core ML's planner chooses the engine over the CPU.
// Source: facts/silicon/cost_model.csv, the saving that a segment at the start or end needs.
inline constexpr uint64_t kLeastSavingUs = 250;

struct Settings {
  std::string target;  // if not empty, replaces the targets of the machine's chip
  uint64_t least_saving_us = kLeastSavingUs;
};

// The answer to the hello. Errors: kInvalid if no target is given and no table names the chip.
Result<Json> HelloOf(const Machine& machine, const Settings& settings);

// Returns the reply to a request. The stage of a failure is that of the call that failed. A package
// that does not compile is `rejected` by the front end. A package that does not load or run with
// the engine has `failed`, and the message says whether the CPU alone runs it.
Json ReplyTo(const Json& request, Framework& framework);

// Returns the member `plan` of a reply: the operations that a device computes, by MIL names.
Json PlanOf(std::span<const ProgramOp> ops);

// Returns the elements of a strided array in C order. `strides` are in elements of `size` bytes, as
// in MLMultiArray.
std::vector<uint8_t> InOrder(const uint8_t* data, std::span<const uint64_t> shape,
                             std::span<const int64_t> strides, uint64_t size);

// Answers each line of `in` until `in` ends. Returns the exit code: 0, or 2 for a line that is no
// JSON object or a hello that cannot be answered, with the reason on standard error.
int Serve(std::istream& in, const std::function<void(const std::string& line)>& answer,
          Framework& framework, const Settings& settings);

// The main function over `framework`: `[--target NAME] [--least-saving MICROSECONDS]`. Replies go
// to standard output. Text that the framework writes there goes to standard error.
int RunnerMain(int argc, char** argv, Framework& framework);

}  // namespace anecheck::coreml
