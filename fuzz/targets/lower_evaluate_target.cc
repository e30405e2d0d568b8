// Graph -> MIL text -> graph changes neither the structure nor what the oracle says of any value.
// The input is the choice stream of the graph generator.
#include <cstring>
#include <string>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "fuzz/targets/drawn_graph.h"
#include "harness/graph/fingerprint.h"
#include "harness/lowering/mil_to_graph.h"
#include "oracles/oracle.h"

namespace anecheck::fuzz {
namespace {

// NaN equals NaN here.
bool SameBits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

bool Check(ByteSpan input) {
  ChoiceStream choices = ChoiceStream::FromBytes(input);
  const int family = static_cast<int>(choices.Below(kContractFamilies));
  GeneratorOptions options = DrawGraphOptions(choices, family, 8);
  options.max_elements = 64;
  const Graph graph = DrawGraph(choices, options);
  const std::vector<Tensor> inputs = GenerateInputs(choices, graph, options.mode);
  const auto text = GraphToMil(graph);
  Require(text.ok(), "generated graphs lower", text.ok() ? "" : text.error().message);
  const auto back = MilTextToGraph(*text, OpVocabulary());
  Require(back.ok(), "lowered graphs read back", back.ok() ? "" : back.error().message);
  Require(GraphFingerprint(graph) == GraphFingerprint(*back), "read(lower(g)) is g", *text);
  const Contract& contract = ConformingContract(options.family);
  const auto before = Evaluate(graph, inputs, contract);
  const auto after = Evaluate(*back, inputs, contract);
  Require(before.ok() == after.ok(), "both evaluate or neither", *text);
  if (!before.ok()) return true;
  for (size_t i = 0; i < before->size(); ++i) {
    const Estimate& a = (*before)[i];
    const Estimate& b = (*after)[i];
    Require(SameBits(a.value, b.value) && SameBits(a.low, b.low) && SameBits(a.high, b.high) &&
                a.flags == b.flags,
            "evaluate(read(lower(g))) is evaluate(g)", *text);
  }
  return true;
}

}  // namespace

extern const FuzzTarget kTarget_lower_evaluate;
const FuzzTarget kTarget_lower_evaluate = {
    .name = "lower_evaluate", .check = Check, .generate = DrawChoiceBytes};

}  // namespace anecheck::fuzz
