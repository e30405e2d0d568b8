// A program that communicates line by line over its standard input and output. The exec runner has
// one for each campaign thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "harness/base/result.h"

namespace anecheck {

// Splits a command as a shell would, with quotes and backslashes but without expansions: `python3
// 'my runner.py' --fast` is three words. Errors: kInvalid for an open quote or no word.
Result<std::vector<std::string>> SplitCommand(std::string_view command);

// Not thread-safe. The destructor kills the program and all processes that it started.
class Subprocess {
 public:
  using Clock = std::chrono::steady_clock;

  enum class ReadState : uint8_t {
    kLine,      // a whole line is there
    kTimeout,   // none came in time
    kClosed,    // the program closed its output; a part of a line may be there
    kTooLong,   // more than `longest_line` bytes without an end
    kTooLarge,  // the program grew beyond its memory limit
  };

  // Starts a program in a new process group: `program`, looked up in PATH, or arguments[0] if
  // `program` is empty. Errors: kNotFound with the system's message if it cannot be started.
  static Result<Subprocess> Start(std::span<const std::string> arguments,
                                  const std::string& program = {});

  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&& other) noexcept;
  ~Subprocess();

  // Writes `line` and a line feed. False if the program is gone or does not read.
  bool WriteLine(std::string_view line);

  // Reads the next line, without its line feed, into `line`. With a deadline in the past it only
  // returns a line that has already arrived. `memory_limit` is in bytes, 0 for none.
  ReadState ReadLine(Clock::time_point deadline, size_t longest_line, uint64_t memory_limit,
                     std::string& line);

  // Ends the program unless it ends within `grace`. Describes how it ended, with the last line of
  // its standard error.
  std::string Stop(std::chrono::milliseconds grace = std::chrono::milliseconds(0));

 private:
  Subprocess() = default;
  void Close();
  bool Fill(int descriptor, std::string& text, size_t keep_last);
  std::string LastWords() const;

  pid_t pid_ = 0;
  int input_ = -1;   // we write
  int output_ = -1;  // we read
  int errors_ = -1;
  std::string pending_;
  std::string error_text_;  // the last few kilobytes
};

}  // namespace anecheck
