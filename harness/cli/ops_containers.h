// Finds the operations that can be encoded as hardware containers, by generation. Draws graphs of
// one operation, encodes them and runs the containers in the emulator.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/json.h"
#include "harness/base/result.h"

namespace anecheck {

// {"version": 1, "provenance": "emulated", "seed": 1, "graphs": 32, "targets": ["h13", ...], "ops":
// [{"name", "targets": {"h13": {"state", "executed": 20, "reason"}}}]}. `state` is "executed" if
// the emulator ran a container, "encoded" if it refused every container, "not encoded" if the
// encoder refused every graph, and "none" for an operation without known tasks. `executed` counts
// graphs. `reason` is the first refusal that names the operation or, if none names it, the first
// refusal. Errors: those of drawing.
Result<Json> OperationContainers(uint64_t seed);
// Formats the table as text, with one line per operation.
std::string OperationContainersText(const Json& table);

}  // namespace anecheck
