// Messages and progress go to standard error only, in whole lines. In a pipe, progress is plain
// lines at long intervals. On a terminal, here a pseudo-terminal, progress is rewritten in place.
#include "harness/base/log.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <util.h>
#else
#include <pty.h>
#endif

namespace anecheck {
namespace {

using std::chrono::milliseconds;
using ::testing::internal::CaptureStderr;
using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStderr;
using ::testing::internal::GetCapturedStdout;

// Makes standard error a pseudo-terminal of 20 columns during its lifetime.
class TerminalAsStderr {
 public:
  TerminalAsStderr() {
    winsize size{};
    size.ws_col = 20;
    size.ws_row = 4;
    if (openpty(&master_, &slave_, nullptr, nullptr, &size) != 0) return;
    saved_ = dup(STDERR_FILENO);
    dup2(slave_, STDERR_FILENO);
  }
  ~TerminalAsStderr() {
    Restore();
    if (slave_ >= 0) close(slave_);
    if (master_ >= 0) close(master_);
  }
  bool ok() const { return saved_ >= 0; }

  // Restores the old standard error and returns the text that was written.
  std::string Finish() {
    Restore();
    close(slave_);  // closes the last writer, so reading ends after the written text
    slave_ = -1;
    std::string text;
    std::array<char, 4096> buffer{};
    while (true) {
      const ssize_t count = read(master_, buffer.data(), buffer.size());
      if (count <= 0) break;
      text.append(buffer.data(), static_cast<size_t>(count));
    }
    return text;
  }

 private:
  void Restore() {
    if (saved_ < 0) return;
    dup2(saved_, STDERR_FILENO);
    close(saved_);
    saved_ = -1;
  }
  int master_ = -1;
  int slave_ = -1;
  int saved_ = -1;
};

TEST(Log, WritesWholeLinesToStandardErrorOnly) {
  CaptureStdout();
  CaptureStderr();
  LogError("bad");
  LogWarning("odd");
  LogInfo("two\nlines\r");
  const std::string text = GetCapturedStderr();
  EXPECT_EQ(GetCapturedStdout(), "");
  EXPECT_EQ(text, "anecheck: error: bad\nanecheck: warning: odd\nanecheck: two lines \n");
}

TEST(Log, ProgressIsPlainLinesWithoutATerminal) {
  CaptureStderr();
  {
    ProgressLine progress(milliseconds(0), milliseconds(0));
    progress.Update("1 of 2\n  h13 1");
    progress.Update("2 of 2");
  }
  EXPECT_EQ(GetCapturedStderr(), "anecheck: 1 of 2\nanecheck:   h13 1\nanecheck: 2 of 2\n");
}

TEST(Log, ShortWorkIsSilentWithoutATerminal) {
  CaptureStderr();
  {
    ProgressLine progress(milliseconds(0), std::chrono::hours(1));
    EXPECT_FALSE(progress.due());
    progress.Update("1 of 2");
  }
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST(Log, ProgressRewritesOneLineAndErasesItAtTheEnd) {
  TerminalAsStderr terminal;
  ASSERT_TRUE(terminal.ok());
  {
    ProgressLine progress(milliseconds(0));
    EXPECT_TRUE(progress.due());
    progress.Update("1 of 2");
    progress.Update("a line of more than twenty columns");
  }
  EXPECT_EQ(terminal.Finish(), "\r\x1b[K1 of 2\r\x1b[Ka line of more than\r\x1b[K");
}

TEST(Log, EveryLineOfProgressIsErased) {
  TerminalAsStderr terminal;
  ASSERT_TRUE(terminal.ok());
  {
    ProgressLine progress(milliseconds(0));
    progress.Update("1\n2\n3\nmore than four rows");
    progress.Update("only one");
    progress.Update("a\nb");
    LogInfo("found");
  }
  EXPECT_EQ(terminal.Finish(),
            "\r\x1b[K1\r\n2\r\n3"
            "\r\x1b[K\x1b[A\x1b[K\x1b[A\x1b[Konly one"
            "\r\x1b[Ka\r\nb"
            "\r\x1b[K\x1b[A\x1b[Kanecheck: found\r\n");
}

TEST(Log, ProgressDrawsNoMoreThanOncePerInterval) {
  TerminalAsStderr terminal;
  ASSERT_TRUE(terminal.ok());
  {
    ProgressLine progress(std::chrono::hours(1));
    progress.Update("first");
    progress.Update("second");
  }
  EXPECT_EQ(terminal.Finish(), "\r\x1b[Kfirst\r\x1b[K");
}

TEST(Log, MessagesEraseTheProgressLineFirst) {
  TerminalAsStderr terminal;
  ASSERT_TRUE(terminal.ok());
  {
    ProgressLine progress(milliseconds(0));
    progress.Update("1 of 2");
    LogInfo("found");
    LogInfo("again");
  }
  // The terminal turns a line feed into carriage return and line feed.
  EXPECT_EQ(terminal.Finish(), "\r\x1b[K1 of 2\r\x1b[Kanecheck: found\r\nanecheck: again\r\n");
}

}  // namespace
}  // namespace anecheck
