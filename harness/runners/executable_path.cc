#include "harness/runners/executable_path.h"

#include <array>
#include <climits>
#include <string_view>

#if defined(__APPLE__)
#include <mach-o/dyld.h>
#else
#include <unistd.h>
#endif

namespace anecheck {

std::string ExecutablePath() {
  std::array<char, PATH_MAX> path{};
#if defined(__APPLE__)
  auto size = static_cast<uint32_t>(path.size());
  if (_NSGetExecutablePath(path.data(), &size) != 0) return {};
  return path.data();
#else
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0 || size == static_cast<ssize_t>(path.size())) return {};
  // Linux adds this to the name of a running file that was removed or replaced.
  constexpr std::string_view kDeleted = " (deleted)";
  const std::string_view name(path.data(), static_cast<size_t>(size));
  if (!name.ends_with(kDeleted) || access(path.data(), F_OK) == 0) return std::string(name);
  return std::string(name.substr(0, name.size() - kDeleted.size()));
#endif
}

std::string OwnImage() {
#if defined(__linux__)
  return "/proc/self/exe";
#else
  return ExecutablePath();
#endif
}

std::string ExecutableFolder() {
  const std::string path = ExecutablePath();
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace anecheck
