// Sockets between the tool and the processes it starts, and the differences of systems in them:
// ends that no other process inherits, writing to one that is gone, and noticing that it is.
#pragma once

#include <string_view>
#include <sys/types.h>

namespace anecheck {

// Two connected stream sockets; -1 each where the system has none left, errno then says why.
struct SocketPair {
  int ours = -1;
  int theirs = -1;
};

// Neither end is inherited by other processes: another thread may start one at any moment, and an
// end that it holds stays open when the right one dies. SpawnFlags() sees to it if they cannot be
// made so in one step. Writing to either when the other is gone raises no signal.
SocketPair MakeSocketPair();

// As send(2), repeated after a signal: returns the bytes that were taken, or -1, with EPIPE in
// errno if the other end is gone. With `wait` false it does not wait for room.
ssize_t SendBytes(int socket, std::string_view bytes, bool wait);

// Waits until the other end of a socket or of a pipe's writing end is gone, true, or `descriptor`
// was closed by this process, false. Nothing is read, and bytes that nobody has read are no end.
// For a thread beside the one that talks.
bool WaitForHangUp(int descriptor);

}  // namespace anecheck
