// Runs one program at a time through the e5rt ABI in this process. It compiles, binds, encodes,
// executes, reads and releases in the order of specification 001, section 2. The worker process
// runs cases through it.
#pragma once

#include <atomic>
#include <utility>

#include "harness/base/file.h"
#include "harness/base/result.h"
#include "harness/runners/bundle_folder.h"
#include "harness/runners/e5rt_library.h"
#include "harness/runners/rewritten_file.h"
#include "harness/runners/wire.h"

namespace anecheck {

// The compiler's input files, in one folder.
struct E5rtInputFiles {
  explicit E5rtInputFiles(const TempDirectory& folder);

  RewrittenFile mil, mil_weights, netlist, netlist_weights;
};

// Not thread-safe. The same process compiles and executes a program, because the engine requires
// that (specification 001, section 5).
class E5rtEngine {
 public:
  // `library` must outlive the engine. `folder` receives the bundle and the compiler's input files.
  // With `keep_files`, replies contain the files that the compiler wrote; the names of these files
  // are known only for the simulated engine.
  E5rtEngine(const E5rtLibrary& library, TempDirectory folder, bool keep_files = false)
      : library_(&library),
        kind_(KindOf(library)),
        folder_(std::move(folder)),
        files_(folder_),
        bundle_(folder_.File("bundle")),
        keep_files_(keep_files) {
    if (library.simulated()) library.simulator.write_files(keep_files ? 1 : 0);
  }

  // Runs one request. The reply reports every refusal and failure with the engine's own message.
  // The function stores each step in `step` when it begins, so that another process can tell at
  // which step this process died or hung.
  WireReply Run(const WireRequest& request, std::atomic<Step>& step);

  // The number of programs that were loaded and could not be released. A worker with 120 of them is
  // replaced, because the 129th load in a process fails (specification 001, section 5.4).
  int leaked_programs() const { return leaked_; }

 private:
  const E5rtLibrary* library_;
  EngineKind kind_;
  TempDirectory folder_;
  E5rtInputFiles files_;
  BundleFolder bundle_;
  bool keep_files_;
  int leaked_ = 0;
  int loaded_ = 0;  // programs loaded so far, including released ones
};

}  // namespace anecheck
