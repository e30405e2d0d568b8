// `anecheck lower`: writes the lowered form of a graph on a target, and the texts that its
// compilers read.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/model_flags.h"
#include "harness/cli/prepared_model.h"
#include "harness/cli/target_flags.h"
#include "harness/encoder/ane_file.h"
#include "harness/encoder/encode.h"
#include "harness/evidence/graph_answer.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mlmodel/model.h"
#include "harness/graph/json.h"
#include "harness/judging/compiled_plan.h"
#include "harness/judging/dense_constants.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/lowering/graph_to_netlist.h"
#include "harness/lowering/netlist_axes.h"
#include "harness/models/package.h"
#include "oracles/plan/plan_print.h"

namespace anecheck {
namespace {

struct LowerFlags {
  TargetFlags target;
  ModelFlags model;
  std::string target_name, route, out, format;  // empty `route`: the model's own
  bool plan = false;
  bool json = false;
};

// The written files, and the files that could not be written, each with the reason.
struct Written {
  std::vector<std::string> files;
  std::vector<std::pair<std::string, std::string>> missing;
  bool dense = false;  // the container has plain weights in place of compressed ones
};

Status Write(const LowerFlags& flags, const std::string& name, std::string_view text,
             Written& written) {
  ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(flags.out + "/" + name, text));
  written.files.push_back(name);
  return {};
}

// Writes the program of the conversion route. Also writes the network description of the direct
// route, if it can spell every unit of the lowered graph.
Status WritePrograms(const LowerFlags& flags, const plan::Plan& plan, Written& written) {
  const auto mil = GraphToMil(plan.program);
  if (mil.ok()) {
    ANECHECK_RETURN_IF_ERROR(Write(flags, "model.mil", *mil, written));
  } else {
    written.missing.emplace_back("model.mil", mil.error().message);
  }
  const auto netlist = GraphToNetlist(plan.lowered);
  if (!netlist.ok()) {
    written.missing.emplace_back("net.plist", netlist.error().message);
    return {};
  }
  const std::vector<uint8_t> description = netlist::Write(netlist->description);
  ANECHECK_RETURN_IF_ERROR(
      WriteFileAtomic(flags.out + "/net.plist", std::span<const uint8_t>(description)));
  written.files.emplace_back("net.plist");
  if (netlist->weights.empty()) return {};
  const std::string weights(kNetlistWeightFile);
  ANECHECK_RETURN_IF_ERROR(
      WriteFileAtomic(flags.out + "/" + weights, std::span<const uint8_t>(netlist->weights)));
  written.files.push_back(weights);
  return {};
}

Status WriteBytes(const LowerFlags& flags, const std::string& name, ByteSpan bytes,
                  Written& written) {
  ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(flags.out + "/" + name, bytes));
  written.files.push_back(name);
  return {};
}

// Encodes the graph with plain weights, because the encoder cannot write compressed weights.
Result<std::vector<uint8_t>> ContainerOf(const Graph& graph, const LowerFlags& flags,
                                         Written& written) {
  ANECHECK_ASSIGN(const Graph dense, WithDenseConstants(graph));
  written.dense = dense.nodes().size() < graph.nodes().size();
  return encoder::Encode(dense, {.target = flags.target_name});
}

// Writes the dispatch descriptor and, if the encoder knows the tasks of every operation, the
// container.
Status WriteCompiled(const LowerFlags& flags, const Graph& graph, const plan::Plan& plan,
                     const Target& target, Written& written) {
  const Result<CompiledProgram> outline =
      plan.compiles() ? OutlineOf(plan, target)
                      : MakeError(ErrorCode::kUnsupported,
                                  fmt::format("the program does not compile for {}; plan.txt "
                                              "names what is rejected",
                                              plan.target));
  const auto files = outline.ok() ? WriteCompiledFiles(*outline, ContainerOf(graph, flags, written))
                                  : Result<CompiledFiles>(outline.error());
  if (!files.ok()) {
    for (const char* name : {"program.e5", "model.hwx"}) {
      written.missing.emplace_back(name, files.error().message);
    }
    return {};
  }
  ANECHECK_RETURN_IF_ERROR(WriteBytes(flags, "program.e5", files->descriptor, written));
  written.dense &= !files->container.empty();
  if (!files->container.empty()) {
    ANECHECK_RETURN_IF_ERROR(WriteBytes(flags, "model.hwx", files->container, written));
    const auto ane = encoder::AneOfContainer(files->container);
    if (ane.ok()) return WriteBytes(flags, "model.ane", *ane, written);
    written.missing.emplace_back("model.ane", ane.error().message);
    return {};
  }
  written.missing.emplace_back("model.hwx", files->no_container);
  return {};
}

Result<Written> WriteFolder(const LowerFlags& flags, const Graph& graph, const plan::Plan& plan,
                            const Target& target) {
  Written written;
  ANECHECK_RETURN_IF_ERROR(MakeDirectories(flags.out));
  ANECHECK_RETURN_IF_ERROR(WritePrograms(flags, plan, written));
  ANECHECK_RETURN_IF_ERROR(
      Write(flags, "lowered.json", DumpJson(GraphToJson(plan.lowered), 1) + "\n", written));
  ANECHECK_RETURN_IF_ERROR(
      Write(flags, "plan.json", DumpJson(plan::PlanJson(plan), 1) + "\n", written));
  ANECHECK_RETURN_IF_ERROR(Write(flags, "plan.txt", plan::PlanText(plan), written));
  ANECHECK_RETURN_IF_ERROR(WriteCompiled(flags, graph, plan, target, written));
  return written;
}

// Writes the model for Core ML's compiler on a Mac, without the rewrites of any target.
Status LowerToPackage(const LowerFlags& flags) {
  if (flags.out.empty()) {
    return MakeError(ErrorCode::kInvalid, "--format mlpackage needs --out, the package to write");
  }
  ANECHECK_ASSIGN(const ModelGraph model, ReadModel(flags.model));
  ANECHECK_ASSIGN(const MilProgram program, GraphToMilProgram(model.graph));
  ANECHECK_ASSIGN(const mil::Program parsed, mil::Parse(program.text));
  ANECHECK_ASSIGN(const std::string bytes, mlmodel::ModelBytes(parsed));
  ANECHECK_RETURN_IF_ERROR(WritePackage(flags.out, bytes, program.weights));
  const Json json = {{"out", flags.out}, {"format", flags.format}};
  flags.json ? Print(DumpJson(json, 2)) : PrintText(fmt::format("wrote {}\n", flags.out));
  return {};
}

// Lists the model's own operations in the form in which `check` lists them.
Json OperationsJson(const Graph& graph, const evidence::GraphAnswer& answer) {
  Json list = Json::array();
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const NodeView node(graph, id);
    Json& row = list.emplace_back(evidence::OperationAnswerJson(answer, id));
    row["op"] = node.op();
    row["name"] = plan::OperationName(node);
  }
  return list;
}

// Names the operations at the model's edges that `check` leaves to the host.
std::string EdgesText(const PreparedModel& model) {
  std::vector<std::string> parts = model.edges.computed;
  for (const auto& names : {model.peeled.inputs, model.peeled.outputs}) {
    for (const std::string& name : names) parts.push_back("the cast of " + name);
  }
  for (const std::string& name : model.edges.widened) parts.push_back("int32 for " + name);
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The part of the model that `check` runs.
struct InnerPart {
  plan::Plan plan;
  std::string edges;  // EdgesText
};

// If the host computes casts or integers at the model's edges, returns the part that `check` runs.
// `lower` prints its plan in addition to the plan of the whole model, so that `check` and `lower`
// agree. Returns nothing if the model cannot be split.
std::optional<InnerPart> WithoutEdges(const Graph& model, const Target& target,
                                      const plan::PlanOptions& options) {
  const auto split = SplitModel(model);
  if (!split.ok() || !split->WithoutEdges()) return std::nullopt;
  auto plan = plan::PlanLowering(OwnPart(*split), target, options);
  if (!plan.ok()) return std::nullopt;
  return InnerPart{std::move(*plan), EdgesText(*split)};
}

Status Lower(const LowerFlags& flags) {
  if (flags.format == "mlpackage") return LowerToPackage(flags);
  if (flags.target_name.empty()) {
    return MakeError(ErrorCode::kInvalid, "--target is required (h13, h17s, ...)");
  }
  ANECHECK_ASSIGN(const TargetCatalog catalog, LoadCatalog(flags.target));
  ANECHECK_ASSIGN(const Target* target, catalog.Find(flags.target_name));
  ANECHECK_ASSIGN(const ModelGraph model, ReadModel(flags.model));
  Route route = model.network ? Route::kNetlist : Route::kMil;
  if (!flags.route.empty()) {
    ANECHECK_ASSIGN(route, FromText<Route>(flags.route));
  }
  ANECHECK_ASSIGN(const evidence::GraphAnswer answer,
                  evidence::AnswerOf(model.graph, *target, {route, Order(flags.target)},
                                     evidence::Published()));
  const plan::Plan& plan = answer.plan;
  const auto part = WithoutEdges(model.graph, *target, {route, Order(flags.target)});
  Written written;
  if (!flags.out.empty()) {
    ANECHECK_ASSIGN(written, WriteFolder(flags, model.graph, plan, *target));
  }
  if (flags.json) {
    Json json = {{"plan", plan::PlanJson(plan)},
                 {"operations", OperationsJson(model.graph, answer)},
                 {"out", flags.out},
                 {"files", written.files}};
    json["without_edges"] = nullptr;
    if (part) {
      json["without_edges"] = {{"compiles", part->plan.compiles()},
                               {"compiles_with_bridges", part->plan.compiles_with_bridges()},
                               {"dispatches", part->plan.dispatches}};
    }
    json["dense_weights"] = written.dense;
    json["missing"] = Json::array();
    for (const auto& [name, reason] : written.missing) {
      json["missing"].push_back({{"file", name}, {"reason", reason}});
    }
    Print(DumpJson(json, 2));
    return {};
  }
  std::string text = flags.plan || flags.out.empty() ? plan::PlanText(plan) : "";
  for (const std::string& name : written.files)
    text += fmt::format("wrote {}/{}\n", flags.out, name);
  if (written.dense) text += "model.hwx holds plain weights in place of compressed ones\n";
  for (const auto& [name, reason] : written.missing) {
    text += fmt::format("not written: {}: {}\n", name, reason);
  }
  if (part) {
    text +=
        fmt::format("without its edges, as `anecheck check` runs it: {}; the host computes {}\n",
                    plan::PlanHeadline(part->plan), part->edges);
  }
  PrintText(text);
  return {};
}

int Run(const LowerFlags& flags) {
  const Status done = Lower(flags);
  return done.ok() ? kExitClean : Fail(done.error());
}

}  // namespace

void AddLowerCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand(
      "lower", "Show the lowering of a model on a target: layers, cuts and dispatches");
  auto flags = std::make_shared<LowerFlags>();
  AddModelFlags(command, flags->model);
  command.AddOption("--target", flags->target_name, "h13, h17s, ...");
  command
      .AddOption(
          "--format", flags->format,
          "Write the model itself to --out, not its lowering: mlpackage for Core ML's compiler")
      .OneOf({"mlpackage"});
  command
      .AddOption("--route", flags->route,
                 "Conversion or direct authoring (default: mil, or netlist for a network "
                 "description)")
      .OneOf({Route::kMil, Route::kNetlist});
  command
      .AddOption(
          "--out", flags->out,
          "Folder for model.mil, net.plist, program.e5, model.hwx, model.ane (the Linux driver's "
          "form), lowered.json, "
          "plan.json and plan.txt")
      .Check(FileName());
  command.AddFlag("--plan", flags->plan, "Print the plan (the default without --out)");
  command.AddFlag("--json", flags->json, "Print JSON");
  AddTargetFlags(command, flags->target);
  command.Footer("Example: anecheck lower model.mil --target h13 --out lowered --plan");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
