// `anecheck ops` and `anecheck targets`: the tables the tool works by.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/cli/command.h"
#include "harness/cli/target_flags.h"
#include "harness/ops/device_matrix.h"
#include "harness/ops/op.h"
#include "harness/targets/targets_print.h"

namespace anecheck {
namespace {

int PrintOps(bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::string text =
      fmt::format("{:<40} {:<44} {:<12} {}\n", "operation", "class", "route", "reference");
  for (const OpDefinition* op : AllOps()) {
    const std::string_view route = op->netlist_unit.empty() ? "mil" : "mil, netlist";
    const bool reference = op->no_reference_reason.empty();
    list.push_back({{"name", op->schema.name},
                    {"class", OpClassName(op->op_class)},
                    {"route", route},
                    {"reference", reference},
                    {"reason", op->no_reference_reason}});
    text += fmt::format("{:<40} {:<44} {:<12} {}\n", op->schema.name, OpClassName(op->op_class),
                        route, reference ? "yes" : op->no_reference_reason);
  }
  for (const CataloguedOp& op : CataloguedOps()) {
    list.push_back({{"name", op.name},
                    {"class", OpClassName(op.op_class)},
                    {"route", ""},
                    {"reference", false},
                    {"reason", op.reason}});
    text += fmt::format("{:<40} {:<44} {:<12} catalogued: {}\n", op.name, OpClassName(op.op_class),
                        "none", op.reason);
  }
  Print(json ? nlohmann::ordered_json{{"ops", list}}.dump(2) : text);
  return kExitClean;
}

template <typename T>
int PrintResult(const Result<T>& result, const std::function<std::string(const T&)>& show) {
  if (!result.ok()) return Fail(result.error());
  Print(show(*result));
  return kExitClean;
}

}  // namespace

void AddOpsCommand(CLI::App& app, Selected& selected) {
  CLI::App* command = app.add_subcommand("ops", "List the operations");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->footer("Example: anecheck ops --json");
  command->callback([json, &selected] { selected = [json] { return PrintOps(*json); }; });
}

void AddTargetsCommand(CLI::App& app, Selected& selected) {
  CLI::App* command =
      app.add_subcommand("targets", "List the compiler targets, or show how two differ");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  auto replaced = std::make_shared<TargetFlags>();
  AddTargetFlags(*command, *replaced);
  CLI::App* diff = command->add_subcommand("diff", "The properties in which two targets differ");
  auto names = std::make_shared<std::pair<std::string, std::string>>();
  diff->add_option("a", names->first)->required();
  diff->add_option("b", names->second)->required();
  diff->add_flag("--json", *json, "Print JSON");
  command->footer("Example: anecheck targets diff h13 h17s");
  command->callback([json, diff, names, replaced, &selected] {
    selected = [json, diff, names, replaced] {
      const auto loaded = LoadCatalog(*replaced);
      if (!loaded.ok()) return Fail(loaded.error());
      const TargetCatalog& catalog = *loaded;
      if (!diff->parsed()) {
        Print(*json ? TargetsJson(catalog).dump(2) : TargetsText(catalog));
        return kExitClean;
      }
      if (*json) {
        return PrintResult<nlohmann::ordered_json>(
            TargetsDiffJson(catalog, names->first, names->second),
            [](const auto& value) { return value.dump(2); });
      }
      return PrintResult<std::string>(TargetsDiffText(catalog, names->first, names->second),
                                      [](const auto& value) { return value; });
    };
  });
}

}  // namespace anecheck
