// Draws recurrent cells. A reshape first gives x the shape [steps, batch, input].
#include <algorithm>
#include <array>

#include "generators/drawer.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

constexpr int64_t kMaxInput = 64;

// Reshapes x to a sequence of few steps. Returns kNoValue if x has too many elements.
ValueId ToSequence(Drawer& drawer, ValueId x) {
  int64_t left = drawer.shape(x).Elements();
  std::array<int64_t, 3> shape{1, 1, 1};
  for (size_t axis = 0; axis < 2; ++axis) {
    int64_t extent = drawer.choices().Range(1, 3);
    while (left % extent != 0) --extent;
    shape[axis] = extent;
    left /= extent;
  }
  shape[2] = left;
  if (left < 1 || left > kMaxInput) return kNoValue;
  const ValueRange range = drawer.range(x);
  drawer.Begin(OpKind::kReshape);
  drawer.graph().AddArgument(params::Reshape::kX, x);
  drawer.AddInts(params::Reshape::kShape, shape);
  if (!drawer.Finish(range)) return kNoValue;
  return drawer.Last();
}

// The maximum magnitude of weights. It is so small that the gates do not saturate.
double Limit(Drawer& drawer, ValueId x, int64_t inner) {
  const double sum = std::max(1.0, drawer.range(x).Magnitude()) * static_cast<double>(inner);
  return std::clamp(4 / sum, 0x1p-10, 2.0);
}

std::string_view DrawActivation(Drawer& drawer, std::string_view usual) {
  constexpr std::array<std::string_view, 3> kOthers = {"tanh", "sigmoid", "relu"};
  return drawer.choices().Chance(1, 4) ? drawer.choices().Pick(kOthers) : usual;
}

struct Cell {
  ValueId x = kNoValue, h = kNoValue, ih = kNoValue, hh = kNoValue, bias = kNoValue;
  int64_t batch = 1, hidden = 1;
  double weight = 1;
};

bool DrawCell(Drawer& drawer, ValueId x, int64_t gates, int64_t directions, Cell& cell) {
  cell.x = ToSequence(drawer, x);
  if (cell.x == kNoValue) return false;
  const Shape shape = drawer.shape(cell.x);
  cell.batch = shape[1];
  cell.hidden = drawer.choices().Range(1, 3);
  cell.weight = Limit(drawer, cell.x, shape[2]);
  cell.h = drawer.NewConst({cell.batch, directions * cell.hidden}, 1);
  cell.ih = drawer.NewConst({gates * cell.hidden, shape[2]}, cell.weight);
  cell.hh = drawer.NewConst({gates * cell.hidden, cell.hidden}, 1);
  if (drawer.choices().Coin()) cell.bias = drawer.NewConst({gates * cell.hidden}, 1);
  return true;
}

// gru and rnn have the same first parameters.
template <typename P>
void AddCell(Graph& graph, const Cell& cell) {
  graph.AddArgument(P::kX, cell.x);
  graph.AddArgument(P::kInitialH, cell.h);
  graph.AddArgument(P::kWeightIh, cell.ih);
  graph.AddArgument(P::kWeightHh, cell.hh);
  if (cell.bias != kNoValue) graph.AddArgument(P::kBias, cell.bias);
}

constexpr double kStateLimit = 64;

bool DrawLstm(Drawer& drawer, ValueId x) {
  using P = params::Lstm;
  ChoiceStream& choices = drawer.choices();
  constexpr std::array<std::string_view, 3> kDirections = {"forward", "reverse", "bidirectional"};
  const std::string_view direction = choices.Pick(kDirections);
  const bool both = direction == "bidirectional";
  Cell cell;
  if (!DrawCell(drawer, x, 4, both ? 2 : 1, cell)) return false;
  const int64_t input = drawer.shape(cell.x)[2];
  const ValueId c = drawer.NewConst({cell.batch, (both ? 2 : 1) * cell.hidden}, 1);
  const bool peep = choices.Chance(1, 4);
  const ValueId peephole = peep ? drawer.NewConst({3 * cell.hidden}, 1) : kNoValue;
  const ValueId ih_back = both ? drawer.NewConst({4 * cell.hidden, input}, cell.weight) : kNoValue;
  const ValueId hh_back = both ? drawer.NewConst({4 * cell.hidden, cell.hidden}, 1) : kNoValue;
  const std::string_view activation = DrawActivation(drawer, "tanh");
  Graph& graph = drawer.graph();
  drawer.Begin(OpKind::kLstm);
  AddCell<P>(graph, cell);
  graph.AddArgument(P::kInitialC, c);
  if (peep) graph.AddArgument(P::kPeephole, peephole);
  if (both) graph.AddArgument(P::kWeightIhBack, ih_back);
  if (both) graph.AddArgument(P::kWeightHhBack, hh_back);
  drawer.AddString(P::kDirection, direction);
  drawer.AddBool(P::kOutputSequence, choices.Coin());
  drawer.AddString(P::kActivation, activation);
  if (choices.Chance(1, 4)) drawer.AddFloat(P::kClip, 0.5);
  return drawer.Finish({-kStateLimit, kStateLimit, false});
}

bool DrawGru(Drawer& drawer, ValueId x) {
  using P = params::Gru;
  Cell cell;
  if (!DrawCell(drawer, x, 3, 1, cell)) return false;
  const std::string_view activation = DrawActivation(drawer, "tanh");
  const bool reset_after = drawer.choices().Chance(1, 4);
  const bool two_biases = drawer.choices().Chance(1, 4);
  const ValueId input_bias = two_biases ? drawer.NewConst({3 * cell.hidden}, 1) : kNoValue;
  drawer.Begin(OpKind::kGru);
  AddCell<P>(drawer.graph(), cell);
  if (two_biases) drawer.graph().AddArgument(P::kInputBias, input_bias);
  if (reset_after) drawer.AddBool(P::kResetAfter, true);
  drawer.AddString(P::kDirection, drawer.choices().Coin() ? "forward" : "reverse");
  drawer.AddBool(P::kOutputSequence, drawer.choices().Coin());
  drawer.AddString(P::kActivation, activation);
  return drawer.Finish({-kStateLimit, kStateLimit, false});
}

bool DrawRnn(Drawer& drawer, ValueId x) {
  using P = params::Rnn;
  Cell cell;
  if (!DrawCell(drawer, x, 1, 1, cell)) return false;
  const std::string_view activation = DrawActivation(drawer, "tanh");
  drawer.Begin(OpKind::kRnn);
  AddCell<P>(drawer.graph(), cell);
  drawer.AddString(P::kDirection, drawer.choices().Coin() ? "forward" : "reverse");
  drawer.AddBool(P::kOutputSequence, drawer.choices().Coin());
  drawer.AddString(P::kActivation, activation);
  return drawer.Finish({-kStateLimit, kStateLimit, false});
}

}  // namespace

constinit const OpGenerator kGeneratorLstm = {OpKind::kLstm, false, 0, DrawLstm};
constinit const OpGenerator kGeneratorGru = {OpKind::kGru, false, 0, DrawGru};
constinit const OpGenerator kGeneratorRnn = {OpKind::kRnn, false, 0, DrawRnn};

}  // namespace anecheck
