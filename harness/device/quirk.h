// The documented defects of real silicon and of its software. Each defect is a switch of the
// simulated engine. The rows are those of facts/known_defects.csv (D01 to D39), and those of
// facts/more/defects_plus.csv, numbered in the order of that file (P01 on).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "harness/device/numeric_model.h"

namespace anecheck::device {

// One row. The rows in quirk.cc are in the order of these two tables.
struct Quirk {
  std::string_view id;
  std::string_view area;
  std::string_view trigger;
  std::string_view symptom;
  std::string_view kind;      // numeric, reachability, route, placement, runtime, encoding
  std::string_view families;  // in the words of the source
  uint32_t default_families;  // bit i: on by default for family index i
  bool implemented;           // whether the engine acts on the switch
};

std::span<const Quirk> Quirks();

inline constexpr int kMaxQuirks = 96;

// The index of the row called `id`, or -1.
int FindQuirk(std::string_view id);

enum class QuirkState : int8_t { kFamilyDefault = -1, kOff = 0, kOn = 1 };

// The switches of the quirks.
class QuirkSwitches {
 public:
  QuirkSwitches() { states_.fill(QuirkState::kFamilyDefault); }
  void Set(int index, QuirkState state) { states_[static_cast<size_t>(index)] = state; }
  void SetAll(QuirkState state) { states_.fill(state); }
  QuirkState Get(int index) const { return states_[static_cast<size_t>(index)]; }
  // Returns whether the switch is on for that family.
  bool IsOn(std::string_view id, int family) const;

 private:
  std::array<QuirkState, kMaxQuirks> states_;
};

// Returns the numeric model of a family under the switches, without planted defects.
NumericModel ResolveNumericModel(const QuirkSwitches& switches, int family);

}  // namespace anecheck::device
