#include "harness/formats/hal/rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <utility>

#include "harness/formats/rules.h"

namespace anecheck::hal {
namespace {

constexpr FactEvidence kSpecification = FactEvidence::kSpecification;
constexpr FactEvidence kAssumed = FactEvidence::kAssumed;
constexpr std::string_view kTable241 = "specification 003, table 24.1";

// The capability bytes of specification 003, table 24.3.
constexpr uint32_t kTable243[] = {0x48f, 0x494, 0x4a9, 0x4f2, 0x529, 0x52d,
                                  0x563, 0x815, 0x816, 0x81a, 0x81d};

constexpr std::pair<uint64_t, uint64_t> kExtents[] = {
    {16384, 1}, {16384, 16384}, {65536, 65536}, {65535, 1}};

std::string_view NameAt(uint32_t offset) {
  const HalField* field = HalLayout::Get().Covering(offset);
  return field == nullptr ? "byte" : std::string_view(field->name);
}

uint64_t Scalar(const HalBlob& blob, uint32_t offset) { return blob.Scalar(offset).value(); }
bool Flag(const HalBlob& blob, uint32_t offset) { return blob.Flag(offset).value(); }

// Checks that the value at the offset is one of the values in its row of ValueRules.
template <uint32_t kOffset>
void OneOf(const HalBlob& blob, RuleReport& broken) {
  const auto row = std::ranges::find(ValueRules(), kOffset, &ValueRule::offset);
  const uint64_t value = Scalar(blob, kOffset);
  if (std::ranges::find(row->values, value) != row->values.end()) return;
  broken.Say(kOffset, fmt::format("{} is {}, allowed: {}", NameAt(kOffset), value,
                                  fmt::join(row->values, ", ")));
}

// Checks that the value at the first offset is at most the value at the second.
template <uint32_t kLow, uint32_t kHigh>
void InOrder(const HalBlob& blob, RuleReport& broken) {
  if (Scalar(blob, kLow) > Scalar(blob, kHigh)) {
    broken(kLow, "{} is {}, which is above {}", NameAt(kLow), Scalar(blob, kLow),
           Scalar(blob, kHigh));
  }
}

constexpr auto kRules = RulesOf<HalBlob>({
    {"table-size", "A table has 0x938 bytes.",
     "specification 003, naming the remaining capability flags", kSpecification,
     CheckedWhileParsing},
    {"conv-depth", "max_large_conv_kernel_dim_z is 1 or 16.", kTable241, kSpecification,
     OneOf<0x70>},
    {"tensor-extents", "Width and depth are a pair that some target has.",
     "specification 003, table 24.4; facts/targets.csv", kSpecification,
     [](const HalBlob& blob, RuleReport& broken) {
       const std::pair extents = {Scalar(blob, 0x138), Scalar(blob, 0x158)};
       if (std::ranges::find(kExtents, extents) != std::end(kExtents)) return;
       broken(0x138, "no target has width {} with depth {}", extents.first, extents.second);
     }},
    {"operand-bytes", "max_operand_bytes is 2 MiB, or 1 MiB.", kTable241, kSpecification,
     OneOf<0x1b8>},
    {"dram-alignment", "dram_alignment is 16, or 1.", kTable241, kSpecification, OneOf<0x1c0>},
    {"bank-alignment", "l2_bank_align is 64 on all targets.", kTable241, kSpecification,
     OneOf<0x1c8>},
    {"resident-threshold", "l2_resident_threshold is 0, 32768 or 262144.",
     "specification 003, table 24.4", kSpecification, OneOf<0x1f0>},
    {"kernel-caps", "The dense kernel-memory cap is not above the streamed one.",
     "specification 003, listing 24.3", kSpecification, InOrder<0x200, 0x210>},
    {"instruction-alignment", "instruction_alignment is 256 or 16.", kTable241, kSpecification,
     OneOf<0x218>},
    {"cycle-divisor", "ne_perf_cycle_divisor is 64, 32 or 16.", kTable241, kSpecification,
     OneOf<0x228>},
    {"core-count", "num_nes is 1, 4, 8, 16, 32 or 64.",
     "specification 003, below table 24.4; facts/targets.csv", kSpecification, OneOf<0x238>},
    {"extended-mode", "extended_kernel_memory_mode is 0 on all targets.", kTable241, kSpecification,
     OneOf<0x288>},
    {"format-count", "interchange_format_count is 0, 3, 13, 14 or 16.",
     "specification 003, table 24.1; facts/more/interchange_formats.csv", kSpecification,
     OneOf<0x668>},
    {"capability-boolean", "The capability bytes of table 24.3 are 0 or 1.",
     "specification 003, table 24.3, for the bytes; readers test bit 0, so that other values are "
     "not ruled out",
     kAssumed,
     [](const HalBlob& blob, RuleReport& broken) {
       for (const uint32_t offset : kTable243) {
         const uint8_t byte = blob.bytes()[offset];
         if (byte > 1) broken(offset, "{} is 0x{:x}, must be 0 or 1", NameAt(offset), byte);
       }
     }},
    {"fp8-with-fifo",
     "The flags of fp8 kernels and FIFO-mode DMA are equal; only on A18 both are set.",
     "specification 003, table 24.3", kSpecification,
     [](const HalBlob& blob, RuleReport& broken) {
       if (Flag(blob, 0x52d) == Flag(blob, 0x563)) return;
       const uint32_t clear = Flag(blob, 0x52d) ? 0x563 : 0x52d;
       broken(clear, "{} is clear, but the other flag is set", NameAt(clear));
     }},
    {"collective-off", "The collective byte 0x48b is 0 on all targets.",
     "facts/more/hal_capability_bytes_plus.csv (public guide, chapter 36)",
     FactEvidence::kPublicNotes,
     [](const HalBlob& blob, RuleReport& broken) {
       if (Flag(blob, 0x48b)) broken(0x48b, "{} is set, must be 0", NameAt(0x48b));
     }},
    {"patch-widths", "The patch-width floor is not above its clamp.",
     "no source; the names of 0x400 and 0x410 imply it", kAssumed, InOrder<0x400, 0x410>},
});

}  // namespace

std::span<const Rule> Rules() { return kRules.rules(); }

std::span<const ValueRule> ValueRules() {
  static const std::vector<ValueRule> rules = {
      {"conv-depth", 0x70, {1, 16}},
      {"operand-bytes", 0x1b8, {2097152, 1048576}},
      {"dram-alignment", 0x1c0, {16, 1}},
      {"bank-alignment", 0x1c8, {64}},
      {"resident-threshold", 0x1f0, {0, 32768, 262144}},
      {"instruction-alignment", 0x218, {256, 16}},
      {"cycle-divisor", 0x228, {64, 32, 16}},
      {"core-count", 0x238, {1, 4, 8, 16, 32, 64}},
      {"extended-mode", 0x288, {0}},
      {"format-count", 0x668, {0, 3, 13, 14, 16}},
  };
  return rules;
}

std::vector<Violation> Verify(const HalBlob& blob) { return kRules.Verify(blob); }

}  // namespace anecheck::hal
