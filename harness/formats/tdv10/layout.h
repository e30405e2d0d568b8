// The layout of ZinAneTdHw_v10, the in-memory register image of a task: seven register groups,
// named bit fields, relocation slots. Sources: specification 000, tables 23.4 and 23.5,
// listing 23.3; public guide, appendix C.6 (facts/more/td_v10_fields.csv, register_groups.csv).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "harness/formats/format.h"

namespace anecheck::tdv10 {

// The size of the image according to appendix C.6 and the field offsets of listing 23.3: the end of
// the last group. In table 23.4 every group base is 8 bytes higher, as in an object that begins
// with an 8-byte pointer. A file may have either form.
inline constexpr size_t kImageSize = 0x3ac;
inline constexpr size_t kStructureLead = 8;

struct RegisterGroup {
  std::string_view name;
  std::string_view other_label;  // freedomtan's name for the same addresses on H16
  uint32_t image_base = 0;       // bytes into the image
  uint32_t count = 0;            // registers of four bytes
  uint32_t address = 0;          // byte address of the first register
};

// A run of bits in one register.
struct BitField {
  uint32_t address = 0;  // byte address of the register
  uint8_t bit = 0;       // the lowest bit
  uint8_t width = 0;     // bits
};

struct NamedField {
  std::string_view name;
  BitField bits;
  FactEvidence evidence = FactEvidence::kSpecification;
};

// An address slot that the compiler leaves symbolic and the loader fills.
struct RelocationSlot {
  std::string_view name;
  uint32_t word = 0;  // as table 23.5 names it: the register's address in words
  uint32_t address() const { return word * 4; }
};

// The seven groups by image base.
std::span<const RegisterGroup> Groups();
// The fields of listing 23.3 and the task type of appendix C.6, by address and bit. They do not
// overlap. (Appendix C.6 also places the input and output format in the register of Cout. The two
// sources contradict each other; this code follows the listing.)
std::span<const NamedField> Fields();
// The seven slots of table 23.5. Appendix C.6 counts eleven.
std::span<const RelocationSlot> RelocationSlots();

// The group that holds the register at a byte address, or null. Addresses that are no multiple of
// four belong to none.
const RegisterGroup* GroupOf(uint32_t address);
// The place of a register in the image. Precondition: GroupOf(address) is not null.
uint32_t ImageOffset(uint32_t address);
// The named field, or null.
const NamedField* FindField(std::string_view name);
// The slot at that byte address, or null.
const RelocationSlot* SlotAt(uint32_t address);

// The place of a stride in the register of a DMA engine: 26 bits, signed, at bit 6 (specification
// 000, below table 23.5). The unit depends on the engine. Appendix C.6 has the same bits.
inline constexpr uint8_t kStrideBit = 6;
inline constexpr uint8_t kStrideWidth = 26;

}  // namespace anecheck::tdv10
