// Recurrent cells: schemas and shape inference (coremltools op reference, recurrent ops). No route
// to the engine emits them (facts/op_device_matrix.csv).
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

// The documentation of rnn names sigmoid_hard; coremltools' runtime test of lstm names
// hard_sigmoid, which is 0.2 x + 0.5 clipped to [0, 1]. scaled_tanh has no coefficients in
// recurrent cells and equals tanh (test_recurrent.py, TestLSTM).
constexpr std::array<std::string_view, 7> kActivations = {
    "tanh", "sigmoid", "relu", "linear", "hard_sigmoid", "sigmoid_hard", "scaled_tanh"};
constexpr std::array<std::string_view, 2> kDirections = {"forward", "reverse"};
constexpr std::array<std::string_view, 3> kLstmDirections = {"forward", "reverse", "bidirectional"};

constexpr Parameter Operand(std::string_view name) { return {.name = name, .dtypes = kFloats}; }
constexpr Parameter Weight(std::string_view name, Need need = Need::kRequired) {
  return {.name = name, .need = need, .dtypes = kFloats, .constant = true};
}
constexpr Parameter Direction(std::span<const std::string_view> choices) {
  return {.name = "direction",
          .kind = ParameterKind::kString,
          .need = Need::kOptional,
          .choices = choices,
          .fallback = Default::Name("forward")};
}
constexpr Parameter Activation(std::string_view name, std::string_view fallback) {
  return {.name = name,
          .kind = ParameterKind::kString,
          .need = Need::kOptional,
          .choices = kActivations,
          .fallback = Default::Name(fallback)};
}
constexpr Parameter kOutputSequence = {.name = "output_sequence",
                                       .kind = ParameterKind::kBool,
                                       .need = Need::kOptional,
                                       .fallback = Default::Flag(false)};

constexpr Parameter kLstmParameters[] = {
    Operand("x"),
    Operand("initial_h"),
    Operand("initial_c"),
    Weight("weight_ih"),
    Weight("weight_hh"),
    Weight("bias", Need::kOptional),
    Weight("peephole", Need::kOptional),
    Weight("weight_ih_back", Need::kOptional),
    Weight("weight_hh_back", Need::kOptional),
    Weight("bias_back", Need::kOptional),
    Weight("peephole_back", Need::kOptional),
    Direction(kLstmDirections),
    kOutputSequence,
    Activation("recurrent_activation", "sigmoid"),
    Activation("cell_activation", "tanh"),
    Activation("activation", "tanh"),
    {.name = "clip",
     .kind = ParameterKind::kFloat,
     .need = Need::kOptional,
     .fallback = Default::Words("no clipping")},
};
constexpr Parameter kGruParameters[] = {
    Operand("x"),
    Operand("initial_h"),
    Weight("weight_ih"),
    Weight("weight_hh"),
    Weight("bias", Need::kOptional),
    Direction(kDirections),
    kOutputSequence,
    Activation("recurrent_activation", "sigmoid"),
    Activation("activation", "tanh"),
    {.name = "reset_after",  // from iOS 18 on, like input_bias
     .kind = ParameterKind::kBool,
     .need = Need::kOptional,
     .fallback = Default::Flag(false)},
    Weight("input_bias", Need::kOptional),
};
constexpr Parameter kRnnParameters[] = {
    Operand("x"),
    Operand("initial_h"),
    Weight("weight_ih"),
    Weight("weight_hh"),
    Weight("bias", Need::kOptional),
    Direction(kDirections),
    kOutputSequence,
    Activation("activation", "tanh"),
};

struct Extents {
  int64_t steps = 0, batch = 0, input = 0, hidden = 0;
};

// Unlike the constants of other layers, those of recurrent cells have x's type on iOS 17 too
// (coremltools, ops/defs/iOS17/recurrent.py).
Status ExpectShape(const NodeView& node, int parameter, const Shape& wanted) {
  if (!node.HasInput(parameter)) return {};
  const std::string_view name = node.schema().parameters[static_cast<size_t>(parameter)].name;
  if (node.InputShape(parameter) != wanted) {
    return Reject(node, fmt::format("{} is {}, must be {}", name,
                                    node.InputShape(parameter).ToString(), wanted.ToString()));
  }
  if (node.InputType(parameter).dtype != node.InputType(0).dtype) {
    return Reject(node, fmt::format("{} must be of the element type of x", name));
  }
  return {};
}

// x must be [steps, batch, input], and weight_hh must be [gates * hidden, hidden].
Result<Extents> ReadExtents(const NodeView& node, int weight_hh, int64_t gates) {
  const Shape& x = node.InputShape(0);
  const Shape& recurrent = node.InputShape(weight_hh);
  if (x.rank() != 3) return Reject(node, fmt::format("x has rank {}, must have 3", x.rank()));
  if (recurrent.rank() != 2 || recurrent[1] < 1 || recurrent[0] != gates * recurrent[1]) {
    return Reject(node,
                  fmt::format("weight_hh is {}, must be [{} * H, H]", recurrent.ToString(), gates));
  }
  if (x[0] < 1) return Reject(node, "x has no steps");
  return Extents{x[0], x[1], x[2], recurrent[1]};
}

Status CheckCell(const NodeView& node, const Extents& extents, int64_t gates, int weight_ih,
                 int weight_hh, int bias) {
  ANECHECK_RETURN_IF_ERROR(ExpectShape(node, weight_ih, {gates * extents.hidden, extents.input}));
  ANECHECK_RETURN_IF_ERROR(ExpectShape(node, weight_hh, {gates * extents.hidden, extents.hidden}));
  return ExpectShape(node, bias, {gates * extents.hidden});
}

void AddResults(const NodeView& node, const Extents& extents, int64_t directions, int sequence,
                int states, ResultTypes& results) {
  const DType dtype = node.InputType(0).dtype;
  const int64_t width = directions * extents.hidden;
  const int64_t steps = node.Bool(sequence, false) ? extents.steps : 1;
  results.Add(dtype, {steps, extents.batch, width});
  for (int i = 0; i < states; ++i) results.Add(dtype, {extents.batch, width});
}

Status InferLstm(const NodeView& node, ResultTypes& results) {
  using P = params::Lstm;
  ANECHECK_ASSIGN(const Extents extents, ReadExtents(node, P::kWeightHh, 4));
  ANECHECK_RETURN_IF_ERROR(CheckCell(node, extents, 4, P::kWeightIh, P::kWeightHh, P::kBias));
  ANECHECK_RETURN_IF_ERROR(ExpectShape(node, P::kPeephole, {3 * extents.hidden}));
  const bool both = node.String(P::kDirection, "forward") == "bidirectional";
  if (both) {
    if (!node.HasInput(P::kWeightIhBack) || !node.HasInput(P::kWeightHhBack)) {
      return Reject(node, "a bidirectional cell needs weight_ih_back and weight_hh_back");
    }
    ANECHECK_RETURN_IF_ERROR(
        CheckCell(node, extents, 4, P::kWeightIhBack, P::kWeightHhBack, P::kBiasBack));
    ANECHECK_RETURN_IF_ERROR(ExpectShape(node, P::kPeepholeBack, {3 * extents.hidden}));
  }
  const int64_t directions = both ? 2 : 1;
  for (const int parameter : {P::kInitialH, P::kInitialC}) {
    ANECHECK_RETURN_IF_ERROR(
        ExpectShape(node, parameter, {extents.batch, directions * extents.hidden}));
  }
  AddResults(node, extents, directions, P::kOutputSequence, 2, results);
  return {};
}

Status InferGru(const NodeView& node, ResultTypes& results) {
  using P = params::Gru;
  ANECHECK_ASSIGN(const Extents extents, ReadExtents(node, P::kWeightHh, 3));
  ANECHECK_RETURN_IF_ERROR(CheckCell(node, extents, 3, P::kWeightIh, P::kWeightHh, P::kBias));
  ANECHECK_RETURN_IF_ERROR(ExpectShape(node, P::kInputBias, {3 * extents.hidden}));
  ANECHECK_RETURN_IF_ERROR(ExpectShape(node, P::kInitialH, {extents.batch, extents.hidden}));
  AddResults(node, extents, 1, P::kOutputSequence, 1, results);
  return {};
}

Status InferRnn(const NodeView& node, ResultTypes& results) {
  using P = params::Rnn;
  ANECHECK_ASSIGN(const Extents extents, ReadExtents(node, P::kWeightHh, 1));
  ANECHECK_RETURN_IF_ERROR(CheckCell(node, extents, 1, P::kWeightIh, P::kWeightHh, P::kBias));
  ANECHECK_RETURN_IF_ERROR(ExpectShape(node, P::kInitialH, {extents.batch, extents.hidden}));
  AddResults(node, extents, 1, P::kOutputSequence, 1, results);
  return {};
}

}  // namespace

constinit const OpDefinition kOpLstm = Define(OpKind::kLstm, kLstmParameters, InferLstm);
constinit const OpDefinition kOpGru = Define(OpKind::kGru, kGruParameters, InferGru);
constinit const OpDefinition kOpRnn = Define(OpKind::kRnn, kRnnParameters, InferRnn);

}  // namespace anecheck
