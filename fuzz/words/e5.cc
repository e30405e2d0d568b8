#include "harness/formats/e5/e5.h"

#include "fuzz/words/words.h"

namespace anecheck::fuzz {

WordTables words::e5() {
  WordTable version = {"format_version"};
  version.Number(static_cast<uint64_t>(e5::kFormatVersion), 4);
  WordTable operations = {"operations"};
  for (int type = 0; type < e5::kOpTypeCount; ++type) {
    operations.Text(e5::OpTypeName(static_cast<e5::OpType>(type)));
  }
  WordTable element_types = {"element_types"};
  for (const flatbuffer::EnumType& type : e5::WireSchema().enums) {
    if (type.name != "TensorDataType") continue;
    for (const flatbuffer::EnumValue& value : type.values) {
      element_types.Number(static_cast<uint64_t>(value.value), 4);
    }
  }
  // A vtable begins with its size in bytes, which is 4 plus 2 for each field of the table.
  WordTable vtables = {"vtables"};
  for (const flatbuffer::TableType& table : e5::WireSchema().tables) {
    if (!table.is_struct) vtables.Number(4 + 2 * table.fields.size(), 2);
  }
  return {version, operations, element_types, vtables};
}

}  // namespace anecheck::fuzz
