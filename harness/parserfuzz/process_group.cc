#include "harness/parserfuzz/process_group.h"

#if defined(__APPLE__)
#include <libproc.h>
#include <sys/resource.h>
#else
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <unistd.h>
#endif

namespace anecheck::parserfuzz {

#if defined(__APPLE__)

GroupUsage UsageOfGroup(pid_t leader) {
  rusage_info_v2 usage{};
  const int code =
      proc_pid_rusage(leader, RUSAGE_INFO_V2, reinterpret_cast<rusage_info_t*>(&usage));
  return {.memory = code == 0 ? usage.ri_resident_size : 0, .processor_ms = std::nullopt};
}

pid_t BusiestOfGroup(pid_t leader) { return leader; }

#else

namespace {

// Numbers of the fields of /proc/PID/stat in proc(5). Reading begins after the name, which may
// contain any characters. The first field after it is the state.
constexpr int kFirstField = 3;
constexpr int kGroup = 5;
constexpr int kUserTime = 14;  // then follow the system time, and both times of children
constexpr int kLastTime = 17;
constexpr int kResidentPages = 24;

using Stat = std::array<int64_t, kResidentPages + 1>;

// Returns false if the process is gone.
bool ReadStat(const char* pid, Stat& stat) {
  const int file = open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 1024> buffer;
  const ssize_t size = read(file, buffer.data(), buffer.size());
  close(file);
  if (size <= 0) return false;
  const std::string_view text(buffer.data(), static_cast<size_t>(size));
  const size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 > text.size()) return false;
  const char* at = buffer.data() + name_end + 2;
  const char* const end = buffer.data() + size;
  for (int field = kFirstField; field <= kResidentPages; ++field) {
    const char* const field_end = std::find(at, end, ' ');
    std::from_chars(at, field_end, stat[static_cast<size_t>(field)]);
    at = std::min(field_end + 1, end);
  }
  return true;
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

// Calls see(pid, stat) for each process of the group. Returns false if the system lists none.
template <typename See>
bool ForGroup(pid_t leader, const See& see) {
  const std::unique_ptr<DIR, CloseFolder> folder(opendir("/proc"));
  if (folder == nullptr) return false;
  while (const dirent* entry = readdir(folder.get())) {
    Stat stat{};
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || !ReadStat(entry->d_name, stat) ||
        stat[kGroup] != leader) {
      continue;
    }
    see(std::atoi(entry->d_name), stat);
  }
  return true;
}

}  // namespace

GroupUsage UsageOfGroup(pid_t leader) {
  GroupUsage usage;
  int64_t ticks = 0;
  const bool told = ForGroup(leader, [&](pid_t, const Stat& stat) {
    for (size_t i = kUserTime; i <= kLastTime; ++i) ticks += stat[i];
    usage.memory +=
        static_cast<uint64_t>(stat[kResidentPages]) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  });
  if (told) usage.processor_ms = ticks * 1000 / sysconf(_SC_CLK_TCK);
  return usage;
}

pid_t BusiestOfGroup(pid_t leader) {
  pid_t busiest = leader;
  int64_t most = -1;
  ForGroup(leader, [&](pid_t pid, const Stat& stat) {
    const int64_t ticks = stat[kUserTime] + stat[kUserTime + 1];
    // For equal times, takes the process with the greater id, which probably started later.
    if (ticks < most || (ticks == most && pid < busiest)) return;
    most = ticks;
    busiest = pid;
  });
  return busiest;
}

#endif

}  // namespace anecheck::parserfuzz
