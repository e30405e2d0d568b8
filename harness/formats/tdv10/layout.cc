#include "harness/formats/tdv10/layout.h"

namespace anecheck::tdv10 {
namespace {

constexpr RegisterGroup kGroups[] = {
    {"kernel_and_common", "kernel DMA", 0x24, 34, 0x5500},
    {"dimensions", "common", 0xf4, 19, 0x0},
    {"tile_dma", "tile DMA source", 0x148, 69, 0x4d00},
    {"elementwise_and_planar", "L2", 0x264, 30, 0x4100},
    {"l2_and_texture", "planar", 0x2e4, 14, 0x4500},
    {"kernel_format_and_op_mode", "neural", 0x324, 11, 0x4900},
    {"l2_result", "tile DMA destination", 0x358, 21, 0x5100},
};

constexpr NamedField kFields[] = {
    {"Win", {0x00, 0, 15}, FactEvidence::kSpecification},
    {"Hin", {0x00, 16, 15}, FactEvidence::kSpecification},
    {"Cin", {0x0c, 0, 17}, FactEvidence::kSpecification},
    {"Cout", {0x10, 0, 17}, FactEvidence::kSpecification},
    {"OCGSize", {0x24, 0, 3}, FactEvidence::kSpecification},
    {"numGroups", {0x28, 0, 13}, FactEvidence::kSpecification},
    {"CommonTaskType", {0x38, 4, 4}, FactEvidence::kPublicNotes},
};

constexpr RelocationSlot kSlots[] = {
    {"input_tile", 0x1344},        {"second_operand", 0x134a},    {"output_tile", 0x1442},
    {"kernel_bias", 0x1554},       {"kernel_post_scale", 0x1558}, {"kernel_palette", 0x155c},
    {"kernel_activation", 0x1560},
};

}  // namespace

std::span<const RegisterGroup> Groups() { return kGroups; }
std::span<const NamedField> Fields() { return kFields; }
std::span<const RelocationSlot> RelocationSlots() { return kSlots; }

const RegisterGroup* GroupOf(uint32_t address) {
  if (address % 4 != 0) return nullptr;
  for (const RegisterGroup& group : kGroups) {
    if (address >= group.address && (address - group.address) / 4 < group.count) return &group;
  }
  return nullptr;
}

uint32_t ImageOffset(uint32_t address) {
  const RegisterGroup* group = GroupOf(address);
  return group->image_base + (address - group->address);
}

const NamedField* FindField(std::string_view name) {
  for (const NamedField& field : kFields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

const RelocationSlot* SlotAt(uint32_t address) {
  for (const RelocationSlot& slot : kSlots) {
    if (slot.address() == address) return &slot;
  }
  return nullptr;
}

}  // namespace anecheck::tdv10
