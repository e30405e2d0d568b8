// Draws the tables of random targets for the hal format. Each mutation breaks one rule of it.

#include "generators/formats/hal/hal_generator.h"

#include <algorithm>
#include <array>

#include "generators/formats/common/byte_mutations.h"
#include "harness/base/little_endian.h"
#include "harness/formats/hal/hal.h"
#include "harness/formats/hal/rules.h"
#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

bool IsNumber(const HalField& field) {
  return field.kind == HalKind::kScalar || field.kind == HalKind::kValue;
}

// Draws the value of a field if no source states the value. Numbers are small, as limits are.
void FillUnknown(const HalField& field, HalImage& image, ChoiceStream& choices) {
  if (image.known[field.offset]) return;
  for (const hal::ValueRule& rule : hal::ValueRules()) {
    if (rule.offset == field.offset) {
      StoreLittle(image.bytes, field.offset, field.width, choices.Pick(rule.values));
      return;
    }
  }
  if (field.kind == HalKind::kFlag) {
    image.bytes[field.offset] = choices.Coin() ? 1 : 0;
  } else if (IsNumber(field)) {
    StoreLittle(image.bytes, field.offset, field.width, choices.Below(65536));
  } else if (choices.Coin()) {
    for (uint32_t i = 0; i < field.width; ++i) {
      image.bytes[field.offset + i] = static_cast<uint8_t>(choices.Below(256));
    }
  }
}

Bytes Generate(ChoiceStream& choices) {
  const Target& target = choices.Pick(AllTargets());
  HalImage image = HalImageOf(target);
  for (const HalField& field : HalLayout::Get().fields()) FillUnknown(field, image, choices);
  const auto put = [&](uint32_t offset, uint64_t value) {
    if (!image.known[offset]) StoreLittle(image.bytes, offset, 8, value);
  };
  put(0x200, 65536);
  put(0x210, 16777216);
  put(0x400, 4);
  put(0x410, 9);
  if (!image.known[0x563]) image.bytes[0x563] = image.bytes[0x52d] & 1;
  // Bytes that no source describes may have any value.
  for (uint64_t n = choices.Below(40); n > 0; --n) {
    const auto offset = static_cast<uint32_t>(choices.Below(kHalSize));
    if (HalLayout::Get().Covering(offset) == nullptr) {
      image.bytes[offset] = static_cast<uint8_t>(choices.Below(256));
    }
  }
  return image.bytes;
}

// Proposes an illegal value near the legal values.
std::optional<Mutation> ProposeValue(std::string_view kind, std::string_view rule_id,
                                     ChoiceStream& choices) {
  for (const hal::ValueRule& rule : hal::ValueRules()) {
    if (rule.id != rule_id) continue;
    uint64_t value = choices.Pick(rule.values);
    value += 1 + choices.Below(3);
    while (std::find(rule.values.begin(), rule.values.end(), value) != rule.values.end()) ++value;
    return MakePatch(kind, {{rule.offset, 8, value}});
  }
  return std::nullopt;
}

#define ANECHECK_HAL_VALUE(function, kind, rule)                                \
  std::optional<Mutation> function(ByteSpan /*bytes*/, ChoiceStream& choices) { \
    return ProposeValue(kind, rule, choices);                                   \
  }
ANECHECK_HAL_VALUE(ConvDepth, "odd-conv-depth", "conv-depth")
ANECHECK_HAL_VALUE(OperandBytes, "odd-operand-bytes", "operand-bytes")
ANECHECK_HAL_VALUE(DramAlignment, "odd-dram-alignment", "dram-alignment")
ANECHECK_HAL_VALUE(BankAlignment, "odd-bank-alignment", "bank-alignment")
ANECHECK_HAL_VALUE(ResidentThreshold, "odd-resident-threshold", "resident-threshold")
ANECHECK_HAL_VALUE(InstructionAlignment, "odd-instruction-alignment", "instruction-alignment")
ANECHECK_HAL_VALUE(CycleDivisor, "odd-cycle-divisor", "cycle-divisor")
ANECHECK_HAL_VALUE(CoreCount, "odd-core-count", "core-count")
ANECHECK_HAL_VALUE(ExtendedMode, "set-extended-mode", "extended-mode")
ANECHECK_HAL_VALUE(FormatCount, "odd-format-count", "format-count")
#undef ANECHECK_HAL_VALUE

std::optional<Mutation> Truncate(ByteSpan bytes, ChoiceStream& choices) {
  return MakeResize("truncate", choices.Below(bytes.size()));
}

std::optional<Mutation> Extend(ByteSpan bytes, ChoiceStream& choices) {
  return MakeResize("extend", bytes.size() + 1 + choices.Below(0x54c), 0);
}

std::optional<Mutation> Extents(ByteSpan bytes, ChoiceStream& choices) {
  // Doubles the width, so that width and depth belong to different generations.
  const uint64_t width = LoadLittle(bytes, 0x138, 8);
  return MakePatch("mix-tensor-extents", {{0x138, 8, width * 2 + choices.Below(2)}});
}

std::optional<Mutation> Caps(ByteSpan bytes, ChoiceStream& choices) {
  return MakePatch("exceed-streamed-cap",
                   {{0x200, 8, LoadLittle(bytes, 0x210, 8) + 1 + choices.Below(65536)}});
}

std::optional<Mutation> Boolean(ByteSpan bytes, ChoiceStream& choices) {
  constexpr std::array<uint64_t, 4> kOffsets = {0x81d, 0x48f, 0x815, 0x4f2};
  const uint64_t offset = choices.Pick(kOffsets);
  // Bit 0 is kept, so that no rule about the flag's meaning breaks.
  return MakePatch("widen-capability", {{offset, 1, bytes[offset] | (2 + 2 * choices.Below(100))}});
}

std::optional<Mutation> Fifo(ByteSpan bytes, ChoiceStream& choices) {
  const uint64_t offset = choices.Coin() ? 0x52d : 0x563;
  return MakePatch("split-fp8-from-fifo", {{offset, 1, uint64_t{bytes[offset]} ^ 1}});
}

std::optional<Mutation> Collective(ByteSpan bytes, ChoiceStream& /*choices*/) {
  return MakePatch("set-collective", {{0x48b, 1, uint64_t{bytes[0x48b]} | 1}});
}

std::optional<Mutation> PatchWidths(ByteSpan bytes, ChoiceStream& choices) {
  return MakePatch("swap-patch-widths",
                   {{0x400, 8, LoadLittle(bytes, 0x410, 8) + 1 + choices.Below(8)}});
}

std::optional<Mutation> DeadField(ByteSpan bytes, ChoiceStream& choices) {
  return MakePatch("set-dead-field",
                   {{0x260, 8, LoadLittle(bytes, 0x260, 8) ^ (1 + choices.Below(1000))}});
}

std::optional<Mutation> UnnamedFlag(ByteSpan bytes, ChoiceStream& choices) {
  const uint64_t offset = 0x840 + choices.Below(0x40);
  return MakePatch("flip-unnamed-flag", {{offset, 1, uint64_t{bytes[offset]} ^ 1}});
}

std::optional<Mutation> Pointer(ByteSpan bytes, ChoiceStream& choices) {
  return MakePatch("scribble-pointer",
                   {{0x748, 8, LoadLittle(bytes, 0x748, 8) ^ (1 + choices.Below(1u << 30))}});
}

constexpr MutationKind kMutations[] = {
    {"truncate", "table-size", Truncate, ApplyResize},
    {"extend", "table-size", Extend, ApplyResize},
    {"odd-conv-depth", "conv-depth", ConvDepth, ApplyPatch},
    {"mix-tensor-extents", "tensor-extents", Extents, ApplyPatch},
    {"odd-operand-bytes", "operand-bytes", OperandBytes, ApplyPatch},
    {"odd-dram-alignment", "dram-alignment", DramAlignment, ApplyPatch},
    {"odd-bank-alignment", "bank-alignment", BankAlignment, ApplyPatch},
    {"odd-resident-threshold", "resident-threshold", ResidentThreshold, ApplyPatch},
    {"exceed-streamed-cap", "kernel-caps", Caps, ApplyPatch},
    {"odd-instruction-alignment", "instruction-alignment", InstructionAlignment, ApplyPatch},
    {"odd-cycle-divisor", "cycle-divisor", CycleDivisor, ApplyPatch},
    {"odd-core-count", "core-count", CoreCount, ApplyPatch},
    {"set-extended-mode", "extended-mode", ExtendedMode, ApplyPatch},
    {"odd-format-count", "format-count", FormatCount, ApplyPatch},
    {"widen-capability", "capability-boolean", Boolean, ApplyPatch},
    {"split-fp8-from-fifo", "fp8-with-fifo", Fifo, ApplyPatch},
    {"set-collective", "collective-off", Collective, ApplyPatch},
    {"swap-patch-widths", "patch-widths", PatchWidths, ApplyPatch},
    {"set-dead-field", "", DeadField, ApplyPatch},
    {"flip-unnamed-flag", "", UnnamedFlag, ApplyPatch},
    {"scribble-pointer", "", Pointer, ApplyPatch},
};

}  // namespace

const DescriptorGenerator kGenerator_hal = {"hal", Generate, kMutations};

}  // namespace anecheck
