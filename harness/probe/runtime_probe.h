// The engine's conduct of calls rather than of numbers: how many programs load, when events
// advance, which calls are refused, which memory is left alone. Each probe is one small program of
// calls that gives one number, run in a process of its own. Used by `anecheck probe --runtime` and
// by the power measurement.
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

// The values of a probe if one known defect is at work and no other.
struct DefectReading {
  std::string_view id;  // empty for none
  double value = 0;
};

struct RuntimeProbe {
  std::string_view name;    // "loaded_programs"
  std::string_view what;    // one line for people
  double conforming = 0;    // the value of an engine without defects
  std::string_view source;  // of that
  // A documented defect that changes it: its id, its value, and the families that have it (bit
  // f: family index f). Empty where there is none.
  std::string_view known_defect = {};
  double documented = 0;
  uint32_t families = 0;
  // Runs in the process of the probe. Errors: the step that did not work.
  Result<double> (*measure)(const E5rtLibrary& engine, std::string_view target) = nullptr;
  int time_factor = 1;  // the probe's time limit, in time limits of a case
  // Another known defect that changes it.
  DefectReading also = {};
};
std::span<const RuntimeProbe> RuntimeProbes();
const RuntimeProbe* FindRuntimeProbe(std::string_view name);

// Whether the probe's documented defect is to be expected: by the last setting of `quirks` that
// concerns it, or else by the family.
bool ExpectsDefect(const RuntimeProbe& probe, int family, std::span<const QuirkSetting> quirks);

struct RuntimeAnswer {
  std::optional<double> value;
  std::string message;  // without a value: the end of the process, or the step that did not work
};

// Whether the known defect changes the probe's value.
bool Concerns(const RuntimeProbe& probe, std::string_view known_defect);
// The values of the probe if that defect is at work and no other.
double ReadingUnder(const RuntimeProbe& probe, std::string_view known_defect);

// The known defects that a measured value shows: a source gives the value for the defect, and a
// conforming engine gives another. If they are several, `measure` is asked for the other probes
// that one of them changes, and those whose values are not all as documented fall away. Empty for a
// value that no known defect gives. Errors: those of `measure`.
Result<std::vector<std::string_view>> DefectsShown(
    const RuntimeProbe& probe, double value,
    const std::function<Result<RuntimeAnswer>(const RuntimeProbe&)>& measure);

// Runs one probe in a fresh process of this executable on the engine that `options` configure. A
// crash, a hang or an engine's refusal is an answer without a value; an Error means that no process
// could be started or, kInterrupted, that `*stop` was set before there was an answer.
Result<RuntimeAnswer> MeasureRuntime(const RuntimeProbe& probe, std::string_view target,
                                     const WorkerOptions& options,
                                     const std::atomic<bool>* stop = nullptr);

// The process's side: runs the probe called `name` and prints its answer. Returns the exit code.
int RuntimeProbeMain(const E5rtLibrary& engine, std::string_view target, std::string_view name);

}  // namespace anecheck
