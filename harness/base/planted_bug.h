// Bugs planted in parsers on purpose, to measure whether the fuzz targets find them. Only builds
// with ANECHECK_FUZZERS contain them, and a bug is on only if the environment names it. In other
// builds IsPlanted is the constant false, and the compiler removes the code of the bug.
#pragma once

#ifdef ANECHECK_PLANTED_BUGS
#include <cstdlib>
#include <string_view>
#endif

namespace anecheck {

enum class PlantedBug {
  kNone,
#define ANECHECK_PLANTED_BUG(name, target, what) k##name,
#include "harness/base/planted_bugs.def"
#undef ANECHECK_PLANTED_BUG
};

#ifdef ANECHECK_PLANTED_BUGS
inline PlantedBug PlantedBugFromEnvironment() {
  const char* value = std::getenv("ANECHECK_PLANTED_BUG");
  const std::string_view wanted = value == nullptr ? "" : value;
#define ANECHECK_PLANTED_BUG(name, target, what) \
  if (wanted == #name) return PlantedBug::k##name;
#include "harness/base/planted_bugs.def"
#undef ANECHECK_PLANTED_BUG
  return PlantedBug::kNone;
}

inline const PlantedBug kPlantedBug = PlantedBugFromEnvironment();

inline bool IsPlanted(PlantedBug bug) { return kPlantedBug == bug; }
#else
constexpr bool IsPlanted(PlantedBug) { return false; }
#endif

}  // namespace anecheck
