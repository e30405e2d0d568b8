// The layout of the hardware-abstraction table: the kind and width of the field at each offset, the
// fields that nothing reads, and the offsets that only look like fields. The data is in
// data/hal.json (sources: specification 003, tables 24.1 to 24.5; public guide, chapters 7, 20, 21,
// 34 to 36). Hal (values of a target) and the `hal` format (whole tables as files) use it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/base/result.h"

namespace anecheck {

// The size of the whole table in bytes (specification 003). The size 0x348 in chapter 35 of the
// public guide is only that of the plain scalars.
inline constexpr uint32_t kHalSize = 0x938;

enum class HalKind : uint8_t {
  kScalar,   // an unsigned limit in little-endian order
  kFlag,     // one byte, read as `& 1`
  kValue,    // a small value that is not a flag
  kPointer,  // a pointer or container object of the compiler's process; its bytes are meaningless
  kString,   // a string object
};
std::string_view HalKindName(HalKind kind);

// A second name that another source gives to the same offset.
struct HalName {
  std::string name;
  std::string source;
};

struct HalField {
  uint32_t offset = 0;
  uint32_t width = 0;  // bytes
  HalKind kind = HalKind::kScalar;
  bool dead = false;  // set for each target, but never read through the table
  std::string name;
  std::string unit;  // empty if there is none
  std::string source;
  std::string note;
  // The compiler's function that reads the field and gives the field its name; empty if unknown.
  std::string reader;
  std::vector<HalName> other_names;
};

// A range of the table that a source describes as a whole. Regions may overlap.
struct HalRegion {
  std::string name;
  uint32_t begin = 0;
  uint32_t end = 0;  // one past the last byte
  std::string source;
};

// A range of offsets that looks like fields but has none.
struct HalNonField {
  uint32_t begin = 0;
  uint32_t end = 0;
  std::string reason;
  std::string source;
};

// Immutable once built; safe to share between threads.
class HalLayout {
 public:
  // The embedded layout.
  static const HalLayout& Get();

  // Reads the "regions", "not_fields" and "fields" of a hal.json text. Fails if two fields overlap,
  // a name occurs twice, or a field extends beyond the table.
  static Result<HalLayout> Parse(std::string_view json_text);

  std::span<const HalField> fields() const;  // sorted by offset
  std::span<const HalRegion> regions() const;

  // Returns the field that begins at `offset`, or null.
  const HalField* At(uint32_t offset) const;
  // Returns the field that covers `offset`, or null.
  const HalField* Covering(uint32_t offset) const;
  // Returns the field whose main name or other name is `name`, or null.
  const HalField* Named(std::string_view name) const;
  // Returns whether the offset is inside the named region.
  bool InRegion(std::string_view region, uint32_t offset) const;
  const HalNonField* NonFieldAt(uint32_t offset) const;

  // Returns whether the byte at an offset may be read as a flag (`& 1`). It must be a named flag,
  // or a byte of the capability region outside fields and the cost block (0x580 to 0x7f0).
  bool MayBeFlag(uint32_t offset) const;

 private:
  Status Index();

  std::vector<HalField> fields_;
  std::vector<HalRegion> regions_;
  std::vector<HalNonField> non_fields_;
  std::unordered_map<std::string, size_t> by_name_;
};

}  // namespace anecheck
