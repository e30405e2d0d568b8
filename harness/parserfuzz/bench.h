// Runs the parser under test on one file at a time. The parser is a command that takes the file's
// path, or a persistent driver.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/result.h"
#include "harness/formats/format.h"
#include "harness/parserfuzz/failure.h"
#include "harness/parserfuzz/parser_fuzz.h"
#include "harness/parserfuzz/persistent.h"
#include "harness/parserfuzz/schedule.h"
#include "harness/parserfuzz/symbolise.h"

namespace anecheck::parserfuzz {

inline constexpr const char* kOfTheSecond = " (of the second command)";

enum class Start : uint8_t { kNotRun, kUnstarted, kStarted };

// The outcome of the runs on one file.
struct Trial {
  Failure failure;
  bool accepted = false;
  bool accepted_by_second = false;
  bool of_second = false;  // the second command failed
  bool stopped = true;     // some command did not run to its end
  Start start = Start::kNotRun, start_of_second = Start::kNotRun;
  // the standard error of the command that failed or refused the file; after runs of two commands,
  // its standard output if standard error is empty
  std::string said = {};
  std::vector<Feature> features = {};
};

// Returns whether the command is a persistent driver. The command of a driver contains no
// placeholder for the file (`@@`).
bool IsDriver(const std::vector<std::string>& command);

// Not thread-safe.
class Bench {
 public:
  // `stop` and `symboliser` must outlive the bench.
  static Result<Bench> Create(const ParserFuzzOptions& options, const std::atomic<bool>* stop,
                              Symboliser* symboliser);

  Result<Trial> Try(const Bytes& file);

  // Runs the command on the file. The error is kNotFound if the exit code means that a program
  // could not be started.
  Status TryToStart(const std::vector<std::string>& command, const Bytes& file);

  // Returns whether the file fails in this way again. A file may fail only once because of a busy
  // machine, chance or leftovers of other runs. Returns true if the run is stopped before the
  // answer is known.
  bool FailsAgain(const Failure& failure, const Bytes& file, const std::function<void()>& ran);

  // Returns a smaller file that fails in the same way. The search ends after `runs` runs, or when
  // `is_over` returns true. `ran` is called after each run.
  Bytes MakeSmall(const Failure& failure, const Bytes& file, int runs,
                  const std::function<bool()>& is_over, const std::function<void()>& ran);

  // Sets the stacks of known hangs. When a file has run for a tenth of the time limit, the bench
  // gets the stack and compares it with them. Only if the stack is not known, the file runs for the
  // whole limit.
  void KnowHangs(std::vector<std::vector<std::string>> stacks) { hangs_ = std::move(stacks); }

 private:
  Bench(const ParserFuzzOptions& options, const std::atomic<bool>* stop, Symboliser* symboliser,
        TempDirectory folder)
      : options_(&options), stop_(stop), symboliser_(symboliser), folder_(std::move(folder)) {}

  Result<CommandOutcome> Run(const std::vector<std::string>& command, const Bytes& file);
  Result<CommandOutcome> RunWith(const std::vector<std::string>& command, const Bytes& file,
                                 const CommandLimits& limits);
  std::string InputPath() const { return folder_.path() + "/input"; }

  const ParserFuzzOptions* options_;
  const std::atomic<bool>* stop_;
  Symboliser* symboliser_;
  TempDirectory folder_;
  std::optional<PersistentParser> driver_;
  std::vector<std::vector<std::string>> hangs_;
};

}  // namespace anecheck::parserfuzz
