// Names and predicates for a container's records, shared by the print, the rules and the JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "harness/formats/hwx/container.h"

namespace anecheck::hwx {

// "segment", "port" and so on; empty for an unknown id.
std::string_view CommandName(uint32_t cmd);
// "text", "const", "input" and so on for the low byte of section flags; empty where unknown
// (facts/hwx.md, section flags).
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
// True for a section of weights: the const section, or any section of a __KERN segment.
bool IsKernelSection(const Section& section);
// The number of the first kernel section, counted from 1; 0 where there is none.
size_t KernelSectionNumber(const Container& container);

// The generation's name for a cpusubtype: "H13"; empty where unknown.
std::string_view FamilyOfSubtype(uint32_t cpusubtype);

// The container's own catalog of element types: names by id.
std::map<uint32_t, std::string_view> CatalogOf(const Container& container);

// The differences between this container and the specification, one sentence each.
std::vector<std::string_view> DifferencesFromSpecification(const Container& container);

}  // namespace anecheck::hwx
