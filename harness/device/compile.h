// The compile step of the simulated engine. It turns MIL text into executable programs. The engine
// has its own shape rules, legality rules and kernels. Used by the e5rt layer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/executable.h"
#include "harness/device/op_builder.h"

namespace anecheck::device {

// The maximum rank of a tensor, for every target. Source: facts/compile_envelope.csv.
inline constexpr int kMaxEngineRank = 5;

// The maximum size, in bytes, of a program's intermediate tensors and constants together. The
// compile step refuses larger programs, so that a hostile program cannot exhaust the host's memory.
inline constexpr int64_t kMaxProgramBytes = int64_t{4} << 30;

// Compiles every function of the program for the target and backend that the settings name. The
// message of an Error ends in " @ " and the name of the stage that refused the program: Parser,
// Frontend, Floor, Hal, Validator or Codegen. Thread-safe.
Result<std::vector<std::shared_ptr<const Executable>>> CompileProgram(
    std::string mil_text, const CompileSettings& settings, Backend backend);

}  // namespace anecheck::device
