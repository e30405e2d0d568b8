#include "fuzz/words/words.h"
#include "harness/formats/enums/enums.h"

namespace anecheck::fuzz {

WordTables words::activation() {
  WordTable modes = {"modes"};
  for (const EnumEntry& mode : GetEnumTable(EnumKind::kNonlinearMode).entries) {
    modes.Number(mode.code, 2);
  }
  return {modes};
}

}  // namespace anecheck::fuzz
