// MIL text to a graph: what is accepted is valid, lowers to text, and reads back as the same graph.
#include <string>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "fuzz/targets/drawn_graph.h"
#include "generators/formats/mil/mil_generator.h"
#include "harness/formats/mil/mil_format.h"
#include "harness/graph/fingerprint.h"
#include "harness/graph/validate.h"
#include "harness/lowering/mil_to_graph.h"

namespace anecheck::fuzz {
namespace {

bool Check(ByteSpan input) {
  const auto graph = MilTextToGraph(std::string(AsText(input)), OpVocabulary());
  if (!graph.ok()) {
    RequireGoodError(graph.error(), input.size());
    return true;
  }
  const Status valid = ValidateGraph(*graph);
  Require(valid.ok(), "what is read is valid", valid.ok() ? "" : valid.error().message);
  const auto lowered = GraphToMil(*graph);
  if (!lowered.ok()) {
    Require(lowered.error().code == ErrorCode::kUnsupported, "what is read lowers",
            lowered.error().message);
    return true;
  }
  const auto reread = MilTextToGraph(*lowered, OpVocabulary());
  Require(reread.ok(), "what is lowered reads", reread.ok() ? "" : reread.error().message);
  Require(GraphFingerprint(*graph) == GraphFingerprint(*reread), "read(lower(g)) is g", *lowered);
  return true;
}

Bytes Generate(ChoiceStream& choices) {
  const int family = static_cast<int>(2 + choices.Below(6));
  return DrawMilText(choices, family, 6);
}

}  // namespace

extern const FuzzTarget kTarget_mil_graph;
const FuzzTarget kTarget_mil_graph = {.name = "mil_graph",
                                      .check = Check,
                                      .format = &kFormat_mil,
                                      .generator = &kGenerator_mil,
                                      .generate = Generate};

}  // namespace anecheck::fuzz
