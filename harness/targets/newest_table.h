// The hardware-abstraction table of the newest compiler of which offsets are known. An offset
// belongs to a compiler release: between releases fields keep their names and move, so that this
// table has a layout of its own (data/hal_10_26_6.json) beside that of hal_layout.h. Used by
// TargetCatalog and by commands that print targets.
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
  std::string name;    // that of the older layout where both have the field
  std::string source;
  std::vector<Statement> statements;
};

// By offset. Immutable; safe to share between threads.
std::span<const NewestField> NewestFields();
// The field of that name, or null.
const NewestField* FindNewestField(std::string_view name);
// The value that sources state of a field for a target of that name and tier.
Known<uint64_t> NewestValue(const NewestField& field, std::string_view target,
                            std::string_view tier);

}  // namespace anecheck
