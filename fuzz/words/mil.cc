#include "fuzz/words/words.h"
#include "harness/formats/mil/data_type.h"

namespace anecheck::fuzz {

WordTables words::mil() {
  WordTables tables = Operations();
  WordTable types = {"type_names"};
  for (int type = 0; type < mil::kDataTypeCount; ++type) {
    types.Text(mil::DataTypeName(static_cast<mil::DataType>(type)));
  }
  tables.push_back(types);
  return tables;
}

}  // namespace anecheck::fuzz
