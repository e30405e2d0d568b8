// Writes messages and progress for people, to standard error only, because standard output is for
// results.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace anecheck {

enum class LogLevel : uint8_t { kError, kWarning, kInfo };

// Writes one line, `anecheck: error: message`, in a single write, so that lines of several threads
// and worker processes do not mix. It first clears a progress line on a terminal. kInfo prints no
// level. Line breaks in `message` become spaces. Thread-safe.
void Log(LogLevel level, std::string_view message);
inline void LogError(std::string_view message) { Log(LogLevel::kError, message); }
inline void LogWarning(std::string_view message) { Log(LogLevel::kWarning, message); }
inline void LogInfo(std::string_view message) { Log(LogLevel::kInfo, message); }

// Shows progress on standard error. On a terminal, it rewrites one or more lines in place, and the
// destructor clears them. On a pipe or in a file, it writes each line as a separate message, much
// less often, and nothing before the first interval is over. Only one object may exist at a time.
// Not thread-safe, but other threads may call Log().
class ProgressLine {
 public:
  // Draws at most once per `interval`, or per `plain_interval` without a terminal.
  explicit ProgressLine(
      std::chrono::milliseconds interval = std::chrono::milliseconds(100),
      std::chrono::milliseconds plain_interval = std::chrono::milliseconds(10000));
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows `text`, with its lines cut to the size of the terminal. Does nothing if the interval
  // since the last drawing is not over.
  void Update(std::string_view text);
  // Returns whether Update would show a text. If not, callers need not compose it.
  bool due() const;

 private:
  const bool terminal_;
  const std::chrono::milliseconds interval_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace anecheck
