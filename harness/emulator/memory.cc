#include "harness/emulator/memory.h"

#include <algorithm>
#include <fmt/format.h>

namespace anecheck::emulator {

Result<size_t> Memory::Add(Region region, uint64_t limit) {
  uint64_t total = region.bytes.size();
  for (const Region& other : regions_) total += other.bytes.size();
  if (total > limit) {
    return MakeError(
        ErrorCode::kLimit,
        fmt::format("the container needs more than {} bytes of memory, at {}", limit, region.name));
  }
  regions_.push_back(std::move(region));
  return regions_.size() - 1;
}

void Memory::Clear() {
  for (Region& region : regions_) {
    if (region.kind == RegionKind::kScratch) std::ranges::fill(region.bytes, uint8_t{0});
  }
  std::ranges::fill(l2_, uint8_t{0});
}

Result<std::span<uint8_t>> Memory::Bar(uint32_t number, bool write, const std::string& who) {
  ANECHECK_ASSIGN(const Place place, Find(number, write, who));
  return std::span(regions_[place.region].bytes).subspan(place.offset);
}

Result<std::span<const uint8_t>> Memory::Read(uint32_t number, const std::string& who) const {
  ANECHECK_ASSIGN(const Place place, Find(number, false, who));
  return std::span(regions_[place.region].bytes).subspan(place.offset);
}

Result<Memory::Place> Memory::Find(uint32_t number, bool write, const std::string& who) const {
  const auto found = bars_.find(number);
  if (found == bars_.end()) {
    return MakeError(ErrorCode::kInvalid, fmt::format("{}: BAR {} is not bound", who, number));
  }
  for (size_t i = 0; i < regions_.size(); ++i) {
    const Region& region = regions_[i];
    const uint64_t at = found->second - region.address;
    if (found->second < region.address || at >= region.bytes.size()) continue;
    const bool readable = region.kind != RegionKind::kText && region.kind != RegionKind::kOther;
    const bool writable = region.kind == RegionKind::kOutput || region.kind == RegionKind::kScratch;
    if (!(write ? writable : readable)) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("{}: BAR {} is {}, which a task may not {}", who, number,
                                   region.name, write ? "write" : "read"));
    }
    return Place{i, at};
  }
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("{}: BAR {} points to 0x{:x}, where the container has no memory",
                               who, number, found->second));
}

}  // namespace anecheck::emulator
