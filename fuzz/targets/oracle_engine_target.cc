// Compares the oracle with the simulated engine. If every quirk is off, all outputs of every
// generated graph are within the contract of the family. The input is the choice stream of the
// graph generator.
#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "fuzz/targets/conforming_engine.h"
#include "fuzz/targets/drawn_graph.h"
#include "oracles/judge.h"
#include "oracles/oracle.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws =
    LawList("the program has the graph's ports", "an input has the size of the program's",
            "an output has the size of the program's", "the engine stays within the contract");
using Laws = LawBook<kLaws>;

struct Family {
  const char* target;
  int index;
};
constexpr Family kFamilies[] = {{"h13", 2}, {"h14", 3}, {"h15", 4}, {"h16", 5}, {"h17s", 6}};

// Returns the bytes of the engine's output ports, or nothing if it refuses the program.
std::optional<std::vector<Tensor>> RunEngine(const Graph& graph, const std::string& mil,
                                             std::span<const Tensor> inputs, const char* target) {
  const auto programs =
      device::CompileProgram(mil, ConformingSettings(target), device::Backend::kAne);
  if (!programs.ok()) return std::nullopt;
  const device::Executable& program = *programs->front();
  Laws::Require(
      program.inputs.size() == inputs.size() && program.outputs.size() == graph.outputs().size(),
      "the program has the graph's ports", mil);
  std::vector<ByteSpan> from;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Laws::Require(inputs[i].bytes.size() == static_cast<size_t>(program.inputs[i].type.Bytes()),
                  "an input has the size of the program's", mil);
    from.emplace_back(inputs[i].bytes);
  }
  std::vector<Bytes> to = RunProgram(programs->front(), from);
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < to.size(); ++i) {
    const TensorType& type = graph.type(graph.outputs()[i]);
    Laws::Require(to[i].size() == static_cast<size_t>(type.ByteSize()),
                  "an output has the size of the program's", mil);
    outputs.push_back({type, std::move(to[i])});
  }
  return outputs;
}

struct Case {
  Family family;
  Graph graph;
  std::vector<Tensor> inputs;
};

Case DrawCase(ChoiceStream& choices) {
  Case drawn;
  drawn.family = kFamilies[choices.Below(std::size(kFamilies))];
  GeneratorOptions options = DrawGraphOptions(choices, drawn.family.index, 8);
  options.max_elements = 64;
  drawn.graph = DrawGraph(choices, options);
  drawn.inputs = GenerateInputs(choices, drawn.graph, options.mode);
  return drawn;
}

bool Check(ByteSpan input) {
  ChoiceStream choices = ChoiceStream::FromBytes(input);
  const auto [family, graph, inputs] = DrawCase(choices);
  const std::string mil = GraphToMil(graph).value();
  const auto outputs = RunEngine(graph, mil, inputs, family.target);
  if (!outputs) return true;
  const auto expected = Evaluate(graph, inputs, ConformingContract(family.index));
  if (!expected.ok()) return true;
  for (size_t i = 0; i < outputs->size(); ++i) {
    const OutputJudgement judged =
        Judge(graph, inputs, i, (*expected)[i], (*outputs)[i], family.index, {});
    Laws::Require(judged.verdict != Verdict::kWrong, "the engine stays within the contract",
                  judged.reason + "\n" + mil);
  }
  return true;
}

}  // namespace

extern const FuzzTarget kTarget_oracle_engine;
const FuzzTarget kTarget_oracle_engine = {
    .name = "oracle_engine",
    .check = Check,
    .laws = kLaws,
    .generate = DrawChoiceBytes,
    .draw = [](ChoiceStream& choices) { (void)DrawCase(choices); }};

}  // namespace anecheck::fuzz
