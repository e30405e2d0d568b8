#include "harness/formats/vmfb/vmfb.h"

#include "fuzz/words/words.h"

namespace anecheck::fuzz {

WordTables words::vmfb() {
  WordTable identifiers = {"identifiers"};
  // A vtable begins with its size in bytes, which is 4 plus 2 for each field of the table.
  WordTable vtables = {"vtables"};
  for (const vmfb::Form& form : vmfb::Forms()) {
    identifiers.Text(form.schema.identifier);
    for (const flatbuffer::TableType& table : form.schema.tables) {
      if (!table.is_struct) vtables.Number(4 + 2 * table.fields.size(), 2);
    }
  }
  return {identifiers, vtables, ZipSignatures()};
}

}  // namespace anecheck::fuzz
