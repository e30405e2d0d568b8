#include "harness/device/target.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace anecheck::device {
namespace {

constexpr int64_t kSmall = 16384;
constexpr int64_t kLarge = 65536;

constexpr Target Legacy(std::string_view name, int family, int cores) {
  return {name, family, cores, kSmall, 1, kLarge, 4096, false};
}
constexpr Target Small(std::string_view name, int family, int cores) {
  return {name, family, cores, kSmall, kSmall, kLarge, kLarge, true};
}
constexpr Target Large(std::string_view name, int family, int cores) {
  return {name, family, cores, kLarge, kLarge, kLarge, kLarge, true};
}
constexpr Target Reference(std::string_view name) {
  return {name, kFamilyA15, 4, 65535, 1, kLarge, kLarge, true};
}

// The targets in the order of facts/targets.csv, with h18g and h19 of
// facts/silicon/targets_new.csv. M11 is an embedded part of family index 4 with the extents of A13.
// U1 to U3 are placeholders with index 4 and a depth of one.
constexpr std::array<Target, 30> kTargets = {
    Legacy("h11", kFamilyA11, 1),
    Legacy("h12", kFamilyA12, 1),
    Legacy("m9", kFamilyA12, 1),
    Legacy("t0", kFamilyA11, 1),
    Small("h13", kFamilyA13, 4),
    Small("h13g", kFamilyA13, 8),
    Small("t1", kFamilyA13, 4),
    Small("h14", kFamilyA14, 4),
    Small("h14g", kFamilyA14, 8),
    Small("h14c", kFamilyA14, 32),
    Small("h15", kFamilyA15, 4),
    Small("h15g", kFamilyA15, 8),
    Small("h15c", kFamilyA15, 32),
    Large("h16", kFamilyA16, 4),
    Large("h16g", kFamilyA16, 8),
    Large("h16s", kFamilyA16, 16),
    Large("h16c", kFamilyA16, 32),
    Large("h17", kFamilyA17, 4),
    Large("h17a", kFamilyA17, 4),
    Large("h17g", kFamilyA17, 8),
    Large("h17s", kFamilyA17, 16),
    Large("h17c", kFamilyA17, 32),
    Large("h17d", kFamilyA17, 64),
    Large("h18", kFamilyA18, 4),
    Large("h18g", kFamilyA18, 16),
    Large("h19", kFamilyA18, 16),
    Small("m11", kFamilyA15, 1),
    Reference("u1"),
    Reference("u2"),
    Reference("u3"),
};

bool SameName(std::string_view lower, std::string_view name) {
  return std::ranges::equal(lower, name, [](char a, char b) {
    return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
  });
}

}  // namespace

std::span<const Target> Targets() { return kTargets; }

const Target* FindTarget(std::string_view name) {
  const auto* found = std::ranges::find_if(
      kTargets, [&](const Target& target) { return SameName(target.name, name); });
  return found == kTargets.end() ? nullptr : found;
}

const Target& DefaultTarget() { return *FindTarget("h13"); }

int64_t MaxKernelWidth(const Target& target) { return target.family <= kFamilyA13 ? 13 : 15; }
int64_t MaxKernelHeight(const Target& target) { return target.family <= kFamilyA13 ? 29 : 32; }
bool TakesFloat8(const Target& target) { return target.family >= kFamilyA18; }

}  // namespace anecheck::device
