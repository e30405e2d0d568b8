// The interface through which operation generators append nodes. For each value drawn so far, it
// tracks its interval, whether a node uses it, and whether it depends on an input.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "generators/choice_stream.h"
#include "generators/graph_generator.h"
#include "harness/graph/graph.h"
#include "harness/ops/op.h"

namespace anecheck {

// The known range of a value while the graph is drawn: every element lies in [low, high], and if
// `integer` is true, every element is an integer.
struct ValueRange {
  double low = 0;
  double high = 0;
  bool integer = false;

  double Magnitude() const { return low < -high ? -low : high > -low ? high : -low; }
};

// EitherOf returns the range of a value that equals one of two values. GreaterOf returns the range
// of their maximum, and LesserOf returns the range of their minimum.
ValueRange EitherOf(const ValueRange& a, const ValueRange& b);
ValueRange GreaterOf(const ValueRange& a, const ValueRange& b);
ValueRange LesserOf(const ValueRange& a, const ValueRange& b);

class Drawer {
 public:
  Drawer(ChoiceStream& choices, const GeneratorOptions& options, Graph& graph);
  Drawer(const Drawer&) = delete;
  Drawer& operator=(const Drawer&) = delete;
  ~Drawer();

  ChoiceStream& choices() { return choices_; }
  const GeneratorOptions& options() const { return options_; }
  Graph& graph() { return graph_; }
  // The mode by which values are drawn, one of the first six modes of CaseMode.
  CaseMode mode() const { return values_; }
  bool integer_mode() const { return values_ == CaseMode::kInteger; }

  const TensorType& type(ValueId id) const { return graph_.type(id); }
  const Shape& shape(ValueId id) const { return graph_.type(id).shape; }
  const ValueRange& range(ValueId id) const { return known_[id].range; }
  // Whether the value is computed from the content of an input or a state, not only from constants.
  bool moves(ValueId id) const { return known_[id].moves; }

  // Whether to draw an operation whose result hardly changes with its operand. True in one of eight
  // calls. Most outputs then remain informative, and still every pair of operations is drawn.
  bool DrawsRestful() { return choices_.Chance(1, 8); }

  // The largest magnitude that a result may have. It is 2048 in modes whose values must stay exact
  // integers, and 30000 in modes whose values must stay below the limit of the accumulator port. In
  // other modes it is infinity.
  double Ceiling() const;

  // A new fp16 graph input, whose elements have at most the magnitude InputMagnitude(mode()).
  ValueId NewInput(const Shape& shape);
  // A new fp16 constant with elements of magnitude up to `limit`.
  ValueId NewConst(const Shape& shape, double limit);
  // Whether to compute this operand from a new input instead of drawing a constant. Always false in
  // network descriptions, whose layers take only constants as such operands. Also false if inputs
  // may be NaN or if the operation clip may not be drawn.
  bool MayCompute();
  // A new fp16 operand with elements of magnitude up to `limit`. The operand is a constant or a new
  // input. An input that may exceed `limit` is clipped.
  ValueId NewOperand(const Shape& shape, double limit);
  // A new constant with these bytes. Its assumed range is that of an input.
  ValueId NewTensor(const TensorType& type, std::span<const uint8_t> bytes);
  // A new fp16 scalar constant. Precondition: `value` is exact in fp16.
  ValueId NewScalar(double value);
  // A new constant of an integer type with these elements, for indices and lengths.
  ValueId NewIntegers(DType dtype, const Shape& shape, std::span<const int64_t> elements);
  // A new constant of any element type; every element lies within `limit`.
  ValueId NewConstOf(const TensorType& type, std::span<const uint8_t> bytes, double limit);
  // A new state, whose initial content is zero.
  ValueId NewState(const TensorType& type);
  // An operand of exactly this shape. An fp16 operand is an existing value, a new input or a new
  // constant. Other operands are new constants, because not every family admits integer inputs.
  ValueId SameShape(const Shape& shape, ValueId not_this, DType dtype = DType::kFp16);
  // A shape that broadcasts to the shape of x. It equals the shape of x, or has lower rank, or has
  // an extent of 1 on some axes.
  Shape BroadcastShape(ValueId x);
  // An operand of a BroadcastShape, of x's element type.
  ValueId BroadcastPartner(ValueId x);
  // A BroadcastShape, or sometimes a shape to which x broadcasts, in whole or in part.
  Shape PartnerShape(ValueId x);
  ValueId Partner(ValueId x);

  // An extent of at most `most` for a new axis: a tile factor, a power of two or a neighbour.
  int64_t Extent(int64_t most);

  // Begins a node. The caller adds arguments directly to graph().
  void Begin(OpKind kind) {
    open_ = kind;
    graph_.BeginNode(&GetOp(kind).schema);
  }
  // Adds an attribute to the node that was begun last. An attribute that equals its default is
  // sometimes left out. If fp16 cannot represent the default, the attribute is always left out,
  // because MIL text would state another value.
  void AddInt(int parameter, int64_t value);
  void AddFloat(int parameter, double value);
  void AddBool(int parameter, bool value);
  void AddString(int parameter, std::string_view value);
  void AddInts(int parameter, std::span<const int64_t> values);
  void AddBools(int parameter, std::span<const int64_t> values);
  // Ends the node, whose results lie in `range`. Returns false and changes nothing if it is
  // refused.
  bool Finish(const ValueRange& range);

  // Begins and ends a node without attributes whose operands are its first parameters, in order.
  bool Emit(OpKind kind, std::initializer_list<ValueId> operands, const ValueRange& range);

  // Sets the range of a value: of a result whose range differs from that of its node's other
  // results, or of a changed constant.
  void SetRange(ValueId id, const ValueRange& range) { known_[id].range = range; }
  // Marks a value that no input moves in the first execution: therefore no further operation may be
  // drawn that has it as its only operand.
  void SetAtRest(ValueId id) { known_[id].moves = false; }
  // Converts the first result of the last node to fp16, because bools and integers cannot be
  // program outputs on the engine's path (facts/mil.md).
  bool ToHalf();
  // Appends cast(x) to int32 or back to fp16; kNoValue if refused. Integers that leave the graph
  // must be cast back: int32 cannot be a program output on the engine's path (facts/mil.md).
  ValueId CastTo(DType dtype, ValueId x);
  // The result of the last node.
  ValueId Last() const { return graph_.nodes().back().first_result; }

  // An unused fp16 value that an input moves, newer values more likely; if all are used, any value
  // that an input moves.
  ValueId PickOperand();
  // Declares every unused result an output.
  void Close();

 private:
  // The known properties of each value of the graph.
  struct Known {
    ValueRange range;
    bool used = false;
    bool moves = false;
  };
  struct Memory {
    std::vector<Known> known;
    std::vector<uint8_t> bytes;
  };

  // The memory of the thread's last drawer. It is reused, because an allocation takes nearly as
  // long as drawing a small graph.
  static Memory& Kept();
  // Stores `known` for each value that was added after the last call.
  void Track(const Known& known);
  // As Track, but for a constant. A constant counts as used, because it does not become an output.
  void TrackConst(const ValueRange& range) { Track({.range = range, .used = true}); }
  bool Moves(const Node& node) const;
  // The maximum number of leading axes that an operand may lack if it broadcasts to this rank.
  uint64_t MostDropped(int rank) const;
  // x's shape, perhaps with another leading axis, with larger extents on some axes of extent 1, and
  // with an extent of 1 on some other axes.
  Shape EnlargedShape(ValueId x);
  // The default of a parameter of the node that was begun last.
  const Default& DefaultOf(int parameter) const;
  bool LeavesOut(int parameter, double value);
  bool LeavesOut(int parameter, std::span<const int64_t> values);

  ChoiceStream& choices_;
  const GeneratorOptions& options_;
  const CaseMode values_;
  Graph& graph_;
  OpKind open_{};
  std::vector<Known> known_;
  std::vector<uint8_t> bytes_;  // of a constant, until it is added to the graph
};

// The generator of one operation. `draw` appends a node that consumes `x`, and conversions if the
// operation needs them. If no instance of the operation fits, `draw` returns false and leaves the
// graph unchanged except for unused constants.
struct OpGenerator {
  OpKind kind;
  // Whether integer operands give integer results, so that integer mode may use the operation.
  bool integer = false;
  // The frequency of the operation relative to the others. An operation of weight 0 is drawn only
  // if the options name it, because the simulated engine refuses it.
  uint8_t weight = 4;
  // Null if no instance of the operation can be judged; the operation is then never drawn.
  bool (*draw)(Drawer& drawer, ValueId x) = nullptr;
};

// Declares one generator for each operation of ops.def. Each generator is defined in the file of
// its class under generators/ops.
#define ANECHECK_OP(name, Name, ...) extern const OpGenerator kGenerator##Name;
#include "harness/ops/ops.def"

// Indexed by OpKind.
std::span<const OpGenerator* const> AllOpGenerators();

}  // namespace anecheck
