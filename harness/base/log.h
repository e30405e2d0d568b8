// Messages and progress for people, on standard error only: standard output belongs to results.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace anecheck {

enum class LogLevel : uint8_t { kError, kWarning, kInfo, kDebug };

// Messages above this level are dropped. kInfo at the start. Thread-safe.
void SetLogLevel(LogLevel level);
LogLevel GetLogLevel();

// Writes one line, `anecheck: error: message`, in a single write, so that lines of several threads
// and worker processes do not mix; a progress line on a terminal is taken away first. kInfo has no
// level word. Line breaks in `message` become spaces. Thread-safe.
void Log(LogLevel level, std::string_view message);
inline void LogError(std::string_view message) { Log(LogLevel::kError, message); }
inline void LogWarning(std::string_view message) { Log(LogLevel::kWarning, message); }
inline void LogInfo(std::string_view message) { Log(LogLevel::kInfo, message); }
inline void LogDebug(std::string_view message) { Log(LogLevel::kDebug, message); }

// One line that is rewritten in place on a terminal and writes nothing at all elsewhere (a pipe, a
// file). It is cleared when the object goes. Use one at a time; not thread-safe, except that Log()
// may be called from other threads meanwhile.
class ProgressLine {
 public:
  // Draws at most once per `interval`.
  explicit ProgressLine(std::chrono::milliseconds interval = std::chrono::milliseconds(100));
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows `text`, cut to the terminal's width, unless the last drawing is too recent.
  void Update(std::string_view text);
  // Whether standard error is a terminal: callers may skip composing a text where it is not.
  bool visible() const { return visible_; }

 private:
  const bool visible_;
  const std::chrono::milliseconds interval_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace anecheck
