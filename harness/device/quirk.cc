#include "harness/device/quirk.h"

#include "harness/device/multiply_accumulate.h"

namespace anecheck::device {
namespace {

// The families "all" set every bit. The families "measured host" are the family of an M5, A17. D14
// has the bit of A13 for the arc tangent, and the bits of A15 and later for sine and cosine
// (numerics.md). D15 has the bits of A14 and A17, which do not round half to even
// (facts/more/numerics_plus.csv: 2049 became 2050 on both). Each P row rests on one secondary
// source and is off by default, except P13. P13 is on, because every cross compilation shows it.
constexpr Quirk kQuirks[] = {
    {"D01", "matmul/linear/conv>=2 taps", "|output| >= 32768 at the accumulator port",
     "finite result becomes +-inf (32752 passes)", "numeric", "A13,A14,A17 measured", 0x4c, true},
    {"D02", "slice_by_size", "nonzero begin on the width (last) axis and |x| > 4094",
     "value becomes +-inf", "numeric", "A13,A14", 0x0c, true},
    {"D03", "matmul reduction", "one 4096 and 1024 ones", "5116 instead of 5120", "numeric", "A13",
     0x04, true},
    {"D04", "reduction tree", "16 x [+B,-B,+1] for B>=4096", "only 4 of 16 ones survive", "numeric",
     "A13", 0x04, true},
    {"D05", "matmul", "sum of denormals", "flushed to +0 (kept on A17)", "numeric", "A13", 0x04,
     true},
    {"D06", "any elementwise", "NaN input", "behaves as +inf, device never emits NaN", "numeric",
     "A13", 0x04, true},
    {"D07", "sub/mul/sqrt/rsqrt/log", "inf-inf, 0*inf, sqrt(-1), rsqrt(-1), log(-1)", "+0",
     "numeric", "A13", 0x04, true},
    {"D08", "inverse/rsqrt", "-0 input", "+inf instead of -inf, sign of zero is lost through x+0",
     "numeric", "A13", 0x04, true},
    {"D09", "softplus", "x >= about 10.4 (exp overflow)", "drops to 0", "numeric", "A13,A16,A17",
     0x64, true},
    {"D10", "softsign", "+inf", "0 instead of 1", "numeric", "A13", 0x04, true},
    {"D11", "log", "+0", "finite sentinel -45440", "numeric", "A13", 0x04, true},
    {"D12", "gelu", "x=0", "-0.000543", "numeric", "A13", 0x04, true},
    {"D13", "silu", "x=0", "-0.001259", "numeric", "A13", 0x04, true},
    {"D14", "sin/cos/atan", "near argument-reduction seams", "0.04 to 0.12 absolute error",
     "numeric", "A13 (atan)", 0xf4, true},
    {"D15", "rounding", "tie at 2049 on a grid of 2", "2048 on A13, 2050 on A17", "numeric",
     "A13,A17", 0x48, true},
    {"D16", "conv3d", "kernel depth > 1", "attested by HAL 0x70, no backend lowers it",
     "reachability", "all", 0xff, true},
    {"D17", "topk", "K in {3,4}", "compile reject at every width", "reachability", "A13,A17", 0x44,
     true},
    {"D18", "sort, dynamic_slice", "any", "validator accepts, code generation rejects",
     "reachability", "A13", 0x04, true},
    {"D19", "local_response_norm", "C >= 16", "compile reject", "reachability", "A13", 0x04, true},
    {"D20", "minmax_norm", "Dimension=Channel", "compile reject", "reachability", "A13", 0x04,
     true},
    {"D21", "SDPA native", "SubtractMax left false", "wrong softmax", "numeric", "all", 0xff, true},
    {"D22", "SDPA native", "both query and key sequence >= 512", "garbage (cosine about 0.67)",
     "numeric", "measured host", 0x40, true},
    {"D23", "SDPA native", "sequence > 2048", "garbage", "numeric", "measured host", 0x40, true},
    {"D24", "SDPA native", "per-head additive mask", "one plane applied to all heads", "numeric",
     "measured host", 0x40, true},
    {"D25", "scaled_elementwise", "Type=Mult", "Scale ignored", "numeric", "measured host", 0x40,
     true},
    {"D26", "scaled_elementwise", "Type=Sub", "compile reject", "reachability", "measured host",
     0x40, true},
    {"D27", "gather", "last (width) axis", "wrong elements", "numeric", "A13,A14", 0x0c, true},
    {"D28", "mul after reduce", "mul(reduce(x), 0.0) or a constant underflowing to fp16 zero",
     "compile reject", "reachability", "measured host", 0x40, true},
    {"D29", "conv", "kernel width > 13 fp16 on A13 (> 15 on A16+), height free", "compile reject",
     "reachability", "A13,A16", 0xe4, true},
    {"D30", "dynamic conv", "batch >= 2", "compile reject", "reachability", "measured host", 0x40,
     true},
    {"D31", "matmul rank 5", "any", "compile reject although rank 5 is legal", "reachability",
     "A13", 0x04, true},
    {"D32", "reduce_argmin and whole-tensor arg reductions", "conversion route below A15",
     "reject, the direct route runs", "route", "A13,A14", 0x0c, true},
    {"D33", "legacy divide", "non-constant divisor",
     "match failure, constant divisor uses fp16(1/b): floor(6*fp16(1/3)) = 1", "numeric", "A11/A12",
     0x03, true},
    {"D34", "rank-2 matmul feeding hard_swish", "2-D operand (4-D form is right)",
     "relative L2 error about 4 percent", "numeric", "measured host", 0x40, true},
    {"D35", "runtime", "mask 0x7 and the ANE compile fails", "silent fall back to the CPU backend",
     "placement", "all", 0xff, true},
    {"D36", "runtime", "129th loaded program in one process", "load failure, release frees a slot",
     "runtime", "all", 0xff, true},
    {"D37", "runtime", "completion event under execute_sync",
     "last signalled value does not advance", "runtime", "all", 0xff, true},
    {"D38", "compiler (TD v7 patch settings)", "tile-overlap-pad-reflect written at the v8 offset",
     "bit lands in the wrong word", "encoding", "A13", 0x04, true},
    {"D39", "large matmul", "dimension 2^14 square fp16", "inference time-out", "runtime",
     "measured host", 0x40, true},
    {"P01", "square", "native square fused with a non-linearity, W mod 128 above 64",
     "compile reject", "reachability", "M5", 0x00, false},
    {"P02", "unflatten", "any variant", "validator accepts, code generation rejects",
     "reachability", "M1, M5", 0x00, false},
    {"P03", "crop_resize", "direct netlist", "code generation rejects", "reachability", "M5", 0x00,
     false},
    {"P04", "ring buffer writer", "single-procedure netlist", "fails", "reachability", "M5", 0x00,
     false},
    {"P05", "kernel rasterizer", "any but the identity configuration", "compile reject",
     "reachability", "M5", 0x00, false},
    {"P06", "resample", "Bilinear authored directly",
     "code generation rejects, the MIL resize route runs", "route", "M5", 0x00, false},
    {"P07", "attention", "mask [1,1,1,Skv] with more than one query row", "underflows the layer",
     "numeric", "measured host", 0x00, false},
    {"P08", "furthest-point sampling", "DistanceMetric = L1", "L2 is used", "numeric",
     "measured host", 0x00, false},
    {"P09", "local response norm", "C above KernelChannel", "the remaining channels are copied",
     "numeric", "measured host", 0x00, false},
    {"P10", "norm parameters", "Epsilon or Alpha passed as a float",
     "truncates to about 0 and yields identity", "numeric", "measured host", 0x00, false},
    {"P11", "dynamic_slice", "any but width 4, size 2", "rejected", "reachability", "measured host",
     0x00, false},
    {"P12", "matmul", "transpose and matmul at rank 5", "compile reject", "reachability", "M5",
     0x00, true},
    {"P13", "target name", "unknown TargetArchitecture", "compiles for the host without a word",
     "placement", "all", 0xff, true},
    {"P14", "cross compile", "cap of another family", "not enforced reliably", "placement", "all",
     0x00, false},
    {"P15", "compile service", "failures faster than the service restarts",
     "unrelated compiles slow", "runtime", "A13", 0x00, false},
    {"P16", "conv training graph", "batch 1000", "compile does not end", "runtime", "A13", 0x00,
     false},
    {"P17", "fan-in", "about twelve branches into one consumer", "compile near 9 s", "runtime",
     "A13", 0x00, false},
    {"P18", "quantised multiply", "output scale differs from the input scale",
     "wrong by the ratio of scales (2, 4, 8)", "numeric", "Core AI route", 0x00, false},
    {"P19", "reduce_sum", "accumulates in fp16 by one source", "rounding", "numeric", "M5", 0x00,
     false},
    {"P20", "legacy broadcast", "channel axis",
     "becomes a matmul by ones, other axes an add of zero", "route", "A11, A12", 0x00, false},
};
static_assert(std::size(kQuirks) <= kMaxQuirks);
constexpr int kDefectRows = 39;
static_assert(kQuirks[kDefectRows].id == "P01");

}  // namespace

std::span<const Quirk> Quirks() { return kQuirks; }

// Ids consist of a letter and a number. The numbers start at 01 and follow the order of the rows.
// The D rows precede the P rows.
int FindQuirk(std::string_view id) {
  if (id.size() != 3) return -1;
  const int number = (id[1] - '0') * 10 + (id[2] - '0');
  const int index = (id[0] == 'D' ? 0 : kDefectRows) + number - 1;
  if (index < 0 || index >= static_cast<int>(std::size(kQuirks))) return -1;
  return kQuirks[index].id == id ? index : -1;
}

bool QuirkSwitches::IsOn(std::string_view id, int family) const {
  const int index = FindQuirk(id);
  const QuirkState state = Get(index);
  if (state != QuirkState::kFamilyDefault) return state == QuirkState::kOn;
  return (kQuirks[index].default_families >> family & 1) != 0;
}

NumericModel ResolveNumericModel(const QuirkSwitches& switches, int family) {
  const auto on = [&](std::string_view id) { return switches.IsOn(id, family); };
  NumericModel model;
  model.family = family;
  if (HasFixedPointArray(model) || on("D15")) model.store_rounding = Rounding::kNearestAway;
  model.mac_port_limit = on("D01");
  model.crop_gain = on("D02");
  model.mac_tile_lattice = on("D03");
  model.sum_tile_lattice = on("D04");
  model.mac_flush_denormals = on("D05");
  model.nan_is_infinity = on("D06");
  model.invalid_is_zero = on("D07");
  model.zero_sign_lost = on("D08");
  model.softplus_drops = on("D09");
  model.softsign_infinity_zero = on("D10");
  model.log_zero_finite = on("D11");
  model.gelu_origin_bias = on("D12");
  model.silu_origin_bias = on("D13");
  model.trigonometric_seams = on("D14");
  return model;
}

}  // namespace anecheck::device
