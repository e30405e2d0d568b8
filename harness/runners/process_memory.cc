#include "harness/runners/process_memory.h"

#if defined(__APPLE__)
#include <libproc.h>
#include <sys/resource.h>
#else
#include <cstdio>
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

#endif

}  // namespace anecheck
