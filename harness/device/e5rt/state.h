// The state that the whole simulated engine of a process shares: settings, counters, the last error
// of each thread, and whether the process was forked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/device/op_builder.h"
#include "harness/device/simulator_control.h"

namespace anecheck::device::e5rt {

// Return values of the ABI. The real codes are not published. Callers only distinguish 0 from all
// other codes.
enum Code : int64_t {
  kOk = 0,
  kInvalidArgument = 1,
  kInvalidHandle = 2,
  kInvalidState = 3,
  kNotFound = 4,
  kCompileFailed = 5,
  kLoadFailed = 6,
  kExecutionFailed = 7,
  kNotWritten = ANECHECK_SIM_NO_BUNDLE,  // compiled, but the bundle could not be written
  kNoKernel = ANECHECK_SIM_NO_KERNEL,    // this engine has no kernel for an operation
  kNoResources = 0xe00002be,             // kIOReturnNoResources: "queue or slot exhausted"
  kNotPermitted = 0xe00002e2,            // a container that the daemon has not signed
};

// Sets the thread's last error message and returns the code.
int64_t Fail(Code code, std::string_view message);
const char* LastErrorMessage();
void ClearLastError();

// The maximum numbers of loaded programs and of requests in flight in the whole process. Source:
// facts/e5rt_abi.md, "Limits".
inline constexpr uint64_t kMaxLoadedPrograms = 128;
inline constexpr uint64_t kMaxInFlight = 127;

struct Counts {
  uint64_t loaded_programs = 0;
  uint64_t in_flight = 0;
  uint64_t compiles = 0;
  uint64_t executions = 0;
  uint64_t dispatches = 0;
};
Counts GetCounts();

// Takes a program slot. Returns false if no slot is left. FreeProgramSlot returns the slot.
bool TakeProgramSlot();
void FreeProgramSlot();
// Takes a slot for a request in flight. If no slot is left, the call returns false while
// Reading::kFullQueueRefuses is on, and waits for a free slot while it is off.
bool TakeRequest();
void FreeRequest();
void CountCompile();
void CountExecution(uint64_t dispatches);

// Copies the settings for one compilation: target, switches, faults and the resolved model.
// `architecture` overrides the target. If the architecture is unknown, the target is the default
// target (P13), or null if P13 is off.
CompileSettings SnapshotSettings(std::string_view architecture);

// Returns the enabled fault with that effect, or null. The pointer stays valid, because faults with
// e5rt effects are static.
const Fault* PlantedRuntimeFault(FaultEffect effect);

// Returns whether a quirk that does not depend on the family is on for the default target.
bool RuntimeQuirkOn(std::string_view id);

// Switches for points on which sources differ (anecheck_sim_set_reading).
enum class Reading : uint8_t { kBlockAtCompletion, kFullQueueRefuses, kNewestCompiler };
bool Reads(Reading reading);

// The functions of the control interface. See simulator_control.h.
bool SetReading(std::string_view id, bool on);
bool SetDefaultTarget(std::string_view name);
std::string_view DefaultTargetName();
bool SetQuirk(std::string_view id, int state);
Status EnableFault(std::string_view id);
bool DisableFault(std::string_view id);
// Sets whether compilations write the program's descriptor and container into the bundle.
void SetWritesFiles(bool on);
bool WritesFiles();
void ResetSettings();
void HoldQueue(bool hold);
void WaitWhileQueueHeld();

// Ends a forked child by SIGSEGV, because the runtime does not survive fork (specification 001,
// facts/e5rt_abi.md, "compile and dispatch"). posix_spawn works. Functions that compile, load or
// dispatch must call CrashIfForked first.
void CrashIfForked();

}  // namespace anecheck::device::e5rt
