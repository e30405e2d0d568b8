#include "harness/runners/worker_channel.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "harness/runners/local_socket.h"

namespace anecheck {
namespace {

using Clock = std::chrono::steady_clock;

Error SystemError(std::string_view what) {
  return MakeError(ErrorCode::kInternal, fmt::format("{}: {}", what, std::strerror(errno)));
}

int AnonymousMemory() {
#if defined(__linux__)
  return memfd_create("anecheck-channel", MFD_CLOEXEC);
#else
  // The name is removed immediately. The process id and a counter make concurrent names differ.
  static std::atomic<int> counter{0};
  const std::string name = fmt::format("/anecheck-{}-{}", getpid(), counter.fetch_add(1));
  const int descriptor = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (descriptor >= 0) {
    shm_unlink(name.c_str());
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  return descriptor;
#endif
}

}  // namespace

Status WorkerChannel::Map() {
  void* const mapping =
      mmap(nullptr, MappingSize(), PROT_READ | PROT_WRITE, MAP_SHARED, memory_, 0);
  if (mapping == MAP_FAILED) return SystemError("cannot map the worker's memory");
  mapping_ = static_cast<uint8_t*>(mapping);
  return {};
}

Result<WorkerChannel> WorkerChannel::Create(uint64_t area_size) {
  WorkerChannel channel;
  channel.area_size_ = area_size;
  channel.memory_ = AnonymousMemory();
  if (channel.memory_ < 0) return SystemError("cannot make memory for a worker");
  if (ftruncate(channel.memory_, static_cast<off_t>(channel.MappingSize())) != 0) {
    return SystemError("cannot size the worker's memory");
  }
  ANECHECK_RETURN_IF_ERROR(channel.Map());
  const SocketPair sockets = MakeSocketPair();
  if (sockets.ours < 0) return SystemError("cannot make a socket for a worker");
  channel.socket_ = sockets.ours;
  channel.other_socket_ = sockets.theirs;
  return channel;
}

Result<WorkerChannel> WorkerChannel::Attach(int memory, int socket) {
  WorkerChannel channel;
  channel.memory_ = memory;
  channel.socket_ = socket;
  struct stat state{};
  if (fstat(memory, &state) != 0) return SystemError("cannot size the worker's memory");
  const auto size = static_cast<uint64_t>(state.st_size);
  if (size < kHeaderSize)
    return MakeError(ErrorCode::kInternal, "the worker's memory has no areas");
  channel.area_size_ = (size - kHeaderSize) / 2;
  ANECHECK_RETURN_IF_ERROR(channel.Map());
  return channel;
}

WorkerChannel::WorkerChannel(WorkerChannel&& other) noexcept { *this = std::move(other); }

WorkerChannel& WorkerChannel::operator=(WorkerChannel&& other) noexcept {
  if (this == &other) return *this;
  Reset();
  area_size_ = other.area_size_;
  mapping_ = std::exchange(other.mapping_, nullptr);
  memory_ = std::exchange(other.memory_, -1);
  socket_ = std::exchange(other.socket_, -1);
  other_socket_ = std::exchange(other.other_socket_, -1);
  return *this;
}

WorkerChannel::~WorkerChannel() { Reset(); }

void WorkerChannel::Reset() {
  if (mapping_ != nullptr) munmap(mapping_, MappingSize());
  for (const int descriptor : {memory_, socket_, other_socket_}) {
    if (descriptor >= 0) close(descriptor);
  }
  mapping_ = nullptr;
  memory_ = socket_ = other_socket_ = -1;
}

void WorkerChannel::CloseWorkerEnd() {
  if (other_socket_ >= 0) close(other_socket_);
  other_socket_ = -1;
}

bool WorkerChannel::Signal(char what) { return SendBytes(socket_, {&what, 1}, true) == 1; }

int WorkerChannel::Wait(int milliseconds) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
  pollfd entry = {socket_, POLLIN, 0};
  for (int left = milliseconds;;) {
    const int ready = poll(&entry, 1, left);
    if (ready > 0) break;
    if (ready == 0) return 0;
    if (errno != EINTR) return -1;
    if (milliseconds < 0) continue;
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    left = static_cast<int>(std::max<int64_t>(rest.count(), 0));
  }
  char what = 0;
  const ssize_t received = recv(socket_, &what, 1, 0);
  return received == 1 ? static_cast<unsigned char>(what) : -1;
}

bool WorkerChannel::WaitForEnd() const { return WaitForHangUp(socket_); }

}  // namespace anecheck
