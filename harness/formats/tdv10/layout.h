// The layout of ZinAneTdHw_v10, the register image of a task in memory. It has seven register
// groups, named bit fields, and relocation slots. Sources: specification 000, tables 23.4 and 23.5,
// listing 23.3; public guide, appendix C.6 (facts/more/td_v10_fields.csv, register_groups.csv).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "harness/formats/format.h"

namespace anecheck::tdv10 {

// The size of the image, which is the end of the last group according to appendix C.6 and the field
// offsets of listing 23.3. In table 23.4 every group base is 8 bytes higher, as in an object that
// begins with an 8-byte pointer. A file may have either form.
inline constexpr size_t kImageSize = 0x3ac;
inline constexpr size_t kStructureLead = 8;

struct RegisterGroup {
  std::string_view name;
  std::string_view other_label;  // freedomtan's name for the same addresses on H16
  uint32_t image_base = 0;       // byte offset in the image
  uint32_t count = 0;            // registers of four bytes
  uint32_t address = 0;          // byte address of the first register
};

// A range of bits. It begins in one register.
struct BitField {
  uint32_t address = 0;  // byte address of the register
  uint8_t bit = 0;       // the lowest bit
  uint8_t width = 0;     // number of bits
};

struct NamedField {
  std::string_view name;
  BitField bits;
  FactEvidence evidence = FactEvidence::kSpecification;
};

// A register for an address that the loader fills in, because the compiler does not know it.
struct RelocationSlot {
  std::string_view name;
  uint32_t word = 0;  // the register's address in words, as in table 23.5
  uint32_t address() const { return word * 4; }
};

// Returns the seven groups, sorted by image base.
std::span<const RegisterGroup> Groups();
// Returns the fields of listing 23.3 and the task type of appendix C.6, sorted by address and bit.
// They do not overlap. (Appendix C.6 also has the input and output format in the register of Cout.
// This contradicts the listing, and this code follows the listing.)
std::span<const NamedField> Fields();
// Returns the seven slots of table 23.5. Appendix C.6 has eleven slots.
std::span<const RelocationSlot> RelocationSlots();

// Returns the group with the register at a byte address, or null. Returns null for an address that
// is not a multiple of four.
const RegisterGroup* GroupOf(uint32_t address);
// Returns the offset of a register in the image. Precondition: GroupOf(address) is not null.
uint32_t ImageOffset(uint32_t address);
// Returns the field with that name, or null.
const NamedField* FindField(std::string_view name);
// Returns the slot at that byte address, or null.
const RelocationSlot* SlotAt(uint32_t address);

// The bits of a stride in a register of a DMA engine. It is signed and has 26 bits at bit 6
// (specification 000, below table 23.5; appendix C.6 has the same bits). Its unit depends on the
// engine.
inline constexpr uint8_t kStrideBit = 6;
inline constexpr uint8_t kStrideWidth = 26;

}  // namespace anecheck::tdv10
