#include "harness/base/log.h"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

namespace anecheck {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";
constexpr std::string_view kEraseLineAbove = "\x1b[A\x1b[K";
constexpr winsize kDefaultSize = {.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};

std::mutex g_mutex;           // guards the terminal's current line
size_t g_progress_lines = 0;  // lines of progress on the terminal; the last is the current one

// Ignores a failed write, because there is no other place to report it.
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
  }
  return "";
}

std::string WithoutBreaks(std::string_view text) {
  std::string line(text);
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

winsize TerminalSize() {
  winsize size{};
  const bool known =
      ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
  return known ? size : kDefaultSize;
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t end = 0; end != std::string_view::npos; text.remove_prefix(end + 1)) {
    end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
  }
  return lines;
}

// Returns the escape sequences that clear the lines of progress. Precondition: the mutex is held.
std::string Erasure() {
  if (g_progress_lines == 0) return {};
  std::string text(kEraseLine);
  for (; g_progress_lines > 1; --g_progress_lines) text += kEraseLineAbove;
  g_progress_lines = 0;
  return text;
}

}  // namespace

void Log(LogLevel level, std::string_view message) {
  std::string line = "anecheck: ";
  line += LevelPrefix(level);
  line += WithoutBreaks(message);
  line += '\n';
  const std::lock_guard lock(g_mutex);
  WriteToStandardError(Erasure() + line);
}

ProgressLine::ProgressLine(std::chrono::milliseconds interval,
                           std::chrono::milliseconds plain_interval)
    : terminal_(isatty(STDERR_FILENO) == 1), interval_(terminal_ ? interval : plain_interval) {
  if (!terminal_) next_ = std::chrono::steady_clock::now() + interval_;
}

ProgressLine::~ProgressLine() {
  const std::lock_guard lock(g_mutex);
  WriteToStandardError(Erasure());
}

bool ProgressLine::due() const { return std::chrono::steady_clock::now() >= next_; }

void ProgressLine::Update(std::string_view text) {
  if (!due()) return;
  next_ = std::chrono::steady_clock::now() + interval_;
  std::vector<std::string_view> lines = Lines(text);
  if (!terminal_) {
    for (const std::string_view line : lines) LogInfo(line);
    return;
  }
  // The last column and row stay free, because some terminals scroll after a character there.
  const winsize size = TerminalSize();
  lines.resize(std::min<size_t>(lines.size(), std::max(1, size.ws_row - 1)));
  const std::lock_guard lock(g_mutex);
  std::string drawing = Erasure();
  if (drawing.empty()) drawing = kEraseLine;
  for (const std::string_view line : lines) {
    if (g_progress_lines++ > 0) drawing += '\n';
    drawing += WithoutBreaks(line.substr(0, size.ws_col - 1u));
  }
  WriteToStandardError(drawing);
}

}  // namespace anecheck
