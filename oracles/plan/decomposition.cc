#include "oracles/plan/decomposition.h"

namespace anecheck::plan {
namespace {

constexpr std::string_view kOccasionNames[] = {"always", "decompose", "split", "host"};
constexpr std::string_view kAppendix = "facts/more/op_notes.csv (public guide, appendix A)";
constexpr std::string_view kTexture =
    "specification 003, table 24.3; facts/more/op_notes.csv (public guide, appendix A)";
constexpr std::string_view kWeights = "facts/more/weight_codecs.csv (public guide, chapter 25)";
constexpr std::string_view kMatrices = "two matrix multiplies by constants";
// Half a unit in the last place of fp16 for each of two rounded factors.
constexpr double kTwoRoundings = 1.0 / 1024;
// Logarithms, their sum and its exponential are rounded, each to fp16.
constexpr double kRoundedLogarithms = 0x1p-8;

constexpr Decomposition kTable[] = {
    {"conv_transpose",
     Occasion::kAlways,
     {},
     "a convolution of the input with zeros between",
     "specification 000, element-type and operation enumerations: no transposed-convolution class",
     0,
     TransposedConvolution},
    {"batch_norm",
     Occasion::kAlways,
     {},
     "one gain and one offset for each channel",
     "facts/more/op_notes.csv (public guide, appendix A); specification 004, table 26.2",
     2 * kTwoRoundings,
     BatchNorm},
    {"scaled_dot_product_attention",
     Occasion::kDecompose,
     {},
     "matrix multiply, scale, softmax, matrix multiply",
     "specification 004, framework and native catalogs",
     kTwoRoundings,
     Attention},
    {"conv",
     Occasion::kSplit,
     {},
     "sub-layers of some output channels each, joined",
     "specification 003, listing 24.3",
     0,
     SplitWeights},
    {"linear",
     Occasion::kSplit,
     {},
     "sub-layers of some output channels each, joined",
     "specification 003, listing 24.3",
     0,
     SplitWeights},
    {"resize", Occasion::kDecompose, {}, kMatrices, kTexture, kTwoRoundings, ResizeByMatrices},
    {"resize_bilinear",
     Occasion::kDecompose,
     {},
     kMatrices,
     kTexture,
     kTwoRoundings,
     ResizeByMatrices},
    {"resize_nearest_neighbor", Occasion::kDecompose, {}, kMatrices, kTexture, 0, ResizeByMatrices},
    {"upsample_bilinear",
     Occasion::kDecompose,
     {},
     kMatrices,
     kTexture,
     kTwoRoundings,
     ResizeByMatrices},
    {"upsample_nearest_neighbor",
     Occasion::kDecompose,
     {},
     kMatrices,
     kTexture,
     0,
     ResizeByMatrices},
    {"gather", Occasion::kDecompose, {}, "slices, joined", kTexture, 0, GatherConstant},
    {"pad", Occasion::kDecompose, "pad_mode_converted", "reversed slices, joined", kTexture, 0,
     PadByCopies},
#define ANECHECK_BY_TRANSPOSE(op)                                                       \
  {op,                                                                                  \
   Occasion::kDecompose,                                                                \
   "reduction_by_transpose",                                                            \
   "transpose, reduce, transpose back",                                                 \
   "specification 003, table 24.4; facts/more/op_notes.csv (public guide, appendix A)", \
   0,                                                                                   \
   ReduceByTranspose}
    ANECHECK_BY_TRANSPOSE("reduce_sum"),
    ANECHECK_BY_TRANSPOSE("reduce_mean"),
    ANECHECK_BY_TRANSPOSE("reduce_max"),
    ANECHECK_BY_TRANSPOSE("reduce_min"),
    ANECHECK_BY_TRANSPOSE("reduce_sum_square"),
    ANECHECK_BY_TRANSPOSE("reduce_l1_norm"),
    ANECHECK_BY_TRANSPOSE("reduce_l2_norm"),
    ANECHECK_BY_TRANSPOSE("reduce_log_sum"),
    ANECHECK_BY_TRANSPOSE("reduce_log_sum_exp"),
#undef ANECHECK_BY_TRANSPOSE
#define ANECHECK_FOLD(op) \
  {op, Occasion::kDecompose, "weight_form_folds", "a dense constant", kWeights, 0, FoldedConstant}
    ANECHECK_FOLD("constexpr_affine_dequantize"),
    ANECHECK_FOLD("constexpr_lut_to_dense"),
    ANECHECK_FOLD("constexpr_sparse_to_dense"),
    ANECHECK_FOLD("constexpr_blockwise_shift_scale"),
#undef ANECHECK_FOLD
    {"call", Occasion::kHost, "inlined", "the function's operations", kAppendix, 0, InlinedCall},
    {"cond", Occasion::kHost, "inlined", "both branches and a choice", kAppendix, 0, BothBranches},
    {"while_loop", Occasion::kHost, "inlined", "the body once for each round", kAppendix, 0,
     UnrolledLoop},
    {"logical_and", Occasion::kHost, {}, "minimum of the numbers 0 and 1", kAppendix, 0, Logical},
    {"logical_or", Occasion::kHost, {}, "maximum of the numbers 0 and 1", kAppendix, 0, Logical},
    {"logical_xor", Occasion::kHost, {}, "not-equal of the numbers 0 and 1", kAppendix, 0, Logical},
    {"mod", Occasion::kHost, {}, "x - y floor(x / y)", kAppendix, 0, Modulo},
    {"reduce_prod",
     Occasion::kHost,
     {},
     "log, sum, exp: only for positive operands",
     kAppendix,
     kRoundedLogarithms,
     ProductByLogarithms},
    {"tan", Occasion::kHost, {}, "sin / cos", kAppendix, 0, Tangent},
    {"band_part", Occasion::kHost, {}, "a choice by a constant mask", kAppendix, 0, BandByMask},
    {"one_hot",
     Occasion::kHost,
     {},
     "rows of a constant matrix: only for indices from 0 on",
     kAppendix,
     0,
     OneHotRows},
    {"sliding_windows", Occasion::kHost, {}, "slices, joined", kAppendix, 0, WindowsBySlices},
    {"rnn", Occasion::kHost, {}, "the cell once for each step", kAppendix, 0, UnrolledCell},
    {"gru", Occasion::kHost, {}, "the cell once for each step", kAppendix, 0, UnrolledCell},
    {"lstm", Occasion::kHost, {}, "the cell once for each step", kAppendix, 0, UnrolledCell},
};

}  // namespace

std::string_view OccasionName(Occasion occasion) {
  return kOccasionNames[static_cast<size_t>(occasion)];
}

Error NoGraph(std::string_view what) {
  return MakeError(ErrorCode::kUnsupported, std::string(what));
}

std::span<const Decomposition> Decompositions() { return kTable; }

const Decomposition* FindDecomposition(std::string_view op, Occasion occasion,
                                       std::string_view rule) {
  for (const Decomposition& entry : kTable) {
    const bool asked = entry.rule.empty() || rule.empty() || entry.rule == rule;
    if (entry.op == op && entry.occasion == occasion && asked) return &entry;
  }
  return nullptr;
}

Result<Graph> Decomposed(const Graph& graph, NodeId id, const Decomposition& decomposition,
                         int64_t cap) {
  Graph result;
  result.name = graph.name;
  std::set<std::string, std::less<>> taken;
  for (const Value& value : graph.values()) taken.insert(value.name);
  std::vector<ValueId> places(graph.values().size(), kNoValue);
  for (ValueId value = 0; value < graph.values().size(); ++value) {
    const Value& old = graph.value(value);
    if (old.kind == ValueKind::kInput) places[value] = result.AddInput(old.type, old.name);
    if (old.kind == ValueKind::kState) places[value] = result.AddState(old.type, old.name);
    if (old.kind == ValueKind::kConst) {
      places[value] = result.CopyConst(graph, value, old.name);
    }
  }
  for (NodeId at = 0; at < graph.nodes().size(); ++at) {
    const NodeView node(graph, at);
    std::vector<std::string> names;
    names.reserve(node.node().result_count);
    for (uint32_t i = 0; i < node.node().result_count; ++i) {
      names.push_back(graph.value(node.Result(i)).name);
    }
    Builder out(result, taken, names.empty() ? std::string(node.op()) : names[0]);
    if (at != id) {
      const ValueId first = out.Copy(node, places, names);
      ANECHECK_RETURN_IF_ERROR(out.status());
      for (uint32_t i = 0; i < names.size(); ++i) places[node.Result(i)] = first + i;
      continue;
    }
    ANECHECK_ASSIGN(const std::vector<ValueId> made, decomposition.apply({node, places, out, cap}));
    for (uint32_t i = 0; i < made.size(); ++i) places[node.Result(i)] = made[i];
  }
  for (const ValueId output : graph.outputs()) result.AddOutput(places[output]);
  return result;
}

}  // namespace anecheck::plan
