// The oracle against the simulated engine: with every quirk off, no output of any generated graph
// lies outside the contract of the family. The input is the choice stream of the graph generator.
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "generators/graph_generator.h"
#include "harness/device/compile.h"
#include "harness/lowering/graph_to_mil.h"
#include "oracles/judge.h"
#include "oracles/oracle.h"

namespace anecheck::fuzz {
namespace {

struct Family {
  const char* target;
  int index;
};
constexpr Family kFamilies[] = {{"h13", 2}, {"h14", 3}, {"h15", 4}, {"h16", 5}, {"h17s", 6}};

// What the engine writes to its output ports, or nothing where it refuses the program.
std::optional<std::vector<Tensor>> RunEngine(const Graph& graph, const std::string& mil,
                                             std::span<const Tensor> inputs, const char* target) {
  device::CompileSettings settings;
  settings.target = device::FindTarget(target);
  settings.quirks.SetAll(device::QuirkState::kOff);
  settings.model = device::ResolveNumericModel(settings.quirks, settings.target->family);
  const auto programs = device::CompileProgram(mil, settings, device::Backend::kAne);
  if (!programs.ok()) return std::nullopt;
  const device::Executable& program = *programs->front();
  constexpr size_t kBehind = 16;
  std::vector<std::vector<uint8_t>> memory;
  memory.reserve(inputs.size() + graph.outputs().size());
  std::vector<const void*> from;
  for (const Tensor& input : inputs) {
    memory.emplace_back(input.bytes.begin(), input.bytes.end());
    memory.back().resize(input.bytes.size() + kBehind);
    from.push_back(memory.back().data());
  }
  std::vector<Tensor> outputs;
  std::vector<void*> to;
  for (const ValueId output : graph.outputs()) {
    const TensorType& type = graph.type(output);
    outputs.push_back({type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()))});
    memory.emplace_back(outputs.back().bytes.size() + kBehind);
    to.push_back(memory.back().data());
  }
  Require(program.inputs.size() == from.size() && program.outputs.size() == to.size(),
          "the program has the graph's ports", mil);
  device::Execution(programs->front()).Run(from, to);
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::memcpy(outputs[i].bytes.data(), to[i], outputs[i].bytes.size());
  }
  return outputs;
}

bool Check(ByteSpan input) {
  ChoiceStream choices = ChoiceStream::FromBytes(input);
  const Family family = kFamilies[choices.Below(std::size(kFamilies))];
  GeneratorOptions options;
  options.family = family.index;
  options.mode = static_cast<CaseMode>(choices.Below(kCaseModeCount - 1));
  options.max_nodes = static_cast<int>(1 + choices.Below(8));
  options.max_elements = 64;
  options.max_products = 2048;
  Graph graph;
  GenerateGraph(choices, options, graph);
  const std::vector<Tensor> inputs = GenerateInputs(choices, graph, options.mode);
  const std::string mil = GraphToMil(graph).value();
  const auto outputs = RunEngine(graph, mil, inputs, family.target);
  if (!outputs) return true;
  const auto expected = Evaluate(graph, inputs, ConformingContract(family.index));
  if (!expected.ok()) return true;
  for (size_t i = 0; i < outputs->size(); ++i) {
    const OutputJudgement judged =
        Judge(graph, inputs, i, (*expected)[i], (*outputs)[i], family.index, {});
    Require(judged.verdict != Verdict::kWrong, "the engine stays within the contract",
            judged.reason + "\n" + mil);
  }
  return true;
}

Bytes Generate(ChoiceStream& choices) {
  Bytes bytes(16 + choices.Below(240));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(choices.Below(256));
  return bytes;
}

}  // namespace

extern const FuzzTarget kTarget_oracle_engine;
const FuzzTarget kTarget_oracle_engine = {
    .name = "oracle_engine", .check = Check, .generate = Generate};

}  // namespace anecheck::fuzz
