// `anecheck lift`: writes the graph of operations that a hardware container computes.
#include <fmt/format.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/with_file.h"
#include "harness/emulator/program.h"
#include "harness/encoder/ane_file.h"
#include "harness/graph/json.h"
#include "harness/lifting/lift.h"

namespace anecheck {
namespace {

struct LiftFlags {
  std::string container;
  std::string out;
  bool json = false;
};

Json SummaryOf(const LiftFlags& flags, const emulator::Program& program, const Graph& graph) {
  std::map<std::string, size_t> counts;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    ++counts[std::string(NodeView(graph, id).op())];
  }
  Json operations = Json::object();
  for (const auto& [op, count] : counts) operations[op] = count;
  Json json = {
      {"container", flags.container},  {"generation", emulator::GenerationName(program.generation)},
      {"tasks", program.tasks.size()}, {"out", flags.out},
      {"operations", operations},      {"inputs", Json::array()},
      {"outputs", Json::array()}};
  const auto describe = [&](ValueId id) {
    return Json{{"name", graph.value(id).name}, {"type", graph.type(id).ToString()}};
  };
  for (const ValueId id : graph.ValuesOfKind(ValueKind::kInput)) {
    json["inputs"].push_back(describe(id));
  }
  for (const ValueId id : graph.outputs()) json["outputs"].push_back(describe(id));
  return json;
}

std::string SummaryText(const Json& json) {
  std::string text =
      fmt::format("{} of {}; wrote {}\n", Counted(json["tasks"].get<size_t>(), "task"),
                  json["generation"].get<std::string>(), json["out"].get<std::string>());
  for (const char* kind : {"inputs", "outputs"}) {
    for (const Json& port : json[kind]) {
      text += fmt::format("  {} {}: {}\n", std::string_view(kind).substr(0, kind[0] == 'i' ? 5 : 6),
                          port["name"].get<std::string>(), port["type"].get<std::string>());
    }
  }
  for (const auto& [op, count] : json["operations"].items()) {
    text += fmt::format("  {}: {}\n", op, count.get<size_t>());
  }
  for (const Json& warning : json["warnings"]) {
    text += fmt::format("warning: {}\n", warning.get<std::string>());
  }
  return text;
}

Result<Json> Lift(const LiftFlags& flags) {
  ANECHECK_ASSIGN(Bytes read, ReadFile(flags.container));
  std::vector<std::string> warnings;
  ANECHECK_ASSIGN(const Bytes bytes, encoder::AsContainer(std::move(read), &warnings));
  ANECHECK_ASSIGN(const emulator::Program program, emulator::LoadProgram(bytes));
  ANECHECK_ASSIGN(const Graph graph, lifting::LiftProgram(program));
  ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(flags.out, DumpJson(GraphToJson(graph), 1)));
  Json json = SummaryOf(flags, program, graph);
  json["warnings"] = warnings;
  return json;
}

int RunLift(const LiftFlags& flags) {
  const auto json = Lift(flags);
  if (!json.ok()) return Fail(WithFile(flags.container, json.error()));
  flags.json ? Print(DumpJson(*json, 2)) : PrintText(SummaryText(*json));
  return kExitClean;
}

}  // namespace

void AddLiftCommand(CommandLine& app, Selected& selected) {
  CommandLine command =
      app.AddCommand("lift", "Write the graph that a hardware container computes");
  auto flags = std::make_shared<LiftFlags>();
  command
      .AddOption("container", flags->container,
                 "A hardware container (.hwx), or a model of the Linux driver (.ane)")
      .Required()
      .Check(FileName());
  command.AddOption("--out", flags->out, "File for the graph, JSON").Required().Check(FileName());
  command.AddFlag("--json", flags->json, "Print a summary as JSON");
  command.Footer(
      "Example: anecheck lift model.hwx --out graph.json && anecheck check graph.json --container "
      "model.hwx");
  command.WhenChosen([flags, &selected] { selected = [flags] { return RunLift(*flags); }; });
}

}  // namespace anecheck
