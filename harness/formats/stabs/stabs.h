// The type strings in a hardware container's symbol table, which are similar to stabs debug
// strings. They are the element-type catalog (`int8:t2=r2;0;127`) and the tensors' stride frames
// (`x:t11=ar1;0;1;12=s192n:...:5`). Sources: specification 000, listings 23.5 and 23.6;
// facts/hwx.md, symbols. Used by hwx.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace anecheck::stabs {

// One entry of the catalog. Strings refer to the text that was parsed.
struct TypeStab {
  enum class Kind : uint8_t {
    kEmpty,  // `lut:t8=`
    kAlias,  // `void:t1=1`
    kRange,  // `float16:t5=r1;2;0`
  };
  std::string_view name;
  uint32_t id = 0;
  Kind kind = Kind::kEmpty;
  uint32_t base = 0;  // the aliased type, or the base type of the range
  int64_t low = 0;    // for the floating types: the size in bytes
  int64_t high = 0;   // for the floating types: 0
};

// One axis, `ar<index>;<low>;<extent>;<id>=s<stride><axis>`. Outermost first. Strides are in bytes.
struct Axis {
  uint32_t index = 1;
  int64_t low = 0;
  int64_t extent = 0;
  uint32_t id = 0;
  uint64_t stride = 0;
  char axis = 'w';
};

inline constexpr size_t kMaxAxes = 8;

struct TensorStab {
  std::string_view name;
  uint32_t id = 0;
  std::array<Axis, kMaxAxes> axes = {};
  uint8_t axis_count = 0;
  uint32_t element_type = 0;  // a catalog id

  std::span<const Axis> Axes() const { return std::span(axes).first(axis_count); }
  // Returns the axis with this letter, or nullptr.
  const Axis* Find(char axis) const;
};

// Accept a text only if Print of the result returns the same text.
std::optional<TypeStab> ParseType(std::string_view text);
std::optional<TensorStab> ParseTensor(std::string_view text);
// Returns the number of an entry that compilers write but ParseType refuses, which is
// `uint1:t11=r1;0,1` or `uint64:t20=r1;0;18446744073709551615` (containers of 7.6.4 and 9.509).
// Returns nothing for other texts.
std::optional<uint32_t> OddTypeId(std::string_view text);
std::string Print(const TypeStab& stab);
std::string Print(const TensorStab& stab);

// Prints and parses "s8192n/s1024c/s64h/s2w" (listing 23.6). Parsing sets only stride and axis.
std::string PrintStrides(const TensorStab& stab);
std::optional<TensorStab> ParseStrides(std::string_view text);

// Returns a catalog of `count` entries, in the order of real files. Known counts are 10 (compiler
// 4.2.1), 15 (compilers 5 to 7.6.4), 23 (compiler 9.509) and 24 (specification 000). For other
// counts the span is empty. Entries 1 to 10 are from real files, and e4m3 (16) and int4 (23) from
// the specification. The names of the other entries are assumed, because no source lists them.
std::span<const std::string_view> Catalog(size_t count);

}  // namespace anecheck::stabs
