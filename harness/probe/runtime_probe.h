// The engine's behaviour in calls rather than numbers: how many programs load, when events advance,
// which calls are refused, which memory stays unchanged. Each probe is a small program of calls
// that returns one number, run in a separate process. Used by `anecheck probe --runtime` and by the
// power measurement.
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

// The value of a probe if only one known defect is present.
struct DefectReading {
  std::string_view id;  // empty for none
  double value = 0;
};

struct RuntimeProbe {
  std::string_view name;    // "loaded_programs"
  std::string_view what;    // one line for people
  double conforming = 0;    // the value of an engine without defects
  std::string_view source;  // of `conforming`
  // A documented defect that changes the probe: its id, the value with it, and the families that
  // have it (bit f: family index f). Empty if there is none.
  std::string_view known_defect = {};
  double documented = 0;
  uint32_t families = 0;
  // Runs in the process of the probe. Errors: the step that failed.
  Result<double> (*measure)(const E5rtLibrary& engine, std::string_view target) = nullptr;
  int time_factor = 1;  // the probe's time limit, divided by that of a case
  // Another known defect that changes the probe.
  DefectReading also = {};
};
std::span<const RuntimeProbe> RuntimeProbes();
const RuntimeProbe* FindRuntimeProbe(std::string_view name);

// Whether the probe's documented defect is expected: by the last setting in `quirks` for it, or
// else by the family.
bool ExpectsDefect(const RuntimeProbe& probe, int family, std::span<const QuirkSetting> quirks);

struct RuntimeAnswer {
  std::optional<double> value;
  std::string message;  // without a value: the end of the process, or the step that did not work
};

// Whether the known defect changes the probe's value.
bool Concerns(const RuntimeProbe& probe, std::string_view known_defect);
// The value of the probe if only that defect is present.
double ReadingUnder(const RuntimeProbe& probe, std::string_view known_defect);

// The known defects that a measured value shows: the documented value of the defect equals it, and
// that of a conforming engine does not. If there are several, `measure` is called for the other
// probes that one of them changes, and defects whose documented values do not all match are
// dropped. Empty for a value that matches no known defect. Errors: those of `measure`.
Result<std::vector<std::string_view>> DefectsShown(
    const RuntimeProbe& probe, double value,
    const std::function<Result<RuntimeAnswer>(const RuntimeProbe&)>& measure);

// Runs one probe in a fresh process of this executable on the engine that `options` configure. A
// crash, a hang or an engine's refusal is an answer without a value; an Error means that no process
// could be started or, kInterrupted, that `*stop` was set before there was an answer.
Result<RuntimeAnswer> MeasureRuntime(const RuntimeProbe& probe, std::string_view target,
                                     const WorkerOptions& options,
                                     const std::atomic<bool>* stop = nullptr);

// Runs in the probe's process: runs the probe called `name` and prints its answer. Returns the exit
// code.
int RuntimeProbeMain(const E5rtLibrary& engine, std::string_view target, std::string_view name);

}  // namespace anecheck
