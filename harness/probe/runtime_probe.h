// Measures how the engine responds to calls: how many programs load, when events advance, which
// calls are refused, which memory stays unchanged. Each probe makes some calls in a separate
// process and returns one number. `anecheck probe --runtime` and the power measurement use the
// probes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/runners/e5rt_library.h"
#include "harness/runners/worker.h"

namespace anecheck {

// The value of a probe on an engine that has only one known defect.
struct DefectReading {
  std::string_view id;  // empty for none
  double value = 0;
};

struct RuntimeProbe {
  std::string_view name;    // "loaded_programs"
  std::string_view what;    // one line for people
  double conforming = 0;    // the value on an engine without defects
  std::string_view source;  // of `conforming`
  // A documented defect that changes the probe's value: its id, the value with it, and the families
  // that have it (bit f: family index f). The id is empty if there is none.
  std::string_view known_defect = {};
  double documented = 0;
  uint32_t families = 0;
  // Runs in the process of the probe. Errors: the step that failed.
  Result<double> (*measure)(const E5rtLibrary& engine, std::string_view target) = nullptr;
  int time_factor = 1;  // the probe's time limit, in time limits of a case
  // Another known defect that changes the probe's value.
  DefectReading also = {};
};
std::span<const RuntimeProbe> RuntimeProbes();
const RuntimeProbe* FindRuntimeProbe(std::string_view name);

// Returns whether the probe's documented defect is expected. The last setting in `quirks` for the
// defect decides, or else the family.
bool ExpectsDefect(const RuntimeProbe& probe, int family, std::span<const QuirkSetting> quirks);

struct RuntimeAnswer {
  std::optional<double> value;
  std::string message;  // without a value: how the process ended, or the step that failed
};

// Returns whether the known defect changes the probe's value.
bool Concerns(const RuntimeProbe& probe, std::string_view known_defect);
// Returns the value of the probe on an engine that has only that defect.
double ReadingUnder(const RuntimeProbe& probe, std::string_view known_defect);

// Returns the known defects whose documented value is `value`; none if a conforming engine has the
// same value. If there are several, the function calls `measure` for the other probes that one of
// them changes, and drops defects whose documented values do not all match. Errors: those of
// `measure`.
Result<std::vector<std::string_view>> DefectsShown(
    const RuntimeProbe& probe, double value,
    const std::function<Result<RuntimeAnswer>(const RuntimeProbe&)>& measure);

// Runs one probe in a fresh process of this executable on the engine that `options` configure.
// After a crash, a hang or a refusal of the engine the answer has no value. Errors: the process
// cannot be started; kInterrupted if `*stop` was set before the answer.
Result<RuntimeAnswer> MeasureRuntime(const RuntimeProbe& probe, std::string_view target,
                                     const WorkerOptions& options,
                                     const std::atomic<bool>* stop = nullptr);

// Runs the probe called `name` in the probe's process and prints its answer. Returns the exit code.
int RuntimeProbeMain(const E5rtLibrary& engine, std::string_view target, std::string_view name);

}  // namespace anecheck
