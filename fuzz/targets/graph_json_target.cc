// Fuzzes the public JSON form of graphs. An accepted text describes a valid graph. If this graph is
// written as JSON and read again, the result is an equal graph.
#include <fmt/format.h>
#include <string>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "fuzz/targets/drawn_graph.h"
#include "fuzz/targets/json_text_format.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/graph/fingerprint.h"
#include "harness/graph/json.h"
#include "harness/graph/validate.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws =
    MoreLaws(kErrorLaws, "a graph that can be read is valid", "the JSON form is JSON",
             "written files can be read", "read(write(g)) is g", "all readers agree");
using Laws = LawBook<kLaws>;

std::string WhatItSays(const Result<Graph>& graph) {
  if (graph.ok()) return fmt::format("reads {} operations", graph->nodes().size());
  return fmt::format("{} at {}", graph.error().message, graph.error().offset);
}

// Checks that reading through JSON values gives the same graph or the same error.
void CheckOtherReader(std::string_view text, const Result<Graph>& graph) {
  const auto json = ParseJson(text);
  const auto other = json.ok() ? GraphFromJson(*json, OpVocabulary()) : json.error();
  const bool agree =
      other.ok() == graph.ok() && (graph.ok() ? GraphFingerprint(*other) == GraphFingerprint(*graph)
                                              : other.error().message == graph.error().message &&
                                                    other.error().offset == graph.error().offset);
  Laws::Require(agree, "all readers agree",
                [&] { return fmt::format("{}; {}", WhatItSays(graph), WhatItSays(other)); });
}

bool Check(ByteSpan input) {
  const std::string_view text = AsText(input);
  const auto graph = GraphFromText(text, OpVocabulary());
  if (!graph.ok()) RequireGoodError(graph.error(), input.size());
  if (!MeetsReaderLaws(input)) return true;
  CheckOtherReader(text, graph);
  if (!graph.ok()) return true;
  const Status valid = ValidateGraph(*graph);
  Laws::Require(valid.ok(), "a graph that can be read is valid",
                valid.ok() ? "" : valid.error().message);
  const std::string written = DumpJson(GraphToJson(*graph));
  Laws::Require(ParseJson(written).ok(), "the JSON form is JSON");
  const auto reread = GraphFromText(written, OpVocabulary());
  Laws::Require(reread.ok(), "written files can be read",
                reread.ok() ? "" : reread.error().message);
  Laws::Require(GraphFingerprint(*graph) == GraphFingerprint(*reread), "read(write(g)) is g", text);
  (void)GraphToMil(*graph);
  return true;
}

Bytes Generate(ChoiceStream& choices) {
  const int family = static_cast<int>(2 + choices.Below(6));
  const GeneratorOptions options = DrawGraphOptions(choices, family, 5);
  return AsBytes(DumpJson(GraphToJson(DrawGraph(choices, options))));
}

}  // namespace

extern const FuzzTarget kTarget_graph_json;
const FuzzTarget kTarget_graph_json = {.name = "graph_json",
                                       .check = Check,
                                       .laws = kLaws,
                                       .words = words::Operations,
                                       .format = &kJsonTextFormat,
                                       .generate = Generate};

}  // namespace anecheck::fuzz
