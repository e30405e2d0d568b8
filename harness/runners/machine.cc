#include "harness/runners/machine.h"

#include <fmt/format.h>
#if defined(__APPLE__)
#include <sys/sysctl.h>
#else
#include <sys/utsname.h>
#endif

namespace anecheck {

#if defined(__APPLE__)

namespace {

std::string Asked(const char* name) {
  char text[256] = {};
  size_t size = sizeof text - 1;
  return sysctlbyname(name, text, &size, nullptr, 0) == 0 ? text : "";
}

}  // namespace

std::string ChipName() { return Asked("machdep.cpu.brand_string"); }

std::string SystemName() {
  return fmt::format("macOS {} ({})", Asked("kern.osproductversion"), Asked("kern.osversion"));
}

#else

std::string ChipName() { return {}; }

std::string SystemName() {
  utsname name{};
  if (uname(&name) != 0) return {};
  return fmt::format("{} {}", name.sysname, name.release);
}

#endif

}  // namespace anecheck
