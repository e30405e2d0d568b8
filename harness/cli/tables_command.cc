// `anecheck ops` and `anecheck targets`: the tables the tool works by.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/base/file.h"
#include "harness/cli/command.h"
#include "harness/cli/target_flags.h"
#include "harness/targets/targets_print.h"
#include "reports/operation_reference.h"

namespace anecheck {
namespace {

struct OpsFlags {
  std::string format = "text";
  std::string adversary;
  bool json = false;
};

int PrintOps(const OpsFlags& flags) {
  reports::ReachedShares shares;
  if (!flags.adversary.empty()) {
    const auto text = ReadTextFile(flags.adversary);
    if (!text.ok()) return Fail(text.error());
    auto read = reports::ReadReachedShares(*text, flags.adversary);
    if (!read.ok()) return Fail(read.error());
    shares = std::move(read).value();
  }
  const nlohmann::ordered_json reference = reports::OperationReferenceJson(shares);
  if (flags.json || flags.format == "json") {
    Print(reference.dump(2));
  } else if (flags.format == "md") {
    Print(reports::OperationReferenceMarkdown(reference));
  } else if (flags.format == "html") {
    Print(reports::OperationReferenceHtml(reference));
  } else {
    Print(reports::OperationReferenceText(reference));
  }
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
  CLI::App* command =
      app.add_subcommand("ops", "List the operations, or write the reference of them");
  auto flags = std::make_shared<OpsFlags>();
  command->add_option("--format", flags->format, "What to print; html is one page")
      ->check(CLI::IsMember({"text", "json", "md", "html"}))
      ->capture_default_str();
  command->add_option(
      "--adversary", flags->adversary,
      "What `adversary_test --gtest_output=json:FILE` wrote: adds the share of each "
      "bound that the worst engines reach");
  command->add_flag("--json", flags->json, "Print JSON");
  command->footer("Example: anecheck ops --format html > operations.html");
  command->callback([flags, &selected] { selected = [flags] { return PrintOps(*flags); }; });
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
  diff->add_option("a", names->first, "A target, h13")->required();
  diff->add_option("b", names->second, "Another")->required();
  diff->add_flag("--json", *json, "Print JSON");
  diff->footer("Example: anecheck targets diff h13 h17s --json");
  command->footer("Example: anecheck targets\nExample: anecheck targets diff h13 h17s");
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
