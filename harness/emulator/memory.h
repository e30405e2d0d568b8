// The memory that a container's tasks access: the regions to which the BAR table points, and the L2
// of the engines. Every access goes through a span of one region, so that no task accesses other
// memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace anecheck::emulator {

// The size in layout.md, "L2". The emulator uses it for all generations.
inline constexpr uint64_t kL2Bytes = uint64_t{2} << 20;

enum class RegionKind : uint8_t { kText, kConstants, kScratch, kInput, kOutput, kOther };

struct Region {
  std::string name;  // "__const", "input_0"
  RegionKind kind = RegionKind::kOther;
  uint64_t address = 0;  // device address of the first byte
  std::vector<uint8_t> bytes;
};

// Not thread-safe.
class Memory {
 public:
  // Adds a region and returns its index. Error: kLimit if all regions exceed `limit` bytes.
  Result<size_t> Add(Region region, uint64_t limit = kDefaultLimit);
  // Sets the device address at which BAR `number` begins. The address need not lie in a region.
  void SetBar(uint32_t number, uint64_t address) { bars_[number] = address; }
  const std::map<uint32_t, uint64_t>& bars() const { return bars_; }

  std::vector<Region>& regions() { return regions_; }
  const std::vector<Region>& regions() const { return regions_; }
  // Returns the first `bytes` bytes of L2, at most kL2Bytes. L2 grows on demand, since most
  // programs use little of it.
  std::span<uint8_t> l2(uint64_t bytes) {
    bytes = std::min(bytes, kL2Bytes);
    if (l2_.size() < bytes) l2_.resize(bytes);
    return std::span(l2_).first(bytes);
  }
  // Sets scratch and L2 to zero, which is their content before the first task.
  void Clear();

  // Returns the bytes from the BAR's first byte to the end of its region. Errors: kInvalid, with
  // `who` in the message, if the BAR points to no region, or to a region that a task may not read.
  // If `write` is set, a task must be allowed to write the region instead.
  Result<std::span<uint8_t>> Bar(uint32_t number, bool write, const std::string& who);
  // Does the same as Bar, for reading only.
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
