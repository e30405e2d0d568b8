#include "harness/base/log.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <sys/ioctl.h>
#include <unistd.h>

namespace anecheck {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";
constexpr size_t kDefaultColumns = 80;

std::atomic<LogLevel> g_level = LogLevel::kInfo;
std::mutex g_mutex;             // guards the terminal's current line
bool g_progress_shown = false;  // a progress line stands on it

// A failed write to standard error has nowhere to be reported.
void WriteToStandardError(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

std::string_view LevelPrefix(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return "error: ";
    case LogLevel::kWarning:
      return "warning: ";
    case LogLevel::kInfo:
      return "";
    case LogLevel::kDebug:
      return "debug: ";
  }
  return "";
}

std::string OneLine(std::string_view text) {
  std::string line(text);
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

size_t TerminalColumns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kDefaultColumns;
  return size.ws_col;
}

}  // namespace

void SetLogLevel(LogLevel level) { g_level = level; }

LogLevel GetLogLevel() { return g_level; }

void Log(LogLevel level, std::string_view message) {
  if (level > GetLogLevel()) return;
  std::string line = "anecheck: ";
  line += LevelPrefix(level);
  line += OneLine(message);
  line += '\n';
  const std::lock_guard lock(g_mutex);
  if (g_progress_shown) line.insert(0, kEraseLine);
  g_progress_shown = false;
  WriteToStandardError(line);
}

ProgressLine::ProgressLine(std::chrono::milliseconds interval)
    : visible_(isatty(STDERR_FILENO) == 1), interval_(interval) {}

ProgressLine::~ProgressLine() {
  const std::lock_guard lock(g_mutex);
  if (g_progress_shown) WriteToStandardError(kEraseLine);
  g_progress_shown = false;
}

void ProgressLine::Update(std::string_view text) {
  if (!visible_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + interval_;
  std::string line(kEraseLine);
  // The last column stays free: writing it makes some terminals move to the next line.
  line += OneLine(text.substr(0, TerminalColumns() - 1));
  const std::lock_guard lock(g_mutex);
  g_progress_shown = true;
  WriteToStandardError(line);
}

}  // namespace anecheck
