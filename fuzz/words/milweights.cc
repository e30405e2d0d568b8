#include "fuzz/words/words.h"
#include "harness/formats/milweights/weight_file.h"

namespace anecheck::fuzz {

WordTables words::milweights() {
  WordTable version = {"version"};
  version.Number(milweights::kVersion, 4);
  // The beginning of a record. It is the sentinel alone, and the sentinel followed by each type.
  WordTable records = {"records"};
  records.Number(milweights::kSentinel, 4);
  for (int type = 0; type < mil::kDataTypeCount; ++type) {
    const auto number = milweights::BlobTypeNumber(static_cast<mil::DataType>(type));
    if (number) records.Number(uint64_t{*number} << 32 | milweights::kSentinel, 8);
  }
  return {version, records};
}

}  // namespace anecheck::fuzz
