// Writes a graph as MIL text and reads it back. The structure and the oracle's interval of each
// value stay the same. Constants are in the text or in its side file. The input is the choice
// stream of the graph generator.
#include <cstring>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "fuzz/targets/drawn_graph.h"
#include "harness/graph/fingerprint.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/lowering/mil_to_graph.h"
#include "oracles/oracle.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws =
    LawList("generated graphs can be lowered", "lowered graphs can be read", "read(lower(g)) is g",
            "both graphs evaluate or neither does", "evaluate(read(lower(g))) is evaluate(g)");
using Laws = LawBook<kLaws>;

// Whether the bits are equal. NaN equals a NaN of the same bits.
bool SameBits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

struct Case {
  int family = 0;
  Graph graph;
  std::vector<Tensor> inputs;
};

Case DrawCase(ChoiceStream& choices) {
  Case drawn;
  drawn.family = static_cast<int>(choices.Below(kContractFamilies));
  GeneratorOptions options = DrawGraphOptions(choices, drawn.family, 8);
  options.max_elements = 64;
  drawn.graph = DrawGraph(choices, options);
  drawn.inputs = GenerateInputs(choices, drawn.graph, options.mode);
  return drawn;
}

// Writes the graph with a side file that has all constants that a side file may have. Checks the
// graph that is read back.
void CheckSideFile(const Graph& graph) {
  const auto program = GraphToMilProgram(graph, {.in_text = -1, .least = 0});
  Laws::Require(program.ok(), "generated graphs can be lowered",
                program.ok() ? "" : program.error().message);
  if (program->weights.empty()) return;
  MilReadOptions options;
  options.read_blob = [&](std::string_view, uint64_t offset, const TensorType& type) {
    return ReadMilBlob(program->weights, offset, type);
  };
  const auto back = MilTextToGraph(program->text, OpVocabulary(), options);
  Laws::Require(back.ok(), "lowered graphs can be read", back.ok() ? "" : back.error().message);
  Laws::Require(GraphFingerprint(graph) == GraphFingerprint(*back), "read(lower(g)) is g",
                program->text);
}

bool Check(ByteSpan input) {
  ChoiceStream choices = ChoiceStream::FromBytes(input);
  const auto [family, graph, inputs] = DrawCase(choices);
  const auto text = GraphToMil(graph);
  Laws::Require(text.ok(), "generated graphs can be lowered",
                text.ok() ? "" : text.error().message);
  const auto back = MilTextToGraph(*text, OpVocabulary());
  Laws::Require(back.ok(), "lowered graphs can be read", back.ok() ? "" : back.error().message);
  Laws::Require(GraphFingerprint(graph) == GraphFingerprint(*back), "read(lower(g)) is g", *text);
  CheckSideFile(graph);
  const Contract& contract = ConformingContract(family);
  const auto before = Evaluate(graph, inputs, contract);
  const auto after = Evaluate(*back, inputs, contract);
  Laws::Require(before.ok() == after.ok(), "both graphs evaluate or neither does", *text);
  if (!before.ok()) return true;
  for (size_t i = 0; i < before->size(); ++i) {
    const Estimate& a = (*before)[i];
    const Estimate& b = (*after)[i];
    Laws::Require(SameBits(a.value, b.value) && SameBits(a.low, b.low) &&
                      SameBits(a.high, b.high) && a.flags == b.flags,
                  "evaluate(read(lower(g))) is evaluate(g)", *text);
  }
  return true;
}

}  // namespace

extern const FuzzTarget kTarget_lower_evaluate;
const FuzzTarget kTarget_lower_evaluate = {
    .name = "lower_evaluate",
    .check = Check,
    .laws = kLaws,
    .generate = DrawChoiceBytes,
    .draw = [](ChoiceStream& choices) { (void)DrawCase(choices); }};

}  // namespace anecheck::fuzz
