// libproc.h: the resource usage of a process.
#pragma once
#include <stdint.h>
typedef void* rusage_info_t;
struct rusage_info_v2 {
  uint8_t ri_uuid[16];
  uint64_t ri_user_time;
  uint64_t ri_system_time;
  uint64_t ri_pkg_idle_wkups;
  uint64_t ri_interrupt_wkups;
  uint64_t ri_pageins;
  uint64_t ri_wired_size;
  uint64_t ri_resident_size;
  uint64_t ri_phys_footprint;
};
#define RUSAGE_INFO_V2 2
extern "C" int proc_pid_rusage(int pid, int flavor, rusage_info_t* buffer);
