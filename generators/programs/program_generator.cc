#include "generators/programs/program_generator.h"

#include <bitset>
#include <string>
#include <utility>

#include "generators/graph_generator.h"
#include "generators/programs/program_mutations.h"
#include "harness/encoder/encode.h"
#include "harness/encoder/machine.h"
#include "harness/encoder/ops/handlers.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

// The maximum number of drawn graphs that the encoder may refuse. Then a plain graph is encoded.
constexpr int kMostDraws = 8;

const std::bitset<kOpCount>& EncodedOps() {
  static const std::bitset<kOpCount> ops = [] {
    std::bitset<kOpCount> set;
    for (const OpDefinition* op : AllOps()) {
      if (encoder::HandlerOf(KindOf(op->schema)) != nullptr) set.set(op->schema.id);
    }
    return set;
  }();
  return ops;
}

Graph ReluOfOne() {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, Shape{1, 1, 1, 1}});
  graph.BeginNode(&GetOp(OpKind::kRelu).schema);
  graph.AddArgument(params::Unary::kX, x);
  graph.AddOutput(graph.FinishNode().value());
  return graph;
}

Bytes Generate(ChoiceStream& choices) {
  GeneratorOptions options;
  options.max_nodes = 3;
  options.max_elements = 64;
  options.max_products = 512;
  options.ops = EncodedOps();
  const auto machines = encoder::Machines();
  const encoder::Machine& machine = machines[choices.Below(machines.size())];
  const encoder::EncodeOptions target = {.target = std::string(machine.targets[0])};
  for (int draw = 0; draw < kMostDraws; ++draw) {
    Graph graph;
    GenerateGraph(choices, options, graph);
    Result<Bytes> bytes = encoder::Encode(graph, target);
    if (bytes.ok()) return std::move(*bytes);
  }
  return encoder::Encode(ReluOfOne(), target).value();
}

}  // namespace

const DescriptorGenerator kGenerator_program = {"hwx", Generate, kProgramMutations};

}  // namespace anecheck
