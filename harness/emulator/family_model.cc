#include "harness/device/quirk.h"
#include "harness/device/target.h"
#include "harness/emulator/engines.h"

namespace anecheck::emulator {

const device::NumericModel& FamilyModel(Generation generation) {
  static const std::array<device::NumericModel, kGenerations> models = [] {
    constexpr std::array<int, kGenerations> kFamilies = {device::kFamilyA13, device::kFamilyA14,
                                                         device::kFamilyA15, device::kFamilyA16,
                                                         device::kFamilyA18};
    std::array<device::NumericModel, kGenerations> made;
    for (size_t i = 0; i < kGenerations; ++i) {
      made[i] = device::ResolveNumericModel(device::QuirkSwitches(), kFamilies[i]);
    }
    return made;
  }();
  return models[static_cast<size_t>(generation)];
}

}  // namespace anecheck::emulator
