#include "harness/runners/process_memory.h"

#if defined(__APPLE__)
#include <libproc.h>
#include <sys/resource.h>
#include <unistd.h>
#else
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#endif

namespace anecheck {

#if defined(__APPLE__)

uint64_t ResidentBytes(pid_t pid) {
  rusage_info_v2 usage{};
  const int code = proc_pid_rusage(pid, RUSAGE_INFO_V2, reinterpret_cast<rusage_info_t*>(&usage));
  return code == 0 ? usage.ri_resident_size : 0;
}

uint64_t OwnResidentBytes() { return ResidentBytes(getpid()); }

#else

uint64_t ResidentBytes(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/statm";
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return 0;
  unsigned long total = 0;
  unsigned long resident = 0;
  const int fields = std::fscanf(file, "%lu %lu", &total, &resident);
  std::fclose(file);
  return fields == 2 ? uint64_t{resident} * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

// The file stays open, and each read returns the current value. getrusage(2) cannot be used,
// because its maximum includes the memory of the process that started this process.
uint64_t OwnResidentBytes() {
  static const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  char text[64] = {};
  if (pread(file, text, sizeof text - 1, 0) <= 0) return 0;
  char* second = nullptr;
  std::strtoull(text, &second, 10);
  return std::strtoull(second, nullptr, 10) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

#endif

}  // namespace anecheck
