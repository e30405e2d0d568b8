#include "harness/device/e5rt/state.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <pthread.h>

#include "harness/device/misbehaviour.h"

namespace anecheck::device::e5rt {
namespace {

struct ReadingRow {
  std::string_view id;
  bool on;  // the value after a reset
};
// The index is a Reading.
constexpr std::array<ReadingRow, 3> kReadings = {
    {{"block-at-completion", false}, {"full-queue-refuses", false}, {"newest-compiler", false}}};

struct Engine {
  std::mutex mutex;
  std::condition_variable queue_moves;
  std::condition_variable request_ends;
  const Target* target = &DefaultTarget();
  QuirkSwitches quirks;
  ActiveFaults faults;
  NumericModel model = ResolveNumericModel(quirks, target->family);
  bool queue_held = false;
  std::atomic<bool> writes_files = true;
  std::array<std::atomic<bool>, kReadings.size()> readings = {kReadings[0].on, kReadings[1].on,
                                                              kReadings[2].on};
  std::atomic<bool> has_faults = false;
};

// The engine outlives every thread of the process, including a thread that waits in it.
Engine& TheEngine() {
  static auto* engine = new Engine;
  return *engine;
}

std::atomic<uint64_t> loaded_programs = 0;
std::atomic<uint64_t> in_flight = 0;
std::atomic<uint64_t> compiles = 0;
std::atomic<uint64_t> executions = 0;
std::atomic<uint64_t> dispatches = 0;

std::atomic<bool> forked = false;
[[maybe_unused]] const int kAtFork = pthread_atfork(nullptr, nullptr, [] { forked = true; });

std::string& ThreadMessage() {
  thread_local std::string message;
  return message;
}

bool Take(std::atomic<uint64_t>& counter, uint64_t limit) {
  if (counter.fetch_add(1) < limit) return true;
  counter.fetch_sub(1);
  return false;
}

void Resolve(Engine& engine) {
  engine.model = ResolveNumericModel(engine.quirks, engine.target->family);
  engine.has_faults = !engine.faults.empty();
}

}  // namespace

int64_t Fail(Code code, std::string_view message) {
  ThreadMessage().assign(
      PlantedRuntimeFault(FaultEffect::kNoErrorText) == nullptr ? message : std::string_view());
  return PlantedRuntimeFault(FaultEffect::kSuccessOnError) == nullptr ? code : kOk;
}

const char* LastErrorMessage() { return ThreadMessage().c_str(); }

void ClearLastError() { ThreadMessage().clear(); }

Counts GetCounts() { return {loaded_programs, in_flight, compiles, executions, dispatches}; }

bool TakeProgramSlot() {
  uint64_t limit = RuntimeQuirkOn("D36") ? kMaxLoadedPrograms : UINT64_MAX;
  if (const Fault* fault = PlantedRuntimeFault(FaultEffect::kSlotsSmall)) {
    limit = static_cast<uint64_t>(fault->a);
  }
  return Take(loaded_programs, limit);
}
void FreeProgramSlot() {
  if (PlantedRuntimeFault(FaultEffect::kSlotsLeak) == nullptr) loaded_programs.fetch_sub(1);
}
bool TakeRequest() {
  if (Reads(Reading::kFullQueueRefuses)) return Take(in_flight, kMaxInFlight);
  Engine& engine = TheEngine();
  std::unique_lock lock(engine.mutex);
  engine.request_ends.wait(lock, [] { return Take(in_flight, kMaxInFlight); });
  return true;
}
void FreeRequest() {
  Engine& engine = TheEngine();
  {
    const std::lock_guard lock(engine.mutex);
    in_flight.fetch_sub(1);
  }
  engine.request_ends.notify_one();
}
void CountCompile() { ++compiles; }
void CountExecution(uint64_t count) {
  ++executions;
  dispatches += count;
}

CompileSettings SnapshotSettings(std::string_view architecture) {
  Engine& engine = TheEngine();
  const std::lock_guard lock(engine.mutex);
  CompileSettings settings;
  settings.target = engine.target;
  settings.quirks = engine.quirks;
  settings.newest_compiler = Reads(Reading::kNewestCompiler);
  settings.model = engine.model;
  settings.faults = engine.faults;
  if (architecture.empty()) return settings;
  const Target* asked = FindTarget(architecture);
  if (asked == nullptr && !engine.quirks.IsOn("P13", engine.target->family)) {
    settings.target = nullptr;
  }
  if (asked != nullptr && asked != engine.target) {
    settings.target = asked;
    settings.model = ResolveNumericModel(engine.quirks, asked->family);
  }
  return settings;
}

const Fault* PlantedRuntimeFault(FaultEffect effect) {
  Engine& engine = TheEngine();
  if (!engine.has_faults) return nullptr;
  const std::lock_guard lock(engine.mutex);
  const Fault* found = engine.faults.Find(effect);
  if (found == nullptr) return nullptr;
  for (const Fault& row : Faults()) {
    if (row.id == found->id) return &row;
  }
  return nullptr;
}

bool RuntimeQuirkOn(std::string_view id) {
  Engine& engine = TheEngine();
  const std::lock_guard lock(engine.mutex);
  return engine.quirks.IsOn(id, engine.target->family);
}

bool Reads(Reading reading) { return TheEngine().readings[static_cast<size_t>(reading)]; }

bool SetReading(std::string_view id, bool on) {
  const auto found = std::ranges::find(kReadings, id, &ReadingRow::id);
  if (found == kReadings.end()) return false;
  TheEngine().readings[static_cast<size_t>(found - kReadings.begin())] = on;
  return true;
}

bool SetDefaultTarget(std::string_view name) {
  const Target* target = FindTarget(name);
  if (target == nullptr) return false;
  Engine& engine = TheEngine();
  const std::lock_guard lock(engine.mutex);
  engine.target = target;
  Resolve(engine);
  return true;
}

std::string_view DefaultTargetName() {
  Engine& engine = TheEngine();
  const std::lock_guard lock(engine.mutex);
  return engine.target->name;
}

bool SetQuirk(std::string_view id, int state) {
  const int index = FindQuirk(id);
  if (index < 0 && id != "all") return false;
  Engine& engine = TheEngine();
  const std::lock_guard lock(engine.mutex);
  const QuirkState to = state < 0   ? QuirkState::kFamilyDefault
                        : state > 0 ? QuirkState::kOn
                                    : QuirkState::kOff;
  if (index < 0) {
    engine.quirks.SetAll(to);
  } else {
    engine.quirks.Set(index, to);
  }
  Resolve(engine);
  return true;
}

Status EnableFault(std::string_view id) {
  Engine& engine = TheEngine();
  const std::lock_guard lock(engine.mutex);
  ANECHECK_RETURN_IF_ERROR(engine.faults.Enable(id));
  Resolve(engine);
  return {};
}

bool DisableFault(std::string_view id) {
  Engine& engine = TheEngine();
  const std::lock_guard lock(engine.mutex);
  const bool found = engine.faults.Disable(id);
  Resolve(engine);
  return found;
}

void SetWritesFiles(bool on) { TheEngine().writes_files = on; }
bool WritesFiles() { return TheEngine().writes_files; }

void ResetSettings() {
  Engine& engine = TheEngine();
  {
    const std::lock_guard lock(engine.mutex);
    engine.target = &DefaultTarget();
    engine.quirks = QuirkSwitches();
    engine.faults.Clear();
    engine.queue_held = false;
    engine.writes_files = true;
    for (size_t i = 0; i < kReadings.size(); ++i) engine.readings[i] = kReadings[i].on;
    Resolve(engine);
  }
  engine.queue_moves.notify_all();
}

void HoldQueue(bool hold) {
  Engine& engine = TheEngine();
  {
    const std::lock_guard lock(engine.mutex);
    engine.queue_held = hold;
  }
  engine.queue_moves.notify_all();
}

void WaitWhileQueueHeld() {
  Engine& engine = TheEngine();
  std::unique_lock lock(engine.mutex);
  engine.queue_moves.wait(lock, [&] { return !engine.queue_held; });
}

void CrashIfForked() {
  if (forked) CrashOnPurpose();
}

}  // namespace anecheck::device::e5rt
