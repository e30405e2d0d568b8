#include "harness/runners/local_socket.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <sys/event.h>
#include <sys/time.h>
#else
#include <poll.h>
#endif

namespace anecheck {
namespace {

// The interval at which a wait checks that its descriptor is still open.
constexpr int kLookMs = 250;

#if defined(__linux__)
constexpr int kCloseOnExec = SOCK_CLOEXEC;
#else
constexpr int kCloseOnExec = 0;
#endif

#if defined(MSG_NOSIGNAL)
constexpr int kNoSignal = MSG_NOSIGNAL;
#else
constexpr int kNoSignal = 0;
#endif

}  // namespace

SocketPair MakeSocketPair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | kCloseOnExec, 0, ends) != 0) return {};
  for (const int end : ends) {
    fcntl(end, F_SETFD, FD_CLOEXEC);
#if defined(SO_NOSIGPIPE)
    const int on = 1;
    setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  }
  return {ends[0], ends[1]};
}

ssize_t SendBytes(int socket, std::string_view bytes, bool wait) {
  ssize_t sent = 0;
  do {
    sent = send(socket, bytes.data(), bytes.size(), kNoSignal | (wait ? 0 : MSG_DONTWAIT));
  } while (sent < 0 && errno == EINTR);
  return sent;
}

#if defined(__APPLE__)

// The poll(2) of macOS reports a hang-up only if the caller also waits for bytes to read or space
// to write, and would then return for these. So this version uses kqueue.
bool WaitForHangUp(int descriptor) {
  const int queue = kqueue();
  if (queue < 0) return false;
  for (const int16_t filter : {int16_t{EVFILT_READ}, int16_t{EVFILT_WRITE}}) {
    struct kevent watch{};
    // A descriptor for one direction refuses the filter of the other direction.
    EV_SET(&watch, static_cast<uintptr_t>(descriptor), filter, EV_ADD | EV_CLEAR, 0, 0, nullptr);
    kevent(queue, &watch, 1, nullptr, 0, nullptr);
  }
  bool gone = false;
  // Closing a descriptor removes its events, so the loop checks the descriptor itself.
  while (!gone && fcntl(descriptor, F_GETFD) >= 0) {
    struct kevent event{};
    const timespec look = {0, kLookMs * 1000000L};
    gone = kevent(queue, nullptr, 0, &event, 1, &look) > 0 && (event.flags & EV_EOF) != 0;
  }
  close(queue);
  return gone;
}

#else

bool WaitForHangUp(int descriptor) {
  pollfd entry = {descriptor, 0, 0};
  // The kernel keeps a socket open while poll waits for it. So each poll is short. Between two
  // polls, a socket that this process closed is released.
  while (poll(&entry, 1, kLookMs) <= 0) {
  }
  return (entry.revents & POLLNVAL) == 0;
}

#endif

}  // namespace anecheck
