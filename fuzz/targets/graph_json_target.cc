// The public JSON form of graphs: what is accepted is a valid graph that writes back to an equal
// one.
#include <nlohmann/json.hpp>
#include <string_view>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "generators/graph_generator.h"
#include "harness/base/json_text.h"
#include "harness/graph/fingerprint.h"
#include "harness/graph/json.h"
#include "harness/graph/validate.h"
#include "harness/lowering/graph_to_mil.h"

namespace anecheck::fuzz {
namespace {

bool Check(ByteSpan input) {
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  const auto json = ParseJson(text);
  if (!json.ok()) {
    RequireGoodError(json.error(), input.size());
    return true;
  }
  const auto graph = GraphFromJson(*json, OpVocabulary());
  if (!graph.ok()) {
    RequireGoodError(graph.error(), input.size());
    return true;
  }
  const Status valid = ValidateGraph(*graph);
  Require(valid.ok(), "what is read is valid", valid.ok() ? "" : valid.error().message);
  const auto again = ParseJson(DumpJson(GraphToJson(*graph)));
  Require(again.ok(), "the JSON form is JSON");
  const auto reread = GraphFromJson(*again, OpVocabulary());
  Require(reread.ok(), "what is written reads", reread.ok() ? "" : reread.error().message);
  Require(GraphFingerprint(*graph) == GraphFingerprint(*reread), "read(write(g)) is g", text);
  (void)GraphToMil(*graph);
  return true;
}

Bytes Generate(ChoiceStream& choices) {
  GeneratorOptions options;
  options.family = static_cast<int>(2 + choices.Below(6));
  options.mode = static_cast<CaseMode>(choices.Below(5));
  options.max_nodes = static_cast<int>(1 + choices.Below(5));
  options.max_elements = 32;
  Graph graph;
  GenerateGraph(choices, options, graph);
  const std::string text = DumpJson(GraphToJson(graph));
  return {text.begin(), text.end()};
}

}  // namespace

extern const FuzzTarget kTarget_graph_json;
const FuzzTarget kTarget_graph_json = {.name = "graph_json", .check = Check, .generate = Generate};

}  // namespace anecheck::fuzz
