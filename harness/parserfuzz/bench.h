// Runs the parser under test on one file at a time. The parser is a command that gets the file's
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

// The outcome of one file.
struct Trial {
  Failure failure;
  bool accepted = false;
  bool accepted_by_second = false;
  bool of_second = false;  // the failure is the second command's
  bool stopped = true;     // no command ran to its end
  Start start = Start::kNotRun, start_of_second = Start::kNotRun;
  std::string said = {};  // the standard error of the command that failed; its standard output
                          // if the commands disagree and standard error is empty
  std::vector<Feature> features = {};
};

// Returns whether the command is a persistent driver. The command of a driver contains no
// placeholder for the file (`@@`).
bool IsDriver(const std::vector<std::string>& command);

// Used by one thread at a time.
class Bench {
 public:
  // `stop` and `symboliser` must outlive the bench.
  static Result<Bench> Create(const ParserFuzzOptions& options, const std::atomic<bool>* stop,
                              Symboliser* symboliser);

  Result<Trial> Try(const Bytes& file);

  // Runs the command on the file. Errors: kNotFound if the command's exit code means that a program
  // could not be started.
  Status TryToStart(const std::vector<std::string>& command, const Bytes& file);

  // Returns whether the file fails in this way again. A busy machine, chance or remains of other
  // runs may make a file fail once. True if the run is stopped before the answer is known.
  bool FailsAgain(const Failure& failure, const Bytes& file, const std::function<void()>& ran);

  // Returns a smaller file that fails in the same way. The search ends after `runs` runs, or when
  // `is_over` returns true. `ran` is called after each run.
  Bytes MakeSmall(const Failure& failure, const Bytes& file, int runs,
                  const std::function<bool()>& is_over, const std::function<void()>& ran);

  // Sets the stacks of known hangs. When a file has run for a tenth of the time limit, the stack is
  // printed. The file gets the whole limit only if the stack is not known.
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
