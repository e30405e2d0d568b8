// Sockets between the tool and the processes it starts. They hide three differences between
// systems: how to keep other processes from inheriting an end, how to write to an end that is gone,
// and how to notice that it is gone.
#pragma once

#include <string_view>
#include <sys/types.h>

namespace anecheck {

// Two connected stream sockets; both -1, with the reason in errno, if the system has none left.
struct SocketPair {
  int ours = -1;
  int theirs = -1;
};

// No other process inherits an end: another thread may start a process at any moment, and an
// inherited end would stay open when its owner dies. SpawnFlags() prevents the inheritance on
// systems that cannot make such sockets in one step. Writing to an end raises no signal if the
// other end is gone.
SocketPair MakeSocketPair();

// Like send(2), but repeated after a signal. Returns the number of bytes sent, or -1, with EPIPE in
// errno if the other end is gone. If `wait` is false, it does not wait for room in the socket.
ssize_t SendBytes(int socket, std::string_view bytes, bool wait);

// Waits until the other end of a socket, or the reader of a pipe, is gone (true), or until this
// process closed `descriptor` (false). It reads nothing, and unread bytes do not end the wait. A
// second thread calls this beside the thread that communicates.
bool WaitForHangUp(int descriptor);

}  // namespace anecheck
