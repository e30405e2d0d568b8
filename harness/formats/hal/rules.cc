#include "harness/formats/hal/rules.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "harness/formats/violation_list.h"

namespace anecheck::hal {
namespace {

constexpr Rule kRules[] = {
    {"table-size", "A table has 0x938 bytes.",
     "specification 003, naming the remaining capability flags", FactEvidence::kSpecification},
    {"conv-depth", "max_large_conv_kernel_dim_z is 1 or 16.", "specification 003, table 24.1",
     FactEvidence::kSpecification},
    {"tensor-extents", "Width and depth are a pair that some target has.",
     "specification 003, table 24.4; facts/targets.csv", FactEvidence::kSpecification},
    {"operand-bytes", "max_operand_bytes is 2 MiB, or 1 MiB.", "specification 003, table 24.1",
     FactEvidence::kSpecification},
    {"dram-alignment", "dram_alignment is 16, or 1.", "specification 003, table 24.1",
     FactEvidence::kSpecification},
    {"bank-alignment", "l2_bank_align is 64 across the line.", "specification 003, table 24.1",
     FactEvidence::kSpecification},
    {"resident-threshold", "l2_resident_threshold is 0, 32768 or 262144.",
     "specification 003, table 24.4", FactEvidence::kSpecification},
    {"kernel-caps", "The dense kernel-memory cap is not above the streamed one.",
     "specification 003, listing 24.3", FactEvidence::kSpecification},
    {"instruction-alignment", "instruction_alignment is 256 or 16.",
     "specification 003, table 24.1", FactEvidence::kSpecification},
    {"cycle-divisor", "ne_perf_cycle_divisor is 64, 32 or 16.", "specification 003, table 24.1",
     FactEvidence::kSpecification},
    {"core-count", "num_nes is 1, 4, 8, 16, 32 or 64.",
     "specification 003, below table 24.4; facts/targets.csv", FactEvidence::kSpecification},
    {"extended-mode", "extended_kernel_memory_mode is 0 on all targets.",
     "specification 003, table 24.1", FactEvidence::kSpecification},
    {"format-count", "interchange_format_count is 0, 3, 13, 14 or 16.",
     "specification 003, table 24.1; facts/more/interchange_formats.csv",
     FactEvidence::kSpecification},
    {"capability-boolean", "The capability bytes of table 24.3 are 0 or 1.",
     "specification 003, table 24.3, for the bytes; readers test bit 0, so that other values are "
     "not ruled out",
     FactEvidence::kAssumed},
    {"fp8-with-fifo", "fp8 kernels and FIFO-mode DMA are set together, on A18 alone.",
     "specification 003, table 24.3", FactEvidence::kSpecification},
    {"collective-off", "The collective byte 0x48b is 0 on all targets.",
     "facts/more/hal_capability_bytes_plus.csv (public guide, chapter 36)",
     FactEvidence::kPublicNotes},
    {"patch-widths", "The patch-width floor is not above its clamp.",
     "no source; the names of 0x400 and 0x410 imply it", FactEvidence::kAssumed},
};

const Rule* Named(std::string_view id) {
  return std::find_if(std::begin(kRules), std::end(kRules),
                      [&](const Rule& rule) { return rule.id == id; });
}

// The capability bytes of specification 003, table 24.3.
constexpr uint32_t kTable243[] = {0x48f, 0x494, 0x4a9, 0x4f2, 0x529, 0x52d,
                                  0x563, 0x815, 0x816, 0x81a, 0x81d};

constexpr std::pair<uint64_t, uint64_t> kExtents[] = {
    {16384, 1}, {16384, 16384}, {65536, 65536}, {65535, 1}};

class Verifier {
 public:
  explicit Verifier(const HalBlob& blob) : blob_(blob) {}

  std::vector<Violation> Run() {
    for (const ValueRule& rule : ValueRules()) CheckValue(rule);
    CheckRelations();
    for (const uint32_t offset : kTable243) {
      if (blob_.bytes()[offset] > 1) {
        Add("capability-boolean", offset, fmt::format("the byte is 0x{:x}", blob_.bytes()[offset]));
      }
    }
    if (Flag(0x52d) != Flag(0x563)) {
      Add("fp8-with-fifo", Flag(0x52d) ? 0x563 : 0x52d, "one is set without the other");
    }
    if (Flag(0x48b)) Add("collective-off", 0x48b, "the byte is set");
    return std::move(violations_).Take();
  }

 private:
  uint64_t Scalar(uint32_t offset) const { return blob_.Scalar(offset).value(); }
  bool Flag(uint32_t offset) const { return blob_.Flag(offset).value(); }

  void Add(std::string_view rule, uint32_t offset, std::string_view what) {
    const HalField* field = HalLayout::Get().Covering(offset);
    violations_.Add(*Named(rule), offset, "{}: {} at 0x{:x}: {}", rule,
                    field == nullptr ? "byte" : field->name, offset, what);
  }

  void CheckValue(const ValueRule& rule) {
    const uint64_t value = Scalar(rule.offset);
    if (std::find(rule.values.begin(), rule.values.end(), value) == rule.values.end()) {
      Add(rule.id, rule.offset,
          fmt::format("{} is none of {}", value, fmt::join(rule.values, ", ")));
    }
  }

  void CheckRelations() {
    const std::pair<uint64_t, uint64_t> extents = {Scalar(0x138), Scalar(0x158)};
    if (std::find(std::begin(kExtents), std::end(kExtents), extents) == std::end(kExtents)) {
      Add("tensor-extents", 0x138,
          fmt::format("no target has width {} with depth {}", extents.first, extents.second));
    }
    if (Scalar(0x200) > Scalar(0x210)) {
      Add("kernel-caps", 0x200, fmt::format("{} is above {}", Scalar(0x200), Scalar(0x210)));
    }
    if (Scalar(0x400) > Scalar(0x410)) {
      Add("patch-widths", 0x400, fmt::format("{} is above {}", Scalar(0x400), Scalar(0x410)));
    }
  }

  const HalBlob& blob_;
  ViolationList violations_;
};

}  // namespace

std::span<const Rule> Rules() { return kRules; }

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

std::vector<Violation> Verify(const HalBlob& blob) { return Verifier(blob).Run(); }

}  // namespace anecheck::hal
