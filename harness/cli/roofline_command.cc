// `anecheck roofline`: estimates the least time of each operation of a model, from the number of
// its multiplications and the number of bytes that it moves.
#include <fmt/format.h>
#include <memory>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/check/roofline.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/with_file.h"
#include "harness/models/model.h"
#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

struct RooflineFlags {
  std::string model, function, target = "h13";
  bool json = false;
};

Json RowJson(const NodeView& node, const Roofline& roofline) {
  const Graph& graph = node.graph();
  return {{"op", node.schema().name},
          {"name", graph.value(node.node().first_result).name},
          {"flops", roofline.flops},
          {"bytes", roofline.bytes},
          {"compute_milliseconds", roofline.compute_ms},
          {"memory_milliseconds", roofline.memory_ms},
          {"bound", roofline.memory_bound() ? "memory" : "compute"}};
}

Result<Json> ReadRoofline(const RooflineFlags& flags) {
  const auto target = FindTarget(flags.target);
  if (!target.ok()) return target.error();
  const RooflineChip* chip = FindRoofline((*target)->compiler_name);
  if (chip == nullptr) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("--target {}: no source gives the fitted peak and bandwidth of "
                                 "it; M1 (h13) and M5 (h17s) have them",
                                 flags.target));
  }
  // Times depend only on shapes, so the weights may be missing.
  ANECHECK_ASSIGN(const Model model, Model::Open(flags.model, {.made_up = true}));
  auto read = model.Read(flags.function);
  if (!read.ok()) return WithFile(flags.model, read.error());
  Json operations = Json::array();
  double total = 0;
  for (const Node& node : read->graph.nodes()) {
    const NodeView view(read->graph, node);
    const Roofline roofline = RooflineOf(view, *chip);
    total += roofline.milliseconds();
    operations.push_back(RowJson(view, roofline));
  }
  return Json{{"target", (*target)->compiler_name},
              {"chip", chip->chip},
              {"source", "facts/more/cost_model.csv (public guide, chapter 18): fitted"},
              {"operations", std::move(operations)},
              {"milliseconds", total},
              {"dispatch_milliseconds", chip->dispatch_ms}};
}

std::string ToText(const Json& json) {
  std::string text = fmt::format("{:24} {:24} {:>10} {:>10} {:>10} {:>10}  {}\n", "operation",
                                 "name", "Mflop", "MB", "compute ms", "memory ms", "bound");
  for (const Json& row : json["operations"]) {
    text += fmt::format("{:24} {:24} {:10.3f} {:10.3f} {:10.4f} {:10.4f}  {}\n", row["op"].text(),
                        row["name"].text(), row["flops"].get<double>() / 1e6,
                        row["bytes"].get<double>() / 1e6, row["compute_milliseconds"].get<double>(),
                        row["memory_milliseconds"].get<double>(), row["bound"].text());
  }
  return text + fmt::format(
                    "{} ({}): {:.4f} ms, each operation by itself, and {:.2f} ms a "
                    "dispatch [{}]\n",
                    json["chip"].text(), json["target"].text(), json["milliseconds"].get<double>(),
                    json["dispatch_milliseconds"].get<double>(), json["source"].text());
}

int RunRoofline(const RooflineFlags& flags) {
  const auto json = ReadRoofline(flags);
  if (!json.ok()) return Fail(json.error());
  flags.json ? Print(DumpJson(*json, 2)) : PrintText(ToText(*json));
  return kExitClean;
}

}  // namespace

void AddRooflineCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("roofline",
                                       "Estimate each operation's time from the number of its "
                                       "products and of the bytes that it moves");
  auto flags = std::make_shared<RooflineFlags>();
  command
      .AddOption("model", flags->model,
                 "A package, a compiled model, MIL text, a network description or a JSON graph")
      .Check(FileName())
      .Required();
  command.AddOption("--function", flags->function,
                    "The function of a model that has several (default: main, or the only one)");
  command.AddOption("--target", flags->target, "Target or chip with a published fit: M1 or M5")
      .ShowDefault();
  command.AddFlag("--json", flags->json, "Print JSON");
  command.Footer("Example: anecheck roofline model.mlpackage --target M1");
  command.WhenChosen([flags, &selected] { selected = [flags] { return RunRoofline(*flags); }; });
}

}  // namespace anecheck
