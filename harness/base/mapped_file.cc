#include "harness/base/mapped_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "harness/base/pointer_file.h"
#include "harness/base/round_up.h"

namespace anecheck {
namespace {

Error CannotRead(const std::string& path, int code) {
  const ErrorCode kind = code == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalid;
  return MakeError(kind,
                   fmt::format("{}: cannot read: {}", path, std::generic_category().message(code)));
}

// The list of mapped files. A handler of SIGBUS reads it, so it uses no locks and allocates no
// memory. It stores a fixed number of files and ignores further files. It cuts long paths.
class NamedMappings {
 public:
  void Add(std::span<const uint8_t> bytes, std::string_view path) {
    for (Place& place : places_) {
      if (place.taken.exchange(true)) continue;
      place.length = path.copy(place.path.data(), place.path.size());
      place.end = bytes.data() + bytes.size();
      place.begin = bytes.data();
      return;
    }
  }
  void Remove(std::span<const uint8_t> bytes) {
    for (Place& place : places_) {
      if (place.begin != bytes.data()) continue;
      place.begin = nullptr;
      place.taken = false;
    }
  }
  // The path of the mapped file that contains `address`; empty if there is none.
  std::string_view PathAt(const void* address) const {
    const auto* const at = static_cast<const uint8_t*>(address);
    for (const Place& place : places_) {
      const uint8_t* const begin = place.begin;
      if (begin != nullptr && begin <= at && at < place.end) {
        return {place.path.data(), place.length};
      }
    }
    return {};
  }

 private:
  struct Place {
    std::atomic<bool> taken = false;
    std::atomic<const uint8_t*> begin = nullptr;  // set last, and cleared first
    std::atomic<const uint8_t*> end = nullptr;
    std::array<char, 1024> path{};
    size_t length = 0;
  };

  std::array<Place, 64> places_;
};

NamedMappings named_mappings;

void WriteToError(std::string_view text) {
  // A failed write is ignored, because there is no other place to report it.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

void EndAtShortenedFile(int signal, siginfo_t* fault, void* /*context*/) {
  const std::string_view path = named_mappings.PathAt(fault->si_addr);
  if (path.empty()) {
    // The fault has another cause. Without the handler it repeats and ends the process.
    std::signal(signal, SIG_DFL);
    return;
  }
  WriteToError("error: ");
  WriteToError(path);
  WriteToError(": became shorter while it was read; run again when nothing writes to it\n");
  _exit(2);
}

// The ranges of the mapped files. DropPages must not drop other memory, which would become zeros.
class Mappings {
 public:
  static Mappings& Get() {
    static Mappings mappings;
    return mappings;
  }
  void Add(std::span<const uint8_t> bytes, std::string_view path) {
    named_mappings.Add(bytes, path);
    const std::lock_guard lock(mutex_);
    ends_[bytes.data()] = bytes.data() + bytes.size();
  }
  void Remove(std::span<const uint8_t> bytes) {
    named_mappings.Remove(bytes);
    const std::lock_guard lock(mutex_);
    ends_.erase(bytes.data());
  }
  // Returns the whole mapping that contains `bytes`; empty if there is none.
  std::span<const uint8_t> Around(std::span<const uint8_t> bytes) {
    const std::lock_guard lock(mutex_);
    auto next = ends_.upper_bound(bytes.data());
    if (next == ends_.begin()) return {};
    const auto [begin, end] = *std::prev(next);
    if (bytes.data() + bytes.size() > end) return {};
    return {begin, end};
  }

 private:
  std::mutex mutex_;
  std::map<const uint8_t*, const uint8_t*> ends_;  // the end of each mapping, by its begin
};

Result<std::span<const uint8_t>> Map(int file, const std::string& path) {
  struct stat status{};
  if (fstat(file, &status) != 0) return CannotRead(path, errno);
  if (!S_ISREG(status.st_mode)) {
    return MakeError(ErrorCode::kInvalid, fmt::format("{}: is no regular file", path));
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return std::span<const uint8_t>();
  void* const start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (start == MAP_FAILED) {
    return MakeError(ErrorCode::kIo, fmt::format("{}: cannot map {} bytes: {}", path, size,
                                                 std::generic_category().message(errno)));
  }
  const std::span bytes(static_cast<const uint8_t*>(start), size);
  Mappings::Get().Add(bytes, path);
  return bytes;
}

}  // namespace

Result<MappedFile> MappedFile::Open(const std::string& path) {
  // O_NONBLOCK, because without it opening a pipe that has no writer blocks.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return CannotRead(path, errno);
  const auto bytes = Map(file, path);
  close(file);
  if (!bytes.ok()) return bytes.error();
  MappedFile mapped(*bytes);
  ANECHECK_RETURN_IF_ERROR(
      CheckNotPointer(path, {reinterpret_cast<const char*>(bytes->data()), bytes->size()}));
  return mapped;
}

void EndAtShortenedFiles() {
  struct sigaction action = {};
  action.sa_sigaction = EndAtShortenedFile;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  // The cast is only for the parameter of munmap; the mapping is read-only.
  if (bytes_.empty()) return;
  Mappings::Get().Remove(bytes_);
  munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
}

void DropPages(std::span<const uint8_t> bytes) {
  if (bytes.empty()) return;
  const std::span<const uint8_t> all = Mappings::Get().Around(bytes);
  if (all.empty()) return;
  // An access to a page also maps pages around it: Linux maps the whole folio, of up to 2 MiB.
  constexpr uintptr_t kAround = uintptr_t{1} << 21;
  const auto begin = reinterpret_cast<uintptr_t>(all.data()), end = begin + all.size();
  const auto first = reinterpret_cast<uintptr_t>(bytes.data()) / kAround * kAround;
  const auto last = RoundUp(reinterpret_cast<uintptr_t>(bytes.data()) + bytes.size(), kAround);
  const uintptr_t from = std::max(first, begin), to = std::min(last, end);
  // A failure is harmless, because it only leaves the pages in memory.
  madvise(const_cast<uint8_t*>(all.data()) + (from - begin), to - from, MADV_DONTNEED);
}

Result<std::string> ResolveInside(const std::string& path, std::span<const std::string> folders) {
  std::error_code code;
  const std::filesystem::path real = std::filesystem::canonical(path, code);
  if (code) return CannotRead(path, code.value());
  for (const std::string& folder : folders) {
    const std::filesystem::path root = std::filesystem::canonical(folder, code);
    if (code) continue;
    const std::filesystem::path rest = real.lexically_relative(root);
    if (!rest.empty() && *rest.begin() != "..") return real.string();
  }
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("{}: lies outside of the model's folder", path));
}

}  // namespace anecheck
