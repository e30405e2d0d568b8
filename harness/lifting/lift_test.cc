// Lifted graphs compute the same values as the emulator. Tests every real container and recorded
// program, and containers that the encoder writes from generated graphs.
#include "harness/lifting/lift.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <set>

#include "generators/choice_stream.h"
#include "generators/graph_generator.h"
#include "harness/base/file.h"
#include "harness/base/half.h"
#include "harness/base/testing/test_data.h"
#include "harness/emulator/testing/boolean_program.h"
#include "harness/emulator/testing/later_program.h"
#include "harness/emulator/testing/recorded_program.h"
#include "harness/encoder/encode.h"
#include "harness/encoder/ops/handlers.h"
#include "oracles/oracle.h"

namespace anecheck::lifting {
namespace {

using emulator::Port;
using emulator::Program;

constexpr int kFamily = 2;  // A13

std::vector<std::string> OperationsOf(const Graph& graph) {
  std::vector<std::string> names;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    names.emplace_back(NodeView(graph, id).op());
  }
  return names;
}

// Three of four numbers lie between -8 and 8, others have random bits. Inf and NaN become 1.
std::vector<uint16_t> Draw(std::mt19937& random, size_t count) {
  std::vector<uint16_t> values(count);
  std::uniform_real_distribution<double> near(-8, 8);
  for (uint16_t& value : values) {
    value = random() % 4 != 0 ? DoubleToHalf(near(random)).bits
                              : static_cast<uint16_t>(random() & 0xffff);
    if (!Half{value}.IsFinite()) value = 0x3c00;
  }
  return values;
}

Tensor AsTensor(const TensorType& type, const std::vector<uint16_t>& bits) {
  if (type.dtype == DType::kBool) return {type, {bits.begin(), bits.end()}};
  const auto* bytes = reinterpret_cast<const uint8_t*>(bits.data());
  return {type, {bytes, bytes + 2 * bits.size()}};
}

// Draws values for the inputs of a program, in the order of its ports, and writes them to the
// ports.
std::vector<Tensor> DrawInputs(Program& program, const Graph& graph, std::mt19937& random) {
  std::vector<Tensor> inputs;
  const std::vector<ValueId> ids = graph.ValuesOfKind(ValueKind::kInput);
  for (const Port& port : program.ports) {
    if (port.output) continue;
    auto values = Draw(random, port.Count());
    if (port.element == 1) {
      for (uint16_t& value : values) value &= 1;
    }
    EXPECT_TRUE(program.WritePort(port.name, values).ok());
    inputs.push_back(AsTensor(graph.type(ids[inputs.size()]), values));
  }
  return inputs;
}

std::vector<std::vector<double>> OutputsOf(const Program& program) {
  std::vector<std::vector<double>> outputs;
  for (const Port& port : program.ports) {
    if (!port.output) continue;
    outputs.emplace_back();
    for (const uint16_t bits : program.ReadPort(port.name).value()) {
      outputs.back().push_back(port.element == 1 ? bits : HalfToDouble(Half{bits}));
    }
  }
  return outputs;
}

// Compares an output of the emulator with the oracle's values. `tolerance` is relative for expected
// values above 1 and absolute for smaller ones; 0 requires equal numbers.
void ExpectNear(const std::vector<double>& run, const Estimate& expected, double tolerance) {
  ASSERT_EQ(run.size(), expected.value.size());
  for (size_t i = 0; i < run.size(); ++i) {
    const double value = run[i];
    if (tolerance == 0) {
      ASSERT_EQ(UlpDistance(DoubleToHalf(value), DoubleToHalf(expected.value[i])), 0u)
          << "element " << i << ": " << value << ", " << expected.value[i];
    } else {
      const double bound = tolerance * std::max(1.0, std::fabs(expected.value[i]));
      ASSERT_NEAR(value, expected.value[i], bound) << "element " << i;
    }
  }
}

void ExpectEqualOnRandomInputs(Program& program, const Graph& graph, int times, double tolerance) {
  std::mt19937 random(5);
  for (int i = 0; i < times && !::testing::Test::HasFatalFailure(); ++i) {
    const std::vector<Tensor> inputs = DrawInputs(program, graph, random);
    const auto report = emulator::RunProgram(program);
    ASSERT_TRUE(report.ok()) << report.error().message;
    const auto expected = Evaluate(graph, inputs, ConformingContract(kFamily));
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    const auto outputs = OutputsOf(program);
    ASSERT_EQ(outputs.size(), expected->size());
    for (size_t o = 0; o < outputs.size(); ++o) ExpectNear(outputs[o], (*expected)[o], tolerance);
  }
}

struct RealContainer {
  const char* file;
  std::vector<std::string> operations;
  double tolerance = 0;
};

std::vector<RealContainer> Containers() {
  return {{"hwx/concat-0f988933.hwx", {"concat"}},
          {"hwx/conv-8a6bd427.hwx", {"conv"}},
          {"hwx/gemm-ef7e5c24.hwx", {"conv"}},
          {"hwx/model_golden-32a7ae2d.hwx", {"conv"}},
          {"hwx/model_golden-c20271e3.hwx", {"identity"}},
          {"hwx/model_signed-4e6bd6e6.hwx", {"conv"}},
          {"hwx/relu-d66a665b.hwx", {"relu"}},
          {"hwx/sigmoid-7cc79341.hwx", {"sigmoid"}, 0.0034},
          {"hwx/sum-1b1855b8.hwx", {"add"}},
          {"hwx_newer/mul_macos14-bfb784bc.hwx", {"mul"}},
          {"hwx_newer/mul_macos26_m1-fcb19295.hwx", {"mul"}}};
}

TEST(Lift, RealContainersLiftToTheirNetworks) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::RealDataPath("hwx"));
  ANECHECK_SKIP_WITHOUT(anecheck::testing::RealDataPath("hwx_newer"));
  std::set<std::string> files;
  for (const RealContainer& real : Containers()) {
    SCOPED_TRACE(real.file);
    const std::string path = anecheck::testing::RealDataPath(real.file);
    files.insert(path);
    Program program = emulator::LoadProgram(ReadFile(path).value()).value();
    const auto graph = LiftProgram(program);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    std::vector<std::string> operations = OperationsOf(*graph);
    std::erase(operations, "reshape");
    EXPECT_EQ(operations, real.operations);
    ExpectEqualOnRandomInputs(program, *graph, 100, real.tolerance);
  }
  for (const char* folder : {"hwx", "hwx_newer"}) {
    for (const std::string& file :
         anecheck::testing::FilesUnder(anecheck::testing::RealDataPath(folder))) {
      EXPECT_TRUE(files.contains(file)) << file << ": Containers() does not list this file";
    }
  }
}

// Adds a port for each input and output region. The port covers the whole region.
void AddWholePorts(Program& program) {
  for (size_t i = 0; i < program.memory.regions().size(); ++i) {
    const emulator::Region& region = program.memory.regions()[i];
    const bool output = region.kind == emulator::RegionKind::kOutput;
    if (!output && region.kind != emulator::RegionKind::kInput) continue;
    const auto count = static_cast<uint32_t>(region.bytes.size() / 2);
    program.ports.push_back({.name = (output ? "y" : "x") + std::to_string(i),
                             .output = output,
                             .region = i,
                             .shape = {1, 1, 1, count},
                             .strides = {2 * count, 2 * count, 2 * count, 2}});
  }
}

TEST(Lift, RecordedProgramsLiftToTheirNetworks) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::VectorPath("h13_program"));
  for (const std::string& path : emulator::testing::RecordedProgramPaths()) {
    SCOPED_TRACE(path);
    auto recorded = emulator::testing::ReadRecordedProgram(path).value();
    Program& program = recorded.program;
    std::vector<Tensor> inputs;
    AddWholePorts(program);
    const auto graph = LiftProgram(program);
    if (!graph.ok()) {
      ADD_FAILURE() << graph.error().message;
      continue;
    }
    const std::vector<ValueId> ids = graph->ValuesOfKind(ValueKind::kInput);
    for (const Port& port : program.ports) {
      if (port.output) continue;
      inputs.push_back(
          AsTensor(graph->type(ids[inputs.size()]), program.ReadPort(port.name).value()));
    }
    ASSERT_TRUE(emulator::RunProgram(program).ok());
    const auto expected = Evaluate(*graph, inputs, ConformingContract(kFamily));
    if (!expected.ok()) {
      ADD_FAILURE() << expected.error().message;
      continue;
    }
    ExpectNear(OutputsOf(program).front(), expected->front(), recorded.tolerance);
  }
}

// Runs the program on random inputs, and checks that its outputs lie in the graph's bounds.
void ExpectAdmitted(Program& program, const Graph& graph, const emulator::RunOptions& options,
                    std::mt19937& random) {
  const std::vector<Tensor> inputs = DrawInputs(program, graph, random);
  const auto report = emulator::RunProgram(program, options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  const auto expected = Evaluate(graph, inputs, ConformingContract(kFamily));
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  const auto outputs = OutputsOf(program);
  ASSERT_EQ(outputs.size(), expected->size());
  for (size_t o = 0; o < outputs.size(); ++o) {
    for (size_t i = 0; i < outputs[o].size(); ++i) {
      ASSERT_TRUE(Admits((*expected)[o], i, outputs[o][i]))
          << "output " << o << ", element " << i << ": " << outputs[o][i] << ", expected "
          << (*expected)[o].low[i] << " to " << (*expected)[o].high[i];
    }
  }
}

emulator::RunOptions InFamily(const Program& program) {
  emulator::RunOptions options;
  options.arithmetic.model = &emulator::FamilyModel(program.version);
  return options;
}

TEST(Lift, AChainIsTheOperationsOfItsTasks) {
  Program program = emulator::testing::ChainProgram();
  const auto graph = LiftProgram(program);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(OperationsOf(*graph), (std::vector<std::string>{"sign", "abs", "floor", "mul", "mul"}));
  ExpectEqualOnRandomInputs(program, *graph, 20, 0);
}

TEST(Lift, ProgramsOfBoolsLiftToTheirOperations) {
  using namespace emulator::testing;
  const std::pair<Program, const char*> programs[] = {{FloorProgram(), "floor"},
                                                      {SelectProgram(), "select"},
                                                      {CastProgram(), "cast"},
                                                      {NotProgram(), "logical_not"},
                                                      {LessProgram(), "less"}};
  for (auto [program, operation] : programs) {
    SCOPED_TRACE(operation);
    program.version = 7;
    const auto graph = LiftProgram(program);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const std::vector<std::string> operations = OperationsOf(*graph);
    ASSERT_FALSE(operations.empty());
    EXPECT_EQ(operations.back(), operation);
    // `less` subtracts with int8 factors. Its input alternates channels of both operands.
    if (std::string_view(operation) != "less") EXPECT_EQ(operations.size(), 1u);
    for (const ValueId output : graph->outputs()) {
      const bool bools = program.FindPort(graph->value(output).name)->element == 1;
      EXPECT_EQ(graph->type(output).dtype, bools ? DType::kBool : DType::kFp16);
    }
    std::mt19937 random(11);
    for (int i = 0; i < 20; ++i) ExpectAdmitted(program, *graph, InFamily(program), random);
  }
}

// Returns the operations for which the encoder has tasks, except those whose tables have larger
// errors than the contract admits without a measurement.
std::bitset<kOpCount> JudgedOps() {
  constexpr OpKind kTables[] = {OpKind::kExp,     OpKind::kExp2,        OpKind::kGelu,
                                OpKind::kSilu,    OpKind::kRsqrt,       OpKind::kSqrt,
                                OpKind::kSoftmax, OpKind::kLayerNorm,   OpKind::kInverse,
                                OpKind::kRealDiv, OpKind::kInstanceNorm};
  std::bitset<kOpCount> ops;
  for (const OpDefinition* op : AllOps()) {
    const OpKind kind = KindOf(op->schema);
    if (encoder::HandlerOf(kind) == nullptr ||
        std::ranges::find(kTables, kind) != std::end(kTables))
      continue;
    ops.set(op->schema.id);
  }
  return ops;
}

// Encodes drawn graphs, runs the containers, lifts them, and checks that the emulator's outputs lie
// in the bounds of the lifted graphs. Returns the number of graphs that the encoder accepts.
size_t RoundTrips(const std::bitset<kOpCount>& ops, bool exact) {
  GeneratorOptions options;
  options.family = kFamily;
  options.max_nodes = 4;
  options.ops = ops;
  size_t lifted = 0;
  for (uint64_t seed = 0; seed < 400 && !::testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Graph source;
    GenerateGraph(choices, options, source);
    const auto bytes = encoder::Encode(source, {.exact = exact});
    if (!bytes.ok()) continue;
    Program program = emulator::LoadProgram(*bytes).value();
    const auto graph = LiftProgram(program);
    EXPECT_TRUE(graph.ok()) << graph.error().message;
    if (!graph.ok()) return lifted;
    std::mt19937 random(static_cast<uint32_t>(seed));
    ExpectAdmitted(program, *graph, exact ? emulator::RunOptions() : InFamily(program), random);
    ++lifted;
  }
  return lifted;
}

TEST(Lift, GraphsLiftedFromGeneratedContainersAdmitTheirOutputs) {
  EXPECT_GT(RoundTrips(JudgedOps(), true), 100u);
}

// Comparisons and choices need the family's arithmetic.
TEST(Lift, GraphsOfBoolsAdmitTheOutputsOfTheirContainers) {
  constexpr OpKind kSteps[] = {OpKind::kFloor,    OpKind::kCeil,         OpKind::kEqual,
                               OpKind::kNotEqual, OpKind::kLess,         OpKind::kLessEqual,
                               OpKind::kGreater,  OpKind::kGreaterEqual, OpKind::kLogicalNot,
                               OpKind::kSelect,   OpKind::kCast,         OpKind::kReshape,
                               OpKind::kConcat,   OpKind::kTranspose,    OpKind::kSliceBySize};
  std::bitset<kOpCount> ops;
  for (const OpKind kind : kSteps) ops.set(GetOp(kind).schema.id);
  EXPECT_GT(RoundTrips(ops, false), 40u);
}

}  // namespace
}  // namespace anecheck::lifting
