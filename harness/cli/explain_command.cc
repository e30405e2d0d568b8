// `anecheck explain`: what each layer of the compiler says to an operation, and why.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/base/json_text.h"
#include "harness/cli/command.h"
#include "harness/cli/target_flags.h"
#include "oracles/legality/explain.h"

namespace anecheck {
namespace {

struct ExplainFlags {
  TargetFlags target;
  std::string op, target_name, route = "both";
  std::vector<std::string> attributes, shapes, dtypes, constants;
  bool json = false;
};

Result<legality::Instance> MakeInstance(const ExplainFlags& flags) {
  legality::Instance instance;
  instance.op = flags.op;
  for (const auto& text : flags.attributes) {
    ANECHECK_RETURN_IF_ERROR(legality::AddAttribute(text, instance));
  }
  for (const auto& text : flags.shapes) {
    ANECHECK_RETURN_IF_ERROR(legality::AddShape(text, instance));
  }
  for (const auto& text : flags.dtypes) {
    ANECHECK_RETURN_IF_ERROR(legality::AddDtype(text, instance));
  }
  for (const auto& name : flags.constants) {
    ANECHECK_RETURN_IF_ERROR(legality::AddConstant(name, instance));
  }
  return instance;
}

Status Explain(const ExplainFlags& flags) {
  ANECHECK_ASSIGN(const TargetCatalog catalog, LoadCatalog(flags.target));
  ANECHECK_ASSIGN(const Target* target, catalog.Find(flags.target_name));
  ANECHECK_ASSIGN(const legality::Instance instance, MakeInstance(flags));
  Json verdicts = Json::array();
  std::string text;
  for (const legality::Route route : {legality::Route::kMil, legality::Route::kNetlist}) {
    if (flags.route != "both" && flags.route != legality::RouteName(route)) continue;
    ANECHECK_ASSIGN(const legality::Verdict verdict,
                    legality::Judge(instance, *target, route, Order(flags.target)));
    verdicts.push_back(legality::VerdictJson(verdict));
    text += legality::VerdictText(verdict, *target);
  }
  Print(flags.json ? DumpJson(Json{{"verdicts", std::move(verdicts)}}, 2) : text);
  return {};
}

int Run(const ExplainFlags& flags) {
  const Status done = Explain(flags);
  return done.ok() ? kExitClean : Fail(done.error());
}

}  // namespace

void AddExplainCommand(CLI::App& app, Selected& selected) {
  CLI::App* command =
      app.add_subcommand("explain", "What each layer of the compiler says to an operation");
  auto flags = std::make_shared<ExplainFlags>();
  command->add_option("op", flags->op, "An operation (conv) or a native layer (SDPA)")->required();
  command->add_option("--target", flags->target_name, "h13, h17s, ...")->required();
  command->add_option("--route", flags->route, "Conversion or direct authoring")
      ->check(CLI::IsMember({"mil", "netlist", "both"}))
      ->capture_default_str();
  command->add_option("--attr", flags->attributes, "An attribute: kernel=16, Dimension=Channel");
  command->add_option("--shape", flags->shapes, "An operand's shape: x=1,64,56,56");
  command->add_option("--dtype", flags->dtypes, "An operand's element type: x=uint8");
  command->add_option("--const", flags->constants, "An operand that is a constant: weight");
  command->add_flag("--json", flags->json, "Print JSON");
  AddTargetFlags(*command, flags->target);
  command->footer(
      "Example: anecheck explain conv --target h13 --attr kernel=16 --shape x=1,64,56,56");
  command->callback([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
