// A compiler target and everything that is known about it: family, cores, hardware-abstraction
// table, limits, names. The legality oracle, the lowering, the matrix and `anecheck targets` use
// it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/targets/hal_layout.h"
#include "harness/targets/known.h"

namespace anecheck {

// The family index that orders the generations and gates operations (specification 003, operation
// gate; facts/targets.csv).
enum class Family : uint8_t {
  kA11Legacy = 0,
  kA12 = 1,
  kA13 = 2,
  kA14 = 3,
  kA15 = 4,
  kA16 = 5,
  kA17 = 6,
  kA18 = 7,
};
inline constexpr int kFamilyCount = 8;
std::string_view FamilyName(Family family);

// Selects one of two numberings. The sources number the families of H16 to H18 differently.
enum class FamilyOrder : uint8_t {
  kSpecification,  // specification 003: one index per generation, from H13 at A13 to H18 at A18
  kPublicGuide,    // public guide, chapter 35: by hardware version, H16 at A15, H17 at A16
};

// The group of targets that share a row of the published tables (facts/targets.csv).
enum class Tier : uint8_t {
  kLegacy,
  kA13,
  kA14,
  kA15,
  kA16,
  kA17,
  kA18,
  kSmall,
  kReference,
};
std::string_view TierName(Tier tier);
// Returns the tier with that printed name. Errors: kNotFound.
Result<Tier> ParseTier(std::string_view name);

// The value of an unlimited limit, such as context_switch_live_tensors from A14 on.
inline constexpr uint64_t kUnlimited = UINT64_MAX;

// The hardware-abstraction table of one target. It has values by offset or by field name. A value
// is unknown, with the reason, if no source states it, if there is no field at the offset, or if
// the field has a different kind.
class Hal {
 public:
  const Known<uint64_t>& Scalar(uint32_t offset) const;
  const Known<uint64_t>& Scalar(std::string_view field) const;

  // Returns `hal[offset] & 1`. Known only at offsets that may be a flag (HalLayout::MayBeFlag).
  const Known<bool>& Capability(uint32_t offset) const;
  const Known<bool>& Capability(std::string_view field) const;

  // Returns a field of kind kString, such as the name of the cost policy at 0x580.
  const Known<std::string>& Text(uint32_t offset) const;

  // Overwrites every scalar, value and flag with those of a whole table of 0x938 bytes; `source`
  // names the table. Pointers and strings in the table belong to the process that dumped it, so
  // they are not read.
  Status LoadBlob(std::span<const uint8_t> blob, const std::string& source);

  // For loaders: add a statement about a field. With `replace`, it replaces all earlier statements.
  Status State(const HalField& field, SourcedValue<uint64_t> statement, bool replace);
  Status StateText(const HalField& field, SourcedValue<std::string> statement, bool replace);

 private:
  std::map<uint32_t, Known<uint64_t>> scalars_;
  std::map<uint32_t, Known<bool>> flags_;
  std::map<uint32_t, Known<std::string>> texts_;
};

// The image formats of a target's inputs and outputs (public guide, chapter 34).
struct InterchangeFormats {
  uint64_t count = 0;
  std::vector<std::string> tags;  // the formats that the source names, such as "&BGA"
  bool complete = false;          // whether `tags` has all `count` formats
  std::string description;
};

// The value of a limit is a list of numbers. Most lists have one number.
using LimitValue = std::vector<uint64_t>;

struct Target {
  std::string name;  // "H13g"
  Tier tier = Tier::kReference;
  std::string compiler_name;        // the argument of the compiler's option -t: "h13g"
  Known<std::string> runtime_name;  // as the runtime reports it
  Known<std::string> chips;         // names of chips, for people
  Known<Family> family_specification;
  Known<Family> family_public_guide;
  Known<uint64_t> hardware_version;  // public guide, chapter 35
  Known<uint64_t> ne_cores;
  Known<uint64_t> max_tensor_wh;     // elements
  Known<uint64_t> max_tensor_depth;  // elements
  Known<uint64_t> cpu_subtype;       // of the hardware container's header
  Known<uint64_t> td_version;        // of the container's task descriptors
  Known<InterchangeFormats> interchange;
  std::string note;
  Hal hal;
  std::map<std::string, Known<LimitValue>, std::less<>> limits;
  // The family floors that a user's file states, by operation. The rules have all other floors.
  std::map<std::string, SourcedValue<Family>, std::less<>> stated_floors;

  const Known<Family>& family(FamilyOrder order = FamilyOrder::kSpecification) const {
    return order == FamilyOrder::kSpecification ? family_specification : family_public_guide;
  }
};

// Returns the limit `name` (facts/limits.csv, facts/more/limits_plus.csv); kUnlimited if it has no
// bound. The result is unknown, with the reason, if no source states the limit, if no limit has the
// name, or if the limit is a list.
Known<uint64_t> Limit(const Target& target, std::string_view name);
// Returns a limit that is a list. For example, stride_factor_list is {2, 3, 4, 8}.
Known<std::vector<uint64_t>> LimitList(const Target& target, std::string_view name);

}  // namespace anecheck
