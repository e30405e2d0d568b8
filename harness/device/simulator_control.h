// The control interface of the simulated engine. The interface is a C ABI that a runner finds with
// dlsym in libanecheck_espresso.so. The library also has the e5rt_* symbols that Espresso has. A
// library without the symbol `anecheck_simulated_engine` is not the simulated engine, and its
// results are not `simulated` evidence.
//
// All functions may be called from any thread; they share one lock. A setting applies to programs
// that are compiled after the call. A compiled program keeps its settings. Faults of kind `runtime`
// differ, because they apply to all e5rt calls made after they are enabled.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Names in the style of C libraries.
// NOLINTBEGIN(readability-identifier-naming)

// A version text such as "anecheck simulated engine 1"; dlsym of this name returns its address.
extern const char anecheck_simulated_engine[];

// The mark in every analytics file of the simulated engine. With the mark nobody mistakes its
// placement for that of silicon.
#define ANECHECK_SIM_ANALYTICS_NAME "anecheck simulated engine"

// The version of this header. A runner refuses a library with another version.
#define ANECHECK_SIM_ABI_VERSION 3
uint32_t anecheck_sim_abi_version(void);

// The results of the calls below.
enum {
  ANECHECK_SIM_OK = 0,
  ANECHECK_SIM_UNKNOWN = 1,  // no target, quirk or fault of that name
  ANECHECK_SIM_INVALID = 2,  // a NULL or malformed argument
};

// The result of e5rt_e5_compiler_compile if the compiler compiled the program but could not write
// its files, for example on a full disk. The value is that of kIOReturnIOError. All other codes of
// that call are answers of the compiler.
#define ANECHECK_SIM_NO_BUNDLE 0xe00002ca
// The simulated engine has no kernel for some operation of the program. This says nothing about a
// real engine. The value is that of kIOReturnUnsupported.
#define ANECHECK_SIM_NO_KERNEL 0xe00002c7

// Sets the chip that programs are compiled for if the compiler options name none. `name` is one of
// the compiler targets in either case ("h13", "H17s"). Default: h13. The options string
// "TargetArchitecture=h13" of e5rt_e5_compiler_options_set_custom_ane_compiler_options takes
// precedence for the programs compiled with it.
int anecheck_sim_set_target(const char* name);

// Returns the current default target, in lower case. Static storage.
const char* anecheck_sim_target(void);

// Switches a known defect of real silicon, by its id ("D01"). A `state` of 1 switches it on for
// every family, 0 switches it off for every family, and -1, the default, switches it on for the
// families that have it. The id "all" stands for all known defects.
int anecheck_sim_set_quirk(const char* id, int state);

// Enables a planted defect. `id` is the id of a defect ("conv-bias-dropped") or has the parametric
// form "ulp-error:OP:ULPS:PERMILLE". That form moves PERMILLE of the elements that operation OP (or
// "*") writes by ULPS units in the last place. Several defects may be enabled together. No defect
// is enabled by default.
int anecheck_sim_enable_fault(const char* id);
int anecheck_sim_disable_fault(const char* id);

// Returns all planted defects: an array of {id, description, op, class, kind, ulps, share}. `ulps`
// is the size of the error in units in the last place of fp16 (0 if it is not numeric). `share` is
// the fraction of the elements that the defect changes. Static storage, valid until the library is
// unloaded.
const char* anecheck_sim_faults_json(void);

// Returns all quirks: an array of {id, area, trigger, symptom, kind, families, default_families,
// implemented}. Static storage.
const char* anecheck_sim_quirks_json(void);

// With `on` = 1, the default, compilations also write program.e5 and, for targets with version-7
// tasks, model.hwx. With `on` = 0 they write only the analytics, which is faster.
int anecheck_sim_write_files(int on);

// Selects one of two interpretations of a call, or of a compiler's limits, on which sources differ.
// Such a switch is called a reading. `on` is 1 or 0. Every reading is 0 by default.
//
// "block-at-completion". On: the block of e5rt_execution_stream_submit_async is called once all
// operations are done, and its result is ignored, as specification 001, section 2.4, says
// ("completion"). Off: the block is called before the operations run, and its result is that of the
// submission. With a result other than 0 the operations do not run, and their events fail. The code
// in the specification supports this second interpretation, because it waits for an event to detect
// completion.
//
// "full-queue-refuses". On: a request beyond the 127 in flight is refused with 0xe00002be, "queue
// or slot exhausted" (facts/more/error_codes.csv). Off: the call waits until a request ends, like
// callers of the semaphore in specification 001, section 5.4.
//
// "newest-compiler". On: compilations refuse the graphs that compiler 10.26.6 and the compiler of
// macOS 26.6 refused in measurements but earlier compilers take. These are tensors of 32-bit
// integers on A16 and A18, and constant divisors of several elements on A13 and A14
// (facts/silicon/compile_limits_silicon.csv, op_placement_h16g.csv). Off: these graphs are
// computed, as in facts/op_device_matrix.csv.
int anecheck_sim_set_reading(const char* id, int on);

// Resets the settings: default target, all quirks at -1, no faults, all readings at 0, requests not
// held, files written. Live objects stay.
void anecheck_sim_reset(void);

// With `hold` = 1, requests of e5rt_execution_stream_submit_async stay in flight and do not start.
// With `hold` = 0 they run. For tests of the limit of requests in flight.
int anecheck_sim_hold_queue(int hold);

// Counters for tests of leaks and limits, and for reports.
struct anecheck_sim_counts {
  uint64_t live_handles;     // objects created or retained and not released
  uint64_t loaded_programs;  // programs that are loaded; at most 128
  uint64_t in_flight;        // requests that are in flight; at most 127
  uint64_t compiles;         // programs compiled since the library was loaded
  uint64_t executions;       // operations executed since the library was loaded
  uint64_t dispatches;       // engine dispatches of these executions (a bridge cut adds one)
};
int anecheck_sim_get_counts(struct anecheck_sim_counts* out);

// NOLINTEND(readability-identifier-naming)

#ifdef __cplusplus
}
#endif
