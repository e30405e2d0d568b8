// The memory that a container's tasks see: the regions to which the numbers of the BAR table point,
// and the L2 of the engines. Every access goes through a span of one region, so that nothing
// outside a region is ever read or written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace anecheck::emulator {

// layout.md, L2, gives 2 MiB. The emulator uses this size for all generations.
inline constexpr uint64_t kL2Bytes = uint64_t{2} << 20;

enum class RegionKind : uint8_t { kText, kConstants, kScratch, kInput, kOutput, kOther };

struct Region {
  std::string name;  // "__const", "input_0"
  RegionKind kind = RegionKind::kOther;
  uint64_t address = 0;  // device address of the first byte
  std::vector<uint8_t> bytes;
};

// A plain value; not thread-safe.
class Memory {
 public:
  // Adds a region and returns its index. kLimit if all regions together exceed `limit` bytes.
  Result<size_t> Add(Region region, uint64_t limit = kDefaultLimit);
  // Sets the device address at which BAR `number` begins. The address need not lie in a region.
  void SetBar(uint32_t number, uint64_t address) { bars_[number] = address; }
  const std::map<uint32_t, uint64_t>& bars() const { return bars_; }

  std::vector<Region>& regions() { return regions_; }
  const std::vector<Region>& regions() const { return regions_; }
  // The first `bytes` bytes of L2; a number above kL2Bytes counts as kL2Bytes. L2 grows on demand,
  // since most programs use little of it.
  std::span<uint8_t> l2(uint64_t bytes) {
    bytes = std::min(bytes, kL2Bytes);
    if (l2_.size() < bytes) l2_.resize(bytes);
    return std::span(l2_).first(bytes);
  }
  // Sets scratch and L2 to zero, as before the first task.
  void Clear();

  // Returns the bytes from the BAR's first byte to the end of its region. Errors: kInvalid, naming
  // `who`, if the BAR points to no region, or to a region that a task may not read (if `write` is
  // set, may not write).
  Result<std::span<uint8_t>> Bar(uint32_t number, bool write, const std::string& who);
  // As Bar, for reading alone.
  Result<std::span<const uint8_t>> Read(uint32_t number, const std::string& who) const;

  static constexpr uint64_t kDefaultLimit = uint64_t{1} << 30;

 private:
  struct Place {
    size_t region = 0;
    uint64_t offset = 0;
  };
  Result<Place> Find(uint32_t number, bool write, const std::string& who) const;

  std::vector<Region> regions_;
  std::map<uint32_t, uint64_t> bars_;
  std::vector<uint8_t> l2_;
};

}  // namespace anecheck::emulator
