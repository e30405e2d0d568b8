#include "fuzz/words/words.h"
#include "harness/formats/weightunit/unit.h"

namespace anecheck::fuzz {

WordTables words::weightunit() {
  using namespace anecheck::weightunit;  // NOLINT(google-build-using-namespace)
  WordTable magic = {"magic"};
  magic.words.emplace_back(kMagic.begin(), kMagic.end());
  WordTable forms = {"forms"};
  for (uint32_t form = 0; form < kFormCount; ++form) forms.Number(form, 4);
  WordTable sections = {"sections"};
  for (uint32_t section = 0; section < kSectionCount; ++section) sections.Number(section, 4);
  WordTable types = {"types"};
  for (const uint32_t type : {kE5m2Type, kInt8, kUint8, kHalf, kLutType, kE4m3}) {
    types.Number(type, 4);
  }
  return {magic, forms, sections, types};
}

}  // namespace anecheck::fuzz
