// A parser that a persistent driver (drivers/) runs: one process reads many files.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"
#include "harness/parserfuzz/command.h"

namespace anecheck::parserfuzz {

// One thread at a time uses it.
class PersistentParser {
 public:
  // Starts `command`, and keeps the shared memory for files of up to `max_file` bytes and the
  // parser's output in `folder`. Errors: kNotFound if the command cannot be started, kInvalid if it
  // does not answer as a driver.
  static Result<PersistentParser> Start(const std::vector<std::string>& command,
                                        const std::string& folder, size_t max_file);
  PersistentParser(PersistentParser&&) noexcept;
  PersistentParser& operator=(PersistentParser&&) noexcept;
  ~PersistentParser();  // ends the process

  // The outcome of one file. A driver that died is restarted. `out` stays empty.
  Result<CommandOutcome> Run(ByteSpan file, const CommandLimits& limits,
                             const std::atomic<bool>* stop);

  // How often the last file reached each place; empty if the parser reports no coverage, and after
  // a crash.
  std::span<const uint8_t> Counters() const;

 private:
  class Process;
  explicit PersistentParser(std::unique_ptr<Process> process);
  std::unique_ptr<Process> process_;
};

}  // namespace anecheck::parserfuzz
