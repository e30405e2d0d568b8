#include "harness/probe/runtime_probe.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

#include "harness/base/real_text.h"
#include "harness/probe/load_elsewhere.h"
#include "harness/probe/mac_probes.h"
#include "harness/runners/executable_path.h"
#include "harness/runners/subprocess.h"
#include "harness/runners/worker_arguments.h"

namespace anecheck {
namespace {

// The line with the answer of a probe's process begins with this text. All other output is the
// engine's.
constexpr std::string_view kAnswer = "anecheck-probe-answer ";
constexpr size_t kLongestLine = size_t{1} << 20;
// The interval at which a wait for the process checks whether the measurement was stopped.
constexpr std::chrono::milliseconds kStopTick(50);

std::vector<std::string> Arguments(const RuntimeProbe& probe, std::string_view target,
                                   const WorkerOptions& options) {
  std::vector<std::string> arguments = WorkerArguments(options);
  arguments.emplace_back("target");
  arguments.emplace_back(target);
  arguments.emplace_back("probe");
  arguments.emplace_back(probe.name);
  return arguments;
}

// Reads "value 128" or "failed WORDS".
RuntimeAnswer Read(std::string_view answer) {
  constexpr std::string_view kValue = "value ", kFailed = "failed ";
  if (answer.starts_with(kValue)) {
    answer.remove_prefix(kValue.size());
    if (const auto value = RealFromText<double>(answer)) return {value, ""};
  }
  if (answer.starts_with(kFailed)) answer.remove_prefix(kFailed.size());
  return {std::nullopt, std::string(answer)};
}

bool IsSet(const std::atomic<bool>* stop) { return stop != nullptr && stop->load(); }

// Reads a line until `deadline` or until `*stop` is set.
Subprocess::ReadState ReadLine(Subprocess& process, Subprocess::Clock::time_point deadline,
                               uint64_t memory_limit, const std::atomic<bool>* stop,
                               std::string& line) {
  for (;;) {
    const auto until = std::min(deadline, Subprocess::Clock::now() + kStopTick);
    const auto state = process.ReadLine(until, kLongestLine, memory_limit, line);
    if (state != Subprocess::ReadState::kTimeout || until == deadline || IsSet(stop)) return state;
  }
}

}  // namespace

const RuntimeProbe* FindRuntimeProbe(std::string_view name) {
  for (const auto probes : {RuntimeProbes(), MacProbes()}) {
    const auto found = std::ranges::find(probes, name, &RuntimeProbe::name);
    if (found != probes.end()) return &*found;
  }
  return nullptr;
}

bool ExpectsDefect(const RuntimeProbe& probe, int family, std::span<const QuirkSetting> quirks) {
  if (probe.known_defect.empty()) return false;
  bool expected = (probe.families >> family & 1) != 0;
  for (const QuirkSetting& quirk : quirks) {
    if (quirk.id == "all" || quirk.id == probe.known_defect) expected = quirk.on;
  }
  return expected;
}

bool Concerns(const RuntimeProbe& probe, std::string_view known_defect) {
  return !known_defect.empty() &&
         (probe.known_defect == known_defect || probe.also.id == known_defect);
}

double ReadingUnder(const RuntimeProbe& probe, std::string_view known_defect) {
  if (!Concerns(probe, known_defect)) return probe.conforming;
  return probe.known_defect == known_defect ? probe.documented : probe.also.value;
}

Result<std::vector<std::string_view>> DefectsShown(
    const RuntimeProbe& probe, double value,
    const std::function<Result<RuntimeAnswer>(const RuntimeProbe&)>& measure) {
  std::vector<std::string_view> shown;
  if (value == probe.conforming) return shown;
  for (const std::string_view id : {probe.known_defect, probe.also.id}) {
    if (Concerns(probe, id) && ReadingUnder(probe, id) == value) shown.push_back(id);
  }
  for (const RuntimeProbe& other : RuntimeProbes()) {
    const bool tells =
        std::ranges::any_of(shown, [&](std::string_view id) { return Concerns(other, id); });
    if (shown.size() < 2 || other.name == probe.name || !tells) continue;
    ANECHECK_ASSIGN(const RuntimeAnswer answer, measure(other));
    if (!answer.value) continue;
    std::erase_if(shown,
                  [&](std::string_view id) { return ReadingUnder(other, id) != *answer.value; });
  }
  return shown;
}

Result<RuntimeAnswer> MeasureRuntime(const RuntimeProbe& probe, std::string_view target,
                                     const WorkerOptions& options, const std::atomic<bool>* stop) {
  const std::vector<std::string> arguments = Arguments(probe, target, options);
  ANECHECK_ASSIGN(Subprocess process, Subprocess::Start(arguments, OwnImage()));
  const std::chrono::milliseconds limit(int64_t{options.case_timeout_ms} * probe.time_factor);
  const auto deadline = Subprocess::Clock::now() + limit;
  std::optional<RuntimeAnswer> answer;
  double printed = 0;
  Subprocess::ReadState state = Subprocess::ReadState::kLine;
  while (!answer && state == Subprocess::ReadState::kLine) {
    std::string line;
    state = ReadLine(process, deadline, options.memory_limit, stop, line);
    if (IsSet(stop)) return Stopped();
    const size_t at = line.find(kAnswer);
    if (at != std::string::npos) {
      answer = Read(std::string_view(line).substr(at + kAnswer.size()));
      printed += static_cast<double>(at);
    } else {
      printed += static_cast<double>(line.size());
    }
  }
  const std::string end = process.Stop(std::chrono::milliseconds(500));
  if (answer) {
    if (probe.name == "bytes_printed" && answer->value) answer->value = printed;
    return std::move(*answer);
  }
  if (state == Subprocess::ReadState::kTimeout) {
    return RuntimeAnswer{std::nullopt, fmt::format("no answer in {} ms", limit.count())};
  }
  return RuntimeAnswer{std::nullopt, "the process " + end};
}

int RuntimeProbeMain(const E5rtLibrary& engine, std::string_view target, std::string_view name) {
  const int loaded = LoadIfAsked(engine, name);
  if (loaded >= 0) return loaded;
  const RuntimeProbe* probe = FindRuntimeProbe(name);
  if (probe == nullptr) return 2;
  const Result<double> value = probe->measure(engine, target);
  const std::string text =
      value.ok() ? fmt::format("value {}", *value) : "failed " + value.error().message;
  // The engine may have printed text without a line break before, so the reader searches for this
  // mark inside the line.
  std::fwrite(kAnswer.data(), 1, kAnswer.size(), stdout);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
  return std::fflush(stdout) == 0 ? 0 : 3;
}

}  // namespace anecheck
