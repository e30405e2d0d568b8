// Sockets between the tool and the processes that it starts. Systems differ in three points, which
// these functions hide: how to keep other processes from inheriting an end, how to write to a
// socket whose other end is closed, and how to notice that it is closed.
#pragma once

#include <string_view>
#include <sys/types.h>

namespace anecheck {

// Two connected stream sockets; both -1, with the reason in errno, if they cannot be made.
struct SocketPair {
  int ours = -1;
  int theirs = -1;
};

// Makes two sockets that no other process inherits. Another thread may start a process at any time,
// and an inherited end would stay open after the death of its owner. On systems that cannot make
// sockets close-on-exec in one step, SpawnFlags() prevents the inheritance. Writing raises no
// signal if the other end is closed.
SocketPair MakeSocketPair();

// Like send(2), but continues after a signal. Returns the number of bytes sent, or -1, with EPIPE
// in errno if the other end is closed. If `wait` is false, it does not wait for buffer space.
ssize_t SendBytes(int socket, std::string_view bytes, bool wait);

// Returns true when the other end of a socket, or the reader of a pipe, is closed. Returns false
// when this process has closed `descriptor`. It reads nothing, and unread bytes do not end the
// wait. A second thread may call this function while the first thread communicates.
bool WaitForHangUp(int descriptor);

}  // namespace anecheck
