#include "fuzz/words/words.h"
#include "harness/formats/tdv10/layout.h"
#include "harness/formats/tdv10/sparse.h"

namespace anecheck::fuzz {

WordTables words::tdv10() {
  WordTable marker = {"record_marker"};
  marker.Number(tdv10::kRecordMarker, 4);
  // The low 16 bits of a record are the register's address within its aperture.
  WordTable registers = {"registers"};
  for (const tdv10::RegisterGroup& group : tdv10::Groups()) registers.Number(group.address, 2);
  for (const tdv10::NamedField& field : tdv10::Fields()) registers.Number(field.bits.address, 2);
  for (const tdv10::RelocationSlot& slot : tdv10::RelocationSlots()) {
    registers.Number(slot.address(), 2);
  }
  return {marker, registers};
}

}  // namespace anecheck::fuzz
