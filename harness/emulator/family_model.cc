#include <map>

#include "harness/device/quirk.h"
#include "harness/device/target.h"
#include "harness/emulator/engines.h"

namespace anecheck::emulator {

namespace {

struct Family {
  uint32_t version;
  int family;
};
constexpr Family kFamilies[] = {{7, device::kFamilyA13},  {11, device::kFamilyA14},
                                {8, device::kFamilyA15},  {17, device::kFamilyA16},
                                {19, device::kFamilyA17}, {20, device::kFamilyA18}};

}  // namespace

const device::NumericModel& FamilyModel(uint32_t version) {
  static const std::map<uint32_t, device::NumericModel> models = [] {
    std::map<uint32_t, device::NumericModel> made;
    for (const Family& row : kFamilies) {
      made[row.version] = device::ResolveNumericModel(device::QuirkSwitches(), row.family);
    }
    return made;
  }();
  return models.at(version);
}

}  // namespace anecheck::emulator
