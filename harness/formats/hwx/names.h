// Names and predicates for a container's records, shared by the print, the rules and the JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "harness/formats/hwx/container.h"

namespace anecheck::hwx {

// Returns "segment", "port" and so on, or "" for an unknown id.
std::string_view CommandName(uint32_t cmd);
// Returns "text", "const", "input" and so on for the low byte of section flags, or "" if it is
// unknown (facts/hwx.md, section flags).
std::string_view SectionKindName(uint32_t flags);

enum SectionKind : uint32_t {
  kInputSection = 0x21,
  kOutputSection = 0x23,
  kBssSection = 0x25,
  kConstSection = 0x26,
  kTextSection = 0x28,
  kFvmlibInitSection = 0x2a,
  kInitSection = 0x2c,
  kDebugSection = 0x32,
};
inline constexpr uint32_t kHasRelocations = 0x100;
inline uint32_t KindOf(const Section& section) { return section.flags & 0xff; }
inline bool IsWindow(const Section& section) {
  return KindOf(section) == kInputSection || KindOf(section) == kOutputSection;
}
// Returns whether a section has weights: the const section, and any section of a __KERN segment.
bool IsKernelSection(const Section& section);
// Returns the number of the first kernel section, from 1, or 0 if there is none.
size_t KernelSectionNumber(const Container& container);

// Returns the name of a cpusubtype's generation, for example "H13", or "" if it is unknown.
std::string_view FamilyOfSubtype(uint32_t cpusubtype);

// Returns the names of element types by id, from the catalog in the container.
std::map<uint32_t, std::string_view> CatalogOf(const Container& container);

// Returns one sentence for each difference between this container and the specification.
std::vector<std::string_view> DifferencesFromSpecification(const Container& container);

}  // namespace anecheck::hwx
