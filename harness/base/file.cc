#include "harness/base/file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "harness/base/pointer_file.h"

namespace anecheck {
namespace {

constexpr size_t kReadStep = size_t{1} << 16;

// Returns kNotFound for a missing file. Returns kInvalid for any other path that this process
// cannot or may not open as a file, because the caller chose it. Returns kIo for other errors.
ErrorCode CodeOf(int code) {
  switch (code) {
    case ENOENT:
      return ErrorCode::kNotFound;
    case ENOTDIR:
    case EISDIR:
    case EACCES:
    case ENAMETOOLONG:
      return ErrorCode::kInvalid;
    default:
      return ErrorCode::kIo;
  }
}

Error SystemError(const std::string& path, std::string_view action, int code) {
  return MakeError(CodeOf(code),
                   fmt::format("{}: {}: {}", path, action, std::generic_category().message(code)));
}

// Owns a file descriptor, so that every return of a function closes it.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

template <typename Container>
Result<Container> ReadAll(const std::string& path, uint64_t limit) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return SystemError(path, "cannot open", errno);
  Container content;
  std::array<char, kReadStep> step;  // on the stack, because most files are small
  while (true) {
    const ssize_t count = read(file.get(), step.data(), step.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(path, "cannot read", errno);
    content.insert(content.end(), step.data(), step.data() + count);
    if (content.size() > limit) {
      return MakeError(ErrorCode::kLimit, fmt::format("{}: more than {} bytes", path, limit));
    }
    if (count == 0) break;
  }
  ANECHECK_RETURN_IF_ERROR(
      CheckNotPointer(path, {reinterpret_cast<const char*>(content.data()), content.size()}));
  return content;
}

Status WriteAll(int file, std::span<const uint8_t> content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t count = write(file, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(path, "cannot write", errno);
    content = content.subspan(static_cast<size_t>(count));
  }
  return {};
}

// Creates a file and lets the system apply the umask. The program itself cannot read the umask
// without setting it, which other threads would see.
int OpenNewFile(const std::string& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

// Creates a file without a name in the folder of `path`. If the process is killed, the file
// vanishes. Returns -1 if the system or the file system does not support such files.
int OpenNamelessFile([[maybe_unused]] const std::string& path) {
#if defined(O_TMPFILE)
  const std::string folder = std::filesystem::path(path).parent_path();
  return open(folder.empty() ? "." : folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
#else
  return -1;
#endif
}

// Gives the name `path` to a file of OpenNamelessFile. Returns false if a file of that name exists.
bool GiveName(int file, const std::string& path) {
  const std::string itself = fmt::format("/proc/self/fd/{}", file);
  return linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

// Returns TMPDIR, the user's folder for temporary files; empty if it is not set.
std::string_view NamedTempRoot() {
  const char* root = std::getenv("TMPDIR");
  return root == nullptr ? std::string_view() : root;
}

}  // namespace

Result<std::vector<uint8_t>> ReadFile(const std::string& path, uint64_t limit) {
  return ReadAll<std::vector<uint8_t>>(path, limit);
}

Result<std::string> ReadTextFile(const std::string& path, uint64_t limit) {
  return ReadAll<std::string>(path, limit);
}

Status WriteFileAtomic(const std::string& path, std::span<const uint8_t> content) {
  static std::atomic<uint64_t> serial = 0;
  const std::string temporary = fmt::format("{}.{}.{}.new", path, getpid(), serial++);
  Status status;
  bool named = false;
  if (const Descriptor file(OpenNamelessFile(path)); file.get() >= 0) {
    ANECHECK_RETURN_IF_ERROR(WriteAll(file.get(), content, path));
    if (GiveName(file.get(), path)) return {};
    named = GiveName(file.get(), temporary);
  }
  if (!named) {
    const Descriptor file(OpenNewFile(temporary));
    if (file.get() < 0) return SystemError(path, "cannot create", errno);
    status = WriteAll(file.get(), content, path);
  }
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) {
    status = SystemError(path, "cannot replace", errno);
  }
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

Status WriteFileAtomic(const std::string& path, std::string_view content) {
  return WriteFileAtomic(
      path, std::span(reinterpret_cast<const uint8_t*>(content.data()), content.size()));
}

Status MakeDirectories(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) return SystemError(path, "cannot make folder", code.value());
  return {};
}

Result<std::vector<std::string>> ListFiles(const std::string& folder) {
  std::error_code code;
  std::vector<std::string> names;
  std::filesystem::directory_iterator entry(folder, code);
  while (!code && entry != std::filesystem::directory_iterator()) {
    std::error_code not_a_file;
    if (entry->is_regular_file(not_a_file)) names.push_back(entry->path().filename().string());
    entry.increment(code);
  }
  if (code) return SystemError(folder, "cannot list", code.value());
  std::sort(names.begin(), names.end());
  return names;
}

Result<TempDirectory> TempDirectory::Create(std::string_view prefix) {
  const std::string_view root = NamedTempRoot();
  return CreateUnder(root.empty() ? "/tmp" : root, prefix);
}

Result<TempDirectory> TempDirectory::CreateInMemory(std::string_view prefix) {
  constexpr std::string_view kSharedMemory = "/dev/shm";
  if (NamedTempRoot().empty()) {
    auto folder = CreateUnder(kSharedMemory, prefix);
    if (folder.ok()) return folder;
  }
  return Create(prefix);
}

Result<TempDirectory> TempDirectory::CreateUnder(std::string_view root, std::string_view prefix) {
  std::string path = fmt::format("{}/{}XXXXXX", root, prefix);
  if (mkdtemp(path.data()) == nullptr) {
    return SystemError(path, "cannot make temporary folder", errno);
  }
  return TempDirectory(std::move(path));
}

TempDirectory::TempDirectory(TempDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TempDirectory& TempDirectory::operator=(TempDirectory&& other) noexcept {
  if (this != &other) {
    Remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

TempDirectory::~TempDirectory() { Remove(); }

std::string TempDirectory::File(std::string_view name) const {
  return fmt::format("{}/{}", path_, name);
}

std::string TempDirectory::Keep() { return std::exchange(path_, {}); }

void TempDirectory::Remove() {
  if (path_.empty()) return;
  std::error_code ignored;  // the system cleans up a folder that cannot be removed
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace anecheck
