// Fuzzes the reading of MIL text as a graph. An accepted graph is valid and can be lowered to text.
// Reading this text gives an equal graph.
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

constexpr auto kLaws = MoreLaws(kErrorLaws, "a graph that can be read is valid",
                                "a graph that can be read can be lowered",
                                "a lowered graph can be read", "read(lower(g)) is g");
using Laws = LawBook<kLaws>;

bool Check(ByteSpan input) {
  const auto graph = MilTextToGraph(std::string(AsText(input)), OpVocabulary());
  if (!graph.ok()) {
    RequireGoodError(graph.error(), input.size());
    return true;
  }
  if (!MeetsReaderLaws(input)) return true;
  const Status valid = ValidateGraph(*graph);
  Laws::Require(valid.ok(), "a graph that can be read is valid",
                valid.ok() ? "" : valid.error().message);
  const auto lowered = GraphToMil(*graph);
  Laws::Require(lowered.ok() || lowered.error().code == ErrorCode::kUnsupported,
                "a graph that can be read can be lowered",
                lowered.ok() ? "" : lowered.error().message);
  if (!lowered.ok()) return true;
  const auto reread = MilTextToGraph(*lowered, OpVocabulary());
  Laws::Require(reread.ok(), "a lowered graph can be read",
                reread.ok() ? "" : reread.error().message);
  Laws::Require(GraphFingerprint(*graph) == GraphFingerprint(*reread), "read(lower(g)) is g",
                *lowered);
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
                                      .laws = kLaws,
                                      .words = words::mil,
                                      .format = &kFormat_mil,
                                      .generator = &kGenerator_mil,
                                      .generate = Generate};

}  // namespace anecheck::fuzz
