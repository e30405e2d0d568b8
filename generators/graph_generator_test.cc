// Every generated graph is valid, alive, reproducible and within the requested limits.
#include "generators/graph_generator.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "generators/drawer.h"
#include "generators/tensor_data.h"
#include "harness/graph/fingerprint.h"
#include "harness/graph/validate.h"
#include "harness/ops/params.h"
#include "harness/ops/sheet.h"

namespace anecheck {
namespace {

constexpr CaseMode kModes[] = {CaseMode::kInteger,    CaseMode::kFloat,    CaseMode::kCancellation,
                               CaseMode::kSpecial,    CaseMode::kBoundary, CaseMode::kLargeAxis,
                               CaseMode::kCompressed, CaseMode::kState,    CaseMode::kShapeRanges,
                               CaseMode::kMetamorphic};

Graph Generate(uint64_t seed, const GeneratorOptions& options) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  Graph graph;
  GenerateGraph(choices, options, graph);
  return graph;
}

// Whether every input, state and result reaches an output. Unlike the generator, this function
// walks back from the outputs.
bool AllAlive(const Graph& graph) {
  std::vector<bool> alive(graph.values().size(), false);
  std::vector<ValueId> open(graph.outputs().begin(), graph.outputs().end());
  while (!open.empty()) {
    const ValueId id = open.back();
    open.pop_back();
    if (alive[id]) continue;
    alive[id] = true;
    if (graph.value(id).kind == ValueKind::kState) {
      // A state that is read makes the value written into it live.
      for (const Node& node : graph.nodes()) {
        const auto arguments = graph.arguments(node);
        if (node.result_count != 0 || arguments[0].value != id) continue;
        for (const Argument& argument : arguments) open.push_back(argument.value);
      }
    }
    if (graph.value(id).kind != ValueKind::kResult) continue;
    for (const Argument& argument : graph.arguments(graph.node(graph.value(id).producer))) {
      open.push_back(argument.value);
    }
  }
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    const ValueKind kind = graph.value(id).kind;
    if (kind != ValueKind::kConst && !alive[id]) return false;
  }
  return true;
}

// On the engine's path, a program output cannot be a bool or a 32-bit integer (facts/mil.md).
bool OutputsAreAdmitted(const Graph& graph) {
  return std::ranges::all_of(graph.outputs(), [&](ValueId id) {
    const DType dtype = graph.type(id).dtype;
    return dtype != DType::kBool && dtype != DType::kInt32;
  });
}

TEST(GraphGenerator, GraphsAreValidAndAlive) {
  for (const CaseMode mode : kModes) {
    for (int family = 2; family <= 6; family += 4) {
      for (uint64_t seed = 0; seed < 300; ++seed) {
        const Graph graph = Generate(seed, {.family = family, .mode = mode});
        const Status valid = ValidateGraph(graph);
        ASSERT_TRUE(valid.ok()) << ToText(mode) << " seed " << seed << ": "
                                << valid.error().message;
        ASSERT_TRUE(AllAlive(graph)) << ToText(mode) << " seed " << seed;
        ASSERT_TRUE(OutputsAreAdmitted(graph)) << ToText(mode) << " seed " << seed;
        ASSERT_GE(graph.nodes().size(), 1u);
      }
    }
  }
}

TEST(GraphGenerator, SameSeedSameGraphOtherSeedOtherGraph) {
  std::set<uint64_t> prints;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const uint64_t print = GraphFingerprint(Generate(seed, {}));
    EXPECT_EQ(print, GraphFingerprint(Generate(seed, {})));
    prints.insert(print);
  }
  EXPECT_GT(prints.size(), 190u);
}

TEST(GraphGenerator, EveryOperationIsDrawn) {
  std::set<std::string_view> seen;
  for (const CaseMode mode : kModes) {
    for (uint64_t seed = 0; seed < 1500; ++seed) {
      const Graph graph = Generate(seed, {.family = kNoFamily, .mode = mode});
      for (const Node& node : graph.nodes()) seen.insert(node.schema->name);
    }
  }
  for (const OpGenerator* generator : AllOpGenerators()) {
    if (generator->draw == nullptr) {
      EXPECT_FALSE(GetOp(generator->kind).no_reference_reason.empty());
      continue;
    }
    EXPECT_TRUE(seen.contains(GetOp(generator->kind).schema.name))
        << GetOp(generator->kind).schema.name;
  }
}

TEST(GraphGenerator, GraphsContainOnlyOperationsPublishedForTheEngine) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Graph graph = Generate(seed, {.family = 2});
    for (const Node& node : graph.nodes()) {
      EXPECT_EQ(ReachOn(node.schema->name, 2).value_or(Reach::kNative), Reach::kNative)
          << node.schema->name;
    }
  }
}

TEST(GraphGenerator, OpFilterIsObeyed) {
  GeneratorOptions options;
  options.ops.reset();
  options.ops.set(static_cast<size_t>(OpKind::kConv));
  for (uint64_t seed = 0; seed < 100; ++seed) {
    for (const Node& node : Generate(seed, options).nodes()) {
      EXPECT_TRUE(node.schema->name == "conv" || node.schema->name == "relu");
    }
  }
}

TEST(GraphGenerator, IntegerInputsAreIntegers) {
  const Graph graph = Generate(7, {.mode = CaseMode::kInteger});
  ChoiceStream choices = ChoiceStream::FromSeed(8);
  for (const Tensor& tensor : GenerateInputs(choices, graph, CaseMode::kInteger)) {
    for (size_t i = 0; i + 1 < tensor.bytes.size(); i += 2) {
      const Half half{static_cast<uint16_t>(tensor.bytes[i] | tensor.bytes[i + 1] << 8)};
      const double value = HalfToDouble(half);
      EXPECT_EQ(value, static_cast<double>(static_cast<int>(value)));
      EXPECT_LE(std::abs(value), InputMagnitude(CaseMode::kInteger));
    }
  }
}

// A tensor has the same elements as the same number of single draws.
TEST(GraphGenerator, TensorsAreDrawnElementByElement) {
  const TensorType type{DType::kFp16, {7, 9}};
  for (const CaseMode mode : kModes) {
    if (ValuesOf(mode) == CaseMode::kCancellation) continue;  // neighbours depend on each other
    for (const double limit : {0x1p-10, 0.75, 3.0, 16.0, 2048.0, 30000.0}) {
      ChoiceStream whole = ChoiceStream::FromSeed(9);
      ChoiceStream single = ChoiceStream::FromSeed(9);
      const std::vector<uint8_t> bytes = DrawTensor(whole, type, mode, limit);
      for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
        const Half half{static_cast<uint16_t>(bytes[i] | bytes[i + 1] << 8)};
        ASSERT_EQ(half, DrawHalf(single, mode, limit)) << ToText(mode) << " " << limit;
      }
      EXPECT_EQ(whole.Word(), single.Word());
    }
  }
}

TEST(GraphGenerator, IntegersBecomeTheirHalves) {
  std::set<int> seen;
  ChoiceStream choices = ChoiceStream::FromSeed(2);
  for (int i = 0; i < 100000; ++i) {
    const double value = HalfToDouble(DrawHalf(choices, CaseMode::kInteger, 2048));
    ASSERT_EQ(value, static_cast<int>(value));
    ASSERT_LE(std::abs(value), 2048);
    seen.insert(static_cast<int>(value));
  }
  EXPECT_EQ(seen.size(), 4097u) << "every number is drawn";
}

TEST(GraphGenerator, SpecialModeDrawsEverySpecial) {
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  bool nan = false, infinite = false, subnormal = false, minus_zero = false;
  for (int i = 0; i < 2000; ++i) {
    const Half half = DrawHalf(choices, CaseMode::kSpecial, 1e9);
    nan = nan || half.IsNan();
    infinite = infinite || half.IsInf();
    subnormal = subnormal || half.IsSubnormal();
    minus_zero = minus_zero || half.bits == 0x8000;
  }
  EXPECT_TRUE(nan && infinite && subnormal && minus_zero);
}

// Returns the share of graphs that have an operation whose name begins with one of the prefixes.
double ShareWith(CaseMode mode, std::initializer_list<std::string_view> prefixes) {
  int with = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Graph graph = Generate(seed, {.mode = mode});
    with += std::ranges::any_of(graph.nodes(), [&](const Node& node) {
      return std::ranges::any_of(
          prefixes, [&](std::string_view prefix) { return node.schema->name.starts_with(prefix); });
    });
  }
  return with / 100.0;
}

TEST(GraphGenerator, CompressedModeHasCompressedConstantsAndStateModeHasStates) {
  EXPECT_EQ(ShareWith(CaseMode::kCompressed, {"constexpr_"}), 1);
  EXPECT_EQ(ShareWith(CaseMode::kState, {"write_state", "tensor_to_"}), 1);
}

// Only inputs may contain infinities and NaN.
TEST(GraphGenerator, ConstantsOfSpecialModeContainZerosAndSubnormals) {
  std::set<uint16_t> edges;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Graph graph = Generate(seed, {.mode = CaseMode::kSpecial});
    for (const ValueId id : graph.ValuesOfKind(ValueKind::kConst)) {
      if (graph.type(id).dtype != DType::kFp16) continue;
      const auto bytes = graph.ConstData(id);
      for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
        const auto half = static_cast<uint16_t>(bytes[i] | bytes[i + 1] << 8);
        EXPECT_LT(half & 0x7fff, 0x7c00);
        if ((half & 0x7fff) <= 0x0400) edges.insert(half);
      }
    }
  }
  for (const uint16_t edge : {0x8000, 0x0001, 0x8001, 0x03ff, 0x0400}) {
    EXPECT_TRUE(edges.contains(edge)) << edge;
  }
}

// A state's value from the previous execution is visible only if the state is read before it is
// written.
TEST(GraphGenerator, ManyStatesAreReadBeforeTheyAreWritten) {
  std::set<std::string_view> readers;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Graph graph = Generate(seed, {.mode = CaseMode::kState});
    std::set<ValueId> written;
    for (const Node& node : graph.nodes()) {
      const auto arguments = graph.arguments(node);
      if (arguments.empty()) continue;
      const ValueId first = arguments[0].value;
      if (graph.value(first).kind != ValueKind::kState) continue;
      if (node.result_count == 0)
        written.insert(first);
      else if (!written.contains(first))
        readers.insert(node.schema->name);
    }
  }
  EXPECT_EQ(readers, (std::set<std::string_view>{"circular_buffer_to_tensor", "read_state",
                                                 "tensor_buffer_to_tensor"}));
}

TEST(GraphGenerator, CompressedConstantsAreWeights) {
  std::set<std::string_view> users;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Graph graph = Generate(seed, {.mode = CaseMode::kCompressed});
    for (const Node& node : graph.nodes()) {
      for (const Argument& argument : graph.arguments(node)) {
        const Value& value = graph.value(argument.value);
        if (value.kind == ValueKind::kResult &&
            graph.node(value.producer).schema->name.starts_with("constexpr_")) {
          users.insert(node.schema->name);
        }
      }
    }
  }
  for (const std::string_view op : {"conv", "linear", "matmul", "conv_transpose"}) {
    EXPECT_TRUE(users.contains(op)) << op;
  }
}

TEST(GraphGenerator, DefaultAttributesAreLeftOutNowAndThen) {
  using P = params::Conv;
  GeneratorOptions options;
  options.ops.reset();
  options.ops.set(static_cast<size_t>(OpKind::kConv));
  int given = 0, absent = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Graph graph = Generate(seed, options);
    for (const Node& node : graph.nodes()) {
      if (node.schema->name != "conv") continue;
      const NodeView view(graph, node);
      const bool has = view.HasAttribute(P::kGroups);
      (has ? given : absent) += 1;
      const int64_t channels = view.InputShape(P::kX)[1];
      EXPECT_EQ(view.InputShape(P::kWeight)[1], channels / view.Int(P::kGroups, 1));
    }
  }
  EXPECT_GT(given, 10);
  EXPECT_GT(absent, 10);
}

// The graph's text would state the default rounded to fp16, which is another number.
TEST(GraphGenerator, DefaultsThatFp16CannotRepresentAreAlwaysLeftOut) {
  GeneratorOptions options;
  options.ops.reset();
  options.ops.set(static_cast<size_t>(OpKind::kInverse));
  int absent = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Graph graph = Generate(seed, options);
    for (const Node& node : graph.nodes()) {
      if (node.schema->name != "inverse") continue;
      const NodeView view(graph, node);
      absent += view.HasAttribute(params::WithEpsilon::kEpsilon) ? 0 : 1;
      EXPECT_NE(view.Float(params::WithEpsilon::kEpsilon, 1), 1e-4);
    }
  }
  EXPECT_GT(absent, 10);
}

TEST(GraphGenerator, WeightsAndRightOperandsAreSometimesComputed) {
  std::set<std::string_view> computed;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const Graph graph = Generate(seed, {});
    for (const Node& node : graph.nodes()) {
      const auto arguments = graph.arguments(node);
      if (arguments.size() < 2) continue;
      const ValueKind kind = graph.value(arguments[1].value).kind;
      if (kind != ValueKind::kConst) computed.insert(node.schema->name);
    }
  }
  for (const std::string_view op : {"conv", "matmul", "real_div", "pow"}) {
    EXPECT_TRUE(computed.contains(op)) << op;
  }
}

// Divisors with subnormal reciprocals expose an engine that multiplies by a rounded reciprocal.
TEST(GraphGenerator, FloatsAreSometimesDividedByLargeConstants) {
  int large = 0, quotients = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Graph graph = Generate(seed, {.mode = CaseMode::kFloat});
    for (const Node& node : graph.nodes()) {
      if (node.schema->name != "real_div") continue;
      const ValueId divisor = graph.arguments(node)[1].value;
      if (graph.value(divisor).kind != ValueKind::kConst) continue;
      ++quotients;
      const auto bytes = graph.ConstData(divisor);
      int at_least = 0;
      for (size_t i = 1; i < bytes.size(); i += 2) {
        at_least += (bytes[i] & 0x7f) >= 0x74 ? 1 : 0;  // 2^14
        ASSERT_NE(bytes[i] & 0x7c, 0x7c) << "seed " << seed << ": neither infinite nor NaN";
      }
      EXPECT_TRUE(at_least == 0 || at_least == static_cast<int>(bytes.size() / 2)) << seed;
      large += at_least > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(large, 5);
  EXPECT_LT(large, quotients / 3);
}

// Whether the result of the operation may be independent of all inputs.
bool MayRest(std::string_view op) {
  return op == "const" || op == "fill" || op == "range_1d" || op == "cast" ||
         op.starts_with("constexpr_");
}

TEST(GraphGenerator, OperationsTakeAnOperandThatAnInputMoves) {
  for (const CaseMode mode : kModes) {
    for (uint64_t seed = 0; seed < 300; ++seed) {
      const Graph graph = Generate(seed, {.mode = mode});
      std::vector<bool> moves(graph.values().size(), false);
      for (ValueId id = 0; id < graph.values().size(); ++id) {
        const ValueKind kind = graph.value(id).kind;
        moves[id] = kind == ValueKind::kInput || kind == ValueKind::kState;
      }
      for (const Node& node : graph.nodes()) {
        const bool moved = std::ranges::any_of(
            graph.arguments(node), [&](const Argument& argument) { return moves[argument.value]; });
        EXPECT_TRUE(moved || MayRest(node.schema->name))
            << ToText(mode) << " seed " << seed << ": " << node.schema->name;
        const bool shape_alone = node.schema->name == "fill_like" || node.schema->name == "shape";
        for (uint32_t i = 0; i < node.result_count; ++i) {
          moves[node.first_result + i] = moved && !shape_alone;
        }
      }
    }
  }
}

// Square inputs expose an engine that exchanges two axes by mistake.
TEST(GraphGenerator, SomeInputsAreSquare) {
  int square = 0;
  constexpr int kGraphs = 400;
  for (uint64_t seed = 0; seed < kGraphs; ++seed) {
    const Graph graph = Generate(seed, {});
    const Shape& shape = graph.type(0).shape;
    const int rank = shape.rank();
    square += rank > 1 && shape[rank - 1] > 1 && shape[rank - 1] == shape[rank - 2] ? 1 : 0;
  }
  EXPECT_GT(square, kGraphs / 15);
}

// Graphs are written as programs of iOS 18, which do not define negative indices.
TEST(GraphGenerator, NoConstantIndexIsNegative) {
  constexpr std::array<OpKind, 6> kKinds = {OpKind::kGather,           OpKind::kGatherAlongAxis,
                                            OpKind::kGatherNd,         OpKind::kScatter,
                                            OpKind::kScatterAlongAxis, OpKind::kScatterNd};
  ChoiceStream choices = ChoiceStream::FromSeed(17);
  int constants = 0;
  for (int round = 0; round < 300; ++round) {
    GeneratorOptions options;
    options.family = kNoFamily;
    options.ops.reset();
    for (const OpKind kind : kKinds) options.ops.set(static_cast<size_t>(kind));
    Graph graph;
    GenerateGraph(choices, options, graph);
    for (const Node& node : graph.nodes()) {
      if (std::ranges::find(kKinds, KindOf(*node.schema)) == kKinds.end()) continue;
      const ValueId indices = NodeView(graph, node).Input(1);
      const DType dtype = graph.type(indices).dtype;
      if (graph.value(indices).kind != ValueKind::kConst || dtype == DType::kUint16) continue;
      const auto bytes = graph.ConstData(indices);
      const size_t width = static_cast<size_t>(DTypeBits(dtype)) / 8;
      for (size_t at = width; at <= bytes.size(); at += width) {
        EXPECT_LT(bytes[at - 1], 0x80) << NodeView(graph, node).op();
        ++constants;
      }
    }
  }
  EXPECT_GT(constants, 300);
}

TEST(GraphGenerator, GatherTakesEveryAxisOnEveryFamily) {
  for (const int family : {2, 3, 4}) {
    GeneratorOptions options = {.family = family};
    options.ops.reset();
    options.ops.set(static_cast<size_t>(OpKind::kGather));
    bool last = false;
    for (uint64_t seed = 0; seed < 100; ++seed) {
      const Graph graph = Generate(seed, options);
      for (const Node& node : graph.nodes()) {
        if (node.schema->name != "gather") continue;
        const NodeView view(graph, node);
        const int rank = view.InputShape(params::Gather::kX).rank();
        last |= rank > 1 && NormalizeAxis(view.Int(params::Gather::kAxis, 0), rank) == rank - 1;
      }
    }
    EXPECT_TRUE(last) << family;
  }
}

// ---- pairs of operations ----

bool Holds(const Graph& graph, const OpChain& chain) {
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    if (KindOf(*node.schema) != chain.consumer) return false;
    return std::ranges::any_of(graph.arguments(node), [&](const Argument& argument) {
      const Value& value = graph.value(argument.value);
      return value.kind == ValueKind::kResult &&
             KindOf(*graph.node(value.producer).schema) == chain.producer;
    });
  });
}

TEST(Chain, GraphsContainThePair) {
  const OpChain chains[] = {{OpKind::kConv, OpKind::kMatmul},
                            {OpKind::kConst, OpKind::kRelu},
                            {OpKind::kConstexprLutToDense, OpKind::kSoftmax},
                            {OpKind::kReduceMax, OpKind::kTile},
                            {OpKind::kGreater, OpKind::kCast}};
  for (const OpChain& chain : chains) {
    int held = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      held += Holds(Generate(seed, {.family = 4, .chain = chain}), chain) ? 1 : 0;
    }
    EXPECT_GT(held, 30) << GetOp(chain.producer).schema.name << ">"
                        << GetOp(chain.consumer).schema.name;
  }
}

RC_GTEST_PROP(Chain, GraphsOfAnyPairAreValidAndAlive, (uint64_t seed)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  const OpChain chain = {static_cast<OpKind>(choices.Below(kOpCount)),
                         static_cast<OpKind>(choices.Below(kOpCount))};
  constexpr CaseMode kValues[] = {CaseMode::kFloat, CaseMode::kSpecial, CaseMode::kBoundary};
  const CaseMode mode = kValues[choices.Below(std::size(kValues))];
  GeneratorOptions options = {.family = 6, .mode = mode, .chain = chain};
  options.ops.reset();
  options.ops.set(static_cast<size_t>(chain.producer));
  options.ops.set(static_cast<size_t>(chain.consumer));
  Graph graph;
  GenerateGraph(choices, options, graph);
  RC_ASSERT(ValidateGraph(graph).ok());
  RC_ASSERT(AllAlive(graph));
  RC_ASSERT(OutputsAreAdmitted(graph));
}

TEST(GraphGenerator, CancellationTriplesSumToLessThanARounding) {
  ChoiceStream choices = ChoiceStream::FromSeed(3);
  const TensorType type{DType::kFp16, {300}};
  const std::vector<uint8_t> bytes = DrawTensor(choices, type, CaseMode::kCancellation, 2048);
  const auto at = [&](size_t i) {
    return HalfToDouble(Half{static_cast<uint16_t>(bytes[2 * i] | bytes[2 * i + 1] << 8)});
  };
  int cancelling = 0;
  for (size_t i = 0; i + 3 <= 300; i += 3) {
    const double rest = std::abs(at(i) + at(i + 1) + at(i + 2));
    cancelling += rest * 1024 <= std::max(std::abs(at(i)), std::abs(at(i + 1))) * 2 ? 1 : 0;
  }
  EXPECT_GT(cancelling, 30);
}

// The intervals with which the generator keeps values in range depend on this limit.
TEST(GraphGenerator, NoElementIsLargerThanItsLimit) {
  const TensorType type{DType::kFp16, {333}};
  for (const CaseMode mode : kModes) {
    // draws infinities, NaN and the largest numbers
    const bool special = ValuesOf(mode) == CaseMode::kSpecial;
    for (const double limit : {0x1p-20, 0x1p-14, 0.3, 1.0, 5.7, 16.0, 2047.0, 4096.0, 65504.0}) {
      if (special && limit < kHalfMaxValue) continue;
      ChoiceStream choices = ChoiceStream::FromSeed(17);
      const std::vector<uint8_t> bytes = DrawTensor(choices, type, mode, limit);
      for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
        const Half half{static_cast<uint16_t>(bytes[i] | bytes[i + 1] << 8)};
        if (special && (half.IsInf() || half.IsNan())) continue;
        ASSERT_LE(std::abs(HalfToDouble(half)), limit) << ToText(mode) << " element " << i;
      }
    }
  }
}

// Most floats are near the limit, so that their sums are inexact. A few have smaller exponents.
TEST(GraphGenerator, AFewFloatsHaveAnyExponentOfNormalHalves) {
  constexpr int64_t kElements = 1 << 16;
  constexpr int kTop = 18, kCommon = 13;  // biased exponents: 8 to 16, and 1/4 and more
  ChoiceStream choices = ChoiceStream::FromSeed(23);
  const auto bytes = DrawTensor(choices, {DType::kFp16, {kElements}}, CaseMode::kFloat, 16);
  std::array<int64_t, 32> counts{};
  for (size_t i = 1; i < bytes.size(); i += 2) ++counts[bytes[i] >> 2 & 0x1f];
  int64_t rare = 0;
  for (size_t exponent = 1; exponent < kCommon; ++exponent) {
    EXPECT_GT(counts[exponent], 0) << exponent;
    rare += counts[exponent];
  }
  for (size_t exponent = kCommon; exponent <= kTop; ++exponent) {
    EXPECT_GT(counts[exponent], kElements / 8) << exponent;
  }
  EXPECT_EQ(counts[0], 0) << "subnormals and zeros are special values";
  EXPECT_GT(rare, kElements / 256);
  EXPECT_LT(rare, kElements / 64);
}

TEST(GraphGenerator, MinNodesIsKept) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const Graph graph = Generate(seed, {.max_nodes = 12, .min_nodes = 5});
    EXPECT_GE(graph.nodes().size(), 5u) << seed;
  }
}

RC_GTEST_PROP(GraphGenerator, AnyBytesGiveAValidLiveGraph, (std::vector<uint8_t> bytes)) {
  ChoiceStream choices = ChoiceStream::FromBytes(bytes);
  const CaseMode mode = kModes[choices.Below(std::size(kModes))];
  Graph graph;
  GenerateGraph(choices, {.mode = mode}, graph);
  RC_ASSERT(ValidateGraph(graph).ok());
  RC_ASSERT(AllAlive(graph));
}

RC_GTEST_PROP(ChoiceStream, BelowStaysBelow, (uint64_t seed, uint64_t bound)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  if (bound == 0) RC_ASSERT(choices.Below(bound) == 0);
  if (bound != 0) RC_ASSERT(choices.Below(bound) < bound);
}

RC_GTEST_PROP(ChoiceStream, RangeKeepsBothEnds, (uint64_t seed, int32_t a, int32_t b)) {
  const int64_t low = std::min(a, b);
  const int64_t high = std::max(a, b);
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  const int64_t drawn = choices.Range(low, high);
  RC_ASSERT(drawn >= low && drawn <= high);
}

// The published first outputs of splitmix64 for this seed, so that recorded seeds keep their
// meaning.
TEST(ChoiceStream, SeedIsSplitmix64) {
  ChoiceStream choices = ChoiceStream::FromSeed(1234567);
  EXPECT_EQ(choices.Word(), 6457827717110365317u);
  EXPECT_EQ(choices.Word(), 3203168211198807973u);
}

TEST(ChoiceStream, UsedUpBytesGiveTheSimplestChoice) {
  const uint8_t bytes[] = {200};
  ChoiceStream choices = ChoiceStream::FromBytes(bytes);
  EXPECT_EQ(choices.Below(256), 200u);
  EXPECT_TRUE(choices.Exhausted());
  EXPECT_EQ(choices.Below(256), 0u);
  EXPECT_EQ(choices.Range(3, 9), 3);
  EXPECT_FALSE(choices.Chance(9, 10));
}

}  // namespace
}  // namespace anecheck
