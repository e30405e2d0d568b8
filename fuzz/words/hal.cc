#include "harness/formats/hal/hal.h"

#include "fuzz/words/words.h"
#include "harness/base/little_endian.h"
#include "harness/formats/hal/rules.h"
#include "harness/targets/catalog.h"

namespace anecheck::fuzz {

WordTables words::hal() {
  WordTable ruled = {"ruled_values"};
  for (const hal::ValueRule& rule : hal::ValueRules()) {
    const HalField* field = HalLayout::Get().At(rule.offset);
    for (const uint64_t value : rule.values)
      ruled.Number(value, field == nullptr ? 8 : field->width);
  }
  WordTable stated = {"values_of_targets"};
  for (const Target& target : anecheck::AllTargets()) {
    const HalImage image = HalImageOf(target);
    for (const HalField& field : HalLayout::Get().fields()) {
      if (field.kind != HalKind::kScalar || !image.known[field.offset]) continue;
      stated.Number(LoadLittle(image.bytes, field.offset, field.width), field.width);
    }
  }
  return {ruled, stated};
}

}  // namespace anecheck::fuzz
