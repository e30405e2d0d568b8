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

// Splits a command like a shell, with quotes and backslashes but without expansions: `python3 'my
// runner.py' --fast` has three words. Errors: kInvalid for an open quote or no word.
Result<std::vector<std::string>> SplitCommand(std::string_view command);

// Not thread-safe. The destructor kills the program and all processes that it started.
class Subprocess {
 public:
  using Clock = std::chrono::steady_clock;

  enum class ReadState : uint8_t {
    kLine,      // a whole line was read
    kTimeout,   // no whole line came before the deadline
    kClosed,    // the program closed its output; `line` has the incomplete last line, if any
    kTooLong,   // a line has more than `longest_line` bytes
    kTooLarge,  // the program exceeds its memory limit
  };

  // Starts `program` from PATH, or arguments[0] if `program` is empty, in a new process group.
  // Errors: kNotFound with the system's message.
  static Result<Subprocess> Start(std::span<const std::string> arguments,
                                  const std::string& program = {});

  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&& other) noexcept;
  ~Subprocess();

  // Writes `line` and a line feed. Returns false if the program has ended or does not read.
  bool WriteLine(std::string_view line);

  // Reads the next line, without its line feed, into `line`. With a deadline in the past it only
  // returns a line that has already arrived. `memory_limit` is in bytes, 0 for none.
  ReadState ReadLine(Clock::time_point deadline, size_t longest_line, uint64_t memory_limit,
                     std::string& line);

  // Waits for the end of the program for at most `grace`, then kills it. Returns a description of
  // how it ended, with the last line of its standard error.
  std::string Stop(std::chrono::milliseconds grace = std::chrono::milliseconds(0));

 private:
  Subprocess() = default;
  void Close();
  bool Fill(int descriptor, std::string& text, size_t keep_last);
  std::string LastWords() const;

  pid_t pid_ = 0;
  int input_ = -1;   // this process writes to it
  int output_ = -1;  // this process reads from it
  int errors_ = -1;
  std::string pending_;
  std::string error_text_;  // the last few kilobytes of standard error
};

}  // namespace anecheck
