// The hardware-abstraction table of the newest compiler whose offsets are known. Fields keep their
// names in a new compiler release, but their offsets change. Therefore this table has its own
// layout (data/hal_10_26_6.json), which differs from that of hal_layout.h. TargetCatalog and
// commands that print targets use it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/targets/known.h"

namespace anecheck {

inline constexpr std::string_view kNewestRelease = "10.26.6";
inline constexpr uint32_t kNewestHalSize = 0xa10;  // bytes

struct NewestField {
  struct Statement {
    std::vector<std::string> targets;  // names of targets and tiers
    SourcedValue<uint64_t> value;
  };
  uint32_t offset = 0;
  uint32_t width = 0;  // bytes
  bool flag = false;   // read as `& 1`
  std::string name;    // as in the older layout, if that has the field too
  std::string source;
  std::vector<Statement> statements;
};

// Returns the fields, sorted by offset. They never change, so threads may share them.
std::span<const NewestField> NewestFields();
// Returns the field of that name, or null.
const NewestField* FindNewestField(std::string_view name);
// Returns the value that sources state for a field of the target `target` of the tier `tier`.
Known<uint64_t> NewestValue(const NewestField& field, std::string_view target,
                            std::string_view tier);

}  // namespace anecheck
