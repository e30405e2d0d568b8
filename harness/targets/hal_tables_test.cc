// Compares every number of specification 003, tables 24.1 to 24.5, with the built-in targets.

#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "harness/base/json.h"
#include "harness/targets/catalog.h"
#include "harness/targets/targets_print.h"

namespace anecheck {
namespace {

constexpr uint64_t kMiB = 1048576;

const Target& Named(std::string_view name) {
  const Result<const Target*> found = FindTarget(name);
  EXPECT_TRUE(found.ok()) << name;
  return **found;
}

// Returns the values that `anecheck targets --json` prints, by target and offset of the field.
const std::map<std::pair<std::string, std::string>, std::string>& Printed() {
  static const auto* const kPrinted = [] {
    auto* printed = new std::map<std::pair<std::string, std::string>, std::string>;
    for (const auto& target : TargetsJson(TargetCatalog::Builtin())) {
      for (const auto& property : target["properties"]) {
        const bool field = property["group"] != "target" && property["group"] != "limit";
        if (!field || property["value"].is_null()) continue;
        printed->emplace(std::pair(target["name"].get<std::string>(), property["key"].text()),
                         property["value"].get<std::string>());
      }
    }
    return printed;
  }();
  return *kPrinted;
}

void ExpectPrinted(std::string_view target, uint32_t offset, const std::string& value) {
  const auto found = Printed().find({Named(target).name, fmt::format("0x{:x}", offset)});
  ASSERT_NE(found, Printed().end()) << target << " " << std::hex << offset;
  EXPECT_EQ(found->second, value) << target << " " << std::hex << offset;
}

uint64_t Scalar(std::string_view target, uint32_t offset) {
  const Known<uint64_t>& value = Named(target).hal.Scalar(offset);
  EXPECT_TRUE(value.known()) << target << " " << std::hex << offset;
  if (!value.known()) return ~uint64_t{0};
  ExpectPrinted(target, offset, std::to_string(value.value()));
  return value.value();
}

std::string Policy(std::string_view target) {
  const std::string policy = Named(target).hal.Text(0x580).value();
  ExpectPrinted(target, 0x580, policy);
  return policy;
}

struct FieldRow {
  uint32_t offset;
  const char* field;
  uint64_t h13;
};

// Specification 003, table 24.1: field names and M1 values.
constexpr FieldRow kTable241[] = {
    {0x1b8, "max_operand_bytes", 2 * kMiB},
    {0x1c0, "dram_alignment", 16},
    {0x1c8, "l2_bank_align", 64},
    {0x1f0, "l2_resident_threshold", 0},
    {0x200, "dense_kernel_memory_cap", 64 * 1024},
    {0x210, "streamed_kernel_memory_cap", 16 * kMiB},
    {0x218, "instruction_alignment", 256},
    {0x228, "ne_perf_cycle_divisor", 64},
    {0x238, "num_nes", 4},
    {0x288, "extended_kernel_memory_mode", 0},
    {0x070, "max_large_conv_kernel_dim_z", 16},
    {0x138, "max_tensor_width", 16384},
    {0x158, "max_tensor_depth", 16384},
    {0x3f0, "reduction_transpose_extent", 192},
    {0x400, "pe_min_patch_width_log2", 4},
    {0x668, "interchange_format_count", 3},
};

TEST(Table241, GivesTheM1ValuesByOffsetAndByName) {
  for (const FieldRow& row : kTable241) {
    EXPECT_EQ(Scalar("H13", row.offset), row.h13) << row.field;
    const Known<uint64_t>& by_name = Named("H13").hal.Scalar(row.field);
    ASSERT_TRUE(by_name.known()) << row.field;
    EXPECT_EQ(by_name.value(), row.h13) << row.field;
    EXPECT_FALSE(by_name.source().empty()) << row.field;
  }
  EXPECT_EQ(Policy("H13"), "Simple");
}

TEST(Table241, ChangesAtTheListedTargets) {
  EXPECT_EQ(Scalar("M9", 0x1b8), kMiB);
  for (const Target& target : AllTargets()) {
    if (target.tier == Tier::kReference) continue;  // has only placeholder limits
    if (target.name != "M9") {
      EXPECT_EQ(Scalar(target.name, 0x1b8), 2 * kMiB) << target.name;
    }
    const bool small = target.name == "M9" || target.name == "M11";
    EXPECT_EQ(Scalar(target.name, 0x1c0), small ? 1u : 16u) << target.name;
    EXPECT_EQ(Scalar(target.name, 0x1c8), 64u) << target.name;
  }
  EXPECT_EQ(Scalar("H15", 0x1f0), 32768u);
  EXPECT_EQ(Scalar("H16", 0x1f0), 262144u);
  EXPECT_EQ(Scalar("H14", 0x218), 16u);
  EXPECT_EQ(Scalar("H11", 0x228), 32u);
  EXPECT_EQ(Scalar("M9", 0x228), 16u);
  EXPECT_EQ(Scalar("H12", 0x70), 1u);
  EXPECT_EQ(Scalar("H12", 0x158), 1u);
  EXPECT_EQ(Scalar("H16", 0x138), 65536u);
  EXPECT_EQ(Scalar("H16", 0x158), 65536u);
  EXPECT_EQ(Scalar("H15", 0x3f0), 384u);
  EXPECT_EQ(Scalar("H14", 0x668), 13u);
  EXPECT_EQ(Scalar("H15", 0x668), 16u);
  EXPECT_EQ(Scalar("H16", 0x668), 14u);
  EXPECT_EQ(Policy("H11"), "None");
  EXPECT_EQ(Policy("M11"), "None");
  EXPECT_EQ(Policy("M9"), "None");
  EXPECT_EQ(Scalar("H17s", 0x400), 4u);
}

TEST(Table241, ExtendedKernelMemoryIsOffOnAll28Targets) {
  for (const Target& target : AllTargets()) EXPECT_EQ(Scalar(target.name, 0x288), 0u);
}

TEST(Table242, FloorsAreTheListedOnes) {
  const struct {
    Family floor;
    std::vector<const char*> ops;
  } rows[] = {
      {Family::kA11Legacy,
       {"convolution", "matmul", "pooling", "elementwise", "reshape", "transpose", "concat"}},
      {Family::kA13,
       {"softmax", "layer_norm", "instance_norm", "batch_norm", "reductions",
        "scaled_dot_product_attention", "erf", "sqrt"}},
      {Family::kA14, {"crop_resize", "resample"}},
      {Family::kA15, {"sin", "cos", "global_argmin", "global_argmax"}},
  };
  for (const auto& row : rows) {
    for (const char* op : row.ops) {
      const Known<Family> floor = TargetCatalog::Builtin().Floor(op);
      ASSERT_TRUE(floor.known()) << op;
      EXPECT_EQ(floor.value(), row.floor) << op;
    }
  }
  EXPECT_FALSE(TargetCatalog::Builtin().Floor("no_such_op").known());
}

struct CapabilityRow {
  uint32_t offset;
  const char* gate;
  std::array<bool, 5> values;  // H13, A14, A15, A16, A18
};

constexpr CapabilityRow kTable243[] = {
    {0x48f, "kernel_streaming_master", {true, true, true, true, true}},
    {0x494, "square_after_reduction_fusion", {false, true, true, true, true}},
    {0x4a9, "dropout_and_random", {false, false, true, true, true}},
    {0x4f2, "global_arg_min_max", {true, true, true, true, true}},
    {0x529, "kernel_stride_enable_palette", {true, true, true, true, true}},
    {0x52d, "fp8_e4m3_kernel_format", {false, false, false, false, true}},
    {0x563, "fifo_mode_dma", {false, false, false, false, true}},
    {0x815, "softmax", {true, true, true, true, true}},
    {0x816, "instance_normalization", {true, true, true, true, true}},
    {0x81a, "local_response_normalization", {true, true, true, true, true}},
    {0x81d, "texture_engine", {false, true, true, true, true}},
};

TEST(Table243, CapabilityBytes) {
  const char* targets[] = {"H13", "H14", "H15", "H16", "H18"};
  for (const CapabilityRow& row : kTable243) {
    for (size_t i = 0; i < row.values.size(); ++i) {
      const Known<bool>& flag = Named(targets[i]).hal.Capability(row.offset);
      ASSERT_TRUE(flag.known()) << row.gate << " " << targets[i];
      EXPECT_EQ(flag.value(), row.values[i]) << row.gate << " " << targets[i];
      ExpectPrinted(targets[i], row.offset, row.values[i] ? "1" : "0");
      EXPECT_EQ(Named(targets[i]).hal.Capability(row.gate).value(), row.values[i]);
    }
  }
}

TEST(Table243, Fp8IsSetOnlyOnA18) {
  for (const Target& target : AllTargets()) {
    const Known<bool>& fp8 = target.hal.Capability(0x52d);
    ASSERT_TRUE(fp8.known()) << target.name;
    EXPECT_EQ(fp8.value(), target.tier == Tier::kA18) << target.name;
  }
}

struct MatrixRow {
  uint32_t offset;
  std::array<uint64_t, 5> values;  // H13, A14, A15, A16, A17 (the M5 column is the 16-core H17s)
};

constexpr MatrixRow kTable244[] = {
    {0x238, {4, 4, 4, 4, 16}},
    {0x1b8, {2 * kMiB, 2 * kMiB, 2 * kMiB, 2 * kMiB, 2 * kMiB}},
    {0x138, {16384, 16384, 16384, 65536, 65536}},
    {0x158, {16384, 16384, 16384, 65536, 65536}},
    {0x070, {16, 16, 16, 16, 16}},
    {0x1f0, {0, 0, 32768, 262144, 262144}},
    {0x218, {256, 16, 16, 16, 16}},
    {0x3f0, {192, 192, 384, 384, 384}},
    {0x668, {3, 13, 16, 14, 14}},
};

TEST(Table244, ScalarsAtTheGenerationAnchors) {
  const char* targets[] = {"H13", "H14", "H15", "H16", "H17s"};
  for (const MatrixRow& row : kTable244) {
    for (size_t i = 0; i < row.values.size(); ++i) {
      EXPECT_EQ(Scalar(targets[i], row.offset), row.values[i])
          << targets[i] << " " << std::hex << row.offset;
    }
  }
}

// The text below table 24.4 states 4 cores for the base name, 8 for g, 16 for s, 32 for c, 64 for
// d.
TEST(Table244, CoresFollowTheDieSuffix) {
  size_t compared = 0;
  for (const Target& target : AllTargets()) {
    // The capability tables of H18g and H19 are newer than table 24.4.
    if (target.name[0] != 'H' || !target.hal.Scalar(0x238).known()) continue;
    ++compared;
    uint64_t cores = 4;
    if (target.name.ends_with('g')) cores = 8;
    if (target.name.ends_with('s')) cores = 16;
    if (target.name.ends_with('c')) cores = 32;
    if (target.name.ends_with('d')) cores = 64;
    EXPECT_EQ(target.ne_cores.statements().back().value, cores) << target.name;
    EXPECT_EQ(Scalar(target.name, 0x238), cores) << target.name;
  }
  EXPECT_EQ(compared, 19u);
}

// HAL 0x0c of compiler 10.26.6 (facts/silicon/targets_new.csv). The rule of suffixes does not hold
// in this release (facts/silicon/conflicts.csv).
TEST(Cores, AreSixteenFromH13InTheNewestCompiler) {
  for (const Target& target : AllTargets()) {
    if (target.name[0] != 'H') continue;
    const bool old = target.name == "H11" || target.name == "H12";
    EXPECT_EQ(target.ne_cores.value(), old ? 8u : 16u) << target.name;
  }
  EXPECT_EQ(Named("M9").ne_cores.values(), (std::vector<uint64_t>{2, 1}));
}

struct ReaderRow {
  uint32_t offset;
  const char* field;
  const char* reader;
};

constexpr ReaderRow kTable245[] = {
    {0x4a8, "pe_work_unit_shape_supported", "PERasterization::ComputeWUShape"},
    {0x4ac, "small_source_mode_compression_supported",
     "ZinANELayer::AllowCompressionBasedOnSmallSourceMode"},
    {0x4b0, "non_power_of_two_work_unit_width_supported", "NERasterization::CanUseNonPowerOf2WUs"},
    {0x4f0, "preferred_kernel_layout_format", "ZinIrKernel::GetPreferredKernelLayoutFormat"},
    {0x500, "transpose_and_multicast_configuration",
     "ZinNELayer::FindValidMirInfoForTransposeCore"},
    {0x520, "secure_mode_cache_hint_dsid_gate", "GetDSIDFromPriorityHalAndSecureMode"},
    {0x52c, "tensor_format_support_flag", "ZinLayerValidationUtils::ValidateFormat"},
    {0x54c, "cache_prefetch_kernel_task_interval_limit",
     "ZinValidateTd<17>::ValidateCachePrefetchKernelTaskInterval"},
    {0x5a8, "cache_hint_dsid_value", "GetDSIDFromPriorityHalAndSecureMode"},
    {0x708, "reflective_padding_maximum_extent",
     "ZinValidateTd<20>::ValidateReflectivePaddingMode"},
    {0x748, "gather_texture_descriptor_pointer", "ZinGatherLayer::CreateTELayer"},
    {0x8b4, "tile_height_errata_threshold", "ZinTileHeightErrata::Workaround"},
    {0x8bc, "chaining_enabled", "ZinIrRegAllocUtil::IsChainable"},
    {0x8e0, "kernel_caching_enabled", "ZinIrTdValidationUtil::ValidateKernelCaching<N>"},
};

TEST(Table245, NamedOffsetsAreFields) {
  for (const ReaderRow& row : kTable245) {
    const HalField* field = HalLayout::Get().At(row.offset);
    ASSERT_NE(field, nullptr) << row.field;
    EXPECT_EQ(field->name, row.field);
    EXPECT_EQ(field->reader, row.reader);
    EXPECT_EQ(HalLayout::Get().Named(row.field), field);
    // Pointers are no properties.
    if (field->kind == HalKind::kPointer) continue;
    bool listed = false;
    for (const TargetProperty& property :
         TargetProperties(TargetCatalog::Builtin(), Named("H13"))) {
      listed = listed ||
               (property.key == fmt::format("0x{:x}", row.offset) && property.name == row.field);
    }
    EXPECT_TRUE(listed) << row.field;
  }
  EXPECT_FALSE(Named("H13").hal.Capability(0x8bc).known()) << "the field has a name but no value";
}

// Nothing reads these five scalars from the table (specification 003, "Dead and family-gated
// fields").
TEST(DeadFields, AreTheFiveOfTheSpecification) {
  std::vector<uint32_t> dead;
  for (const HalField& field : HalLayout::Get().fields()) {
    if (field.dead) dead.push_back(field.offset);
  }
  EXPECT_EQ(dead, (std::vector<uint32_t>{0x18, 0x80, 0x260, 0x29c, 0x320}));
}

TEST(RejectedOffsets, AreNotFields) {
  for (uint32_t offset : {0x678u, 0xcf8u, 0xa30u, 0xe83u}) {
    ASSERT_NE(HalLayout::Get().NonFieldAt(offset), nullptr) << std::hex << offset;
    EXPECT_FALSE(HalLayout::Get().MayBeFlag(offset));
    EXPECT_FALSE(Named("H13").hal.Scalar(offset).known());
  }
}

TEST(Flags, OnlyFlagBytesAreReadAsFlags) {
  const HalLayout& layout = HalLayout::Get();
  EXPECT_TRUE(layout.MayBeFlag(0x81d));
  EXPECT_TRUE(layout.MayBeFlag(0x490));   // an unnamed byte of the capability region
  EXPECT_TRUE(layout.MayBeFlag(0x680));   // the Winograd bit, named inside the cost block
  EXPECT_FALSE(layout.MayBeFlag(0x600));  // the cost block itself
  EXPECT_FALSE(layout.MayBeFlag(0x54c));  // a limit among the flags
  EXPECT_FALSE(layout.MayBeFlag(0x748));  // a pointer
  EXPECT_FALSE(layout.MayBeFlag(0x238));  // a scalar
  EXPECT_FALSE(layout.MayBeFlag(0x940));  // past the end
  EXPECT_FALSE(Named("H13").hal.Capability(0x238).known());
  EXPECT_FALSE(Named("H13").hal.Scalar(0x81d).known());
}

}  // namespace
}  // namespace anecheck
