// Tests sockets between processes. A writer and a waiter notice immediately that the other end is
// closed, and do not report it before.
#include "harness/runners/local_socket.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <future>
#include <gtest/gtest.h>
#include <unistd.h>

namespace anecheck {
namespace {

constexpr std::chrono::milliseconds kNotSoon(600);
constexpr std::chrono::seconds kSoon(10);

std::future<bool> Watch(int descriptor) {
  return std::async(std::launch::async, [descriptor] { return WaitForHangUp(descriptor); });
}

bool GoesOn(const std::future<bool>& watch) {
  // Waits by the clock: a faulty watch would end at its next check, and it checks four times a
  // second.
  return watch.wait_for(kNotSoon) == std::future_status::timeout;
}

TEST(SocketPair, CarriesBytesBothWaysAndIsNotInherited) {
  const SocketPair pair = MakeSocketPair();
  ASSERT_GE(pair.ours, 0);
  ASSERT_GE(pair.theirs, 0);
  char got = 0;
  EXPECT_EQ(SendBytes(pair.ours, "a", true), 1);
  EXPECT_EQ(read(pair.theirs, &got, 1), 1);
  EXPECT_EQ(got, 'a');
  EXPECT_EQ(SendBytes(pair.theirs, "b", false), 1);
  EXPECT_EQ(read(pair.ours, &got, 1), 1);
  EXPECT_EQ(got, 'b');
  for (const int end : {pair.ours, pair.theirs}) {
    EXPECT_NE(fcntl(end, F_GETFD) & FD_CLOEXEC, 0);
    close(end);
  }
}

TEST(SocketPair, WritingToAnEndThatIsGoneIsAnErrorAndNoSignal) {
  const SocketPair pair = MakeSocketPair();
  close(pair.theirs);
  errno = 0;
  EXPECT_EQ(SendBytes(pair.ours, "a", true), -1);
  EXPECT_EQ(errno, EPIPE);
  close(pair.ours);
}

TEST(SocketPair, AFullSocketIsWaitedForOnlyOnRequest) {
  const SocketPair pair = MakeSocketPair();
  const std::array<char, 65536> chunk{};
  ssize_t sent = 0;
  for (int i = 0; i < 4096 && sent >= 0; ++i) {
    sent = SendBytes(pair.ours, {chunk.data(), chunk.size()}, false);
  }
  EXPECT_EQ(sent, -1);
  EXPECT_TRUE(errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) << errno;
  close(pair.ours);
  close(pair.theirs);
}

TEST(HangUp, IsNoticedDespiteUnreadBytes) {
  const SocketPair pair = MakeSocketPair();
  ASSERT_EQ(SendBytes(pair.theirs, "unread", true), 6);
  std::future<bool> gone = Watch(pair.ours);
  EXPECT_TRUE(GoesOn(gone)) << "unread bytes are no hang-up";
  close(pair.theirs);
  ASSERT_EQ(gone.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(gone.get());
  close(pair.ours);
}

TEST(HangUp, OfAPipesReaderIsNoticedByItsWriter) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  std::future<bool> gone = Watch(pipes[1]);
  EXPECT_TRUE(GoesOn(gone)) << "an empty pipe is no hang-up";
  close(pipes[0]);
  ASSERT_EQ(gone.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(gone.get());
  close(pipes[1]);
}

TEST(HangUp, AnEndThatIsClosedHereIsNoHangUp) {
  const SocketPair pair = MakeSocketPair();
  std::future<bool> gone = Watch(pair.ours);
  EXPECT_TRUE(GoesOn(gone));
  close(pair.ours);
  ASSERT_EQ(gone.wait_for(kSoon), std::future_status::ready);
  EXPECT_FALSE(gone.get());
  close(pair.theirs);
}

}  // namespace
}  // namespace anecheck
