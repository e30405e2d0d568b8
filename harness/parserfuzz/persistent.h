// Runs a parser in a persistent driver (drivers/), where one process reads many files.
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

// Not thread-safe.
class PersistentParser {
 public:
  // Starts `command`. `folder` gets the shared memory, for files of up to `max_file` bytes, and the
  // parser's output. The error is kNotFound if the command cannot be started, and kInvalid if the
  // command does not answer as a driver.
  static Result<PersistentParser> Start(const std::vector<std::string>& command,
                                        const std::string& folder, size_t max_file);
  PersistentParser(PersistentParser&&) noexcept;
  PersistentParser& operator=(PersistentParser&&) noexcept;
  ~PersistentParser();  // ends the process

  // Runs the parser on one file. Restarts a driver that died. `out` of the outcome is empty.
  Result<CommandOutcome> Run(ByteSpan file, const CommandLimits& limits,
                             const std::atomic<bool>* stop);

  // Returns how often the parser reached each place on the last file. Empty if the parser reports
  // no coverage, and after a crash.
  std::span<const uint8_t> Counters() const;

 private:
  class Process;
  explicit PersistentParser(std::unique_ptr<Process> process);
  std::unique_ptr<Process> process_;
};

}  // namespace anecheck::parserfuzz
