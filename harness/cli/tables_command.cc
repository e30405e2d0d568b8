// `anecheck ops` and `anecheck targets`: print the tables of operations and targets.
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/near_words.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/ops_containers.h"
#include "harness/cli/target_flags.h"
#include "harness/targets/targets_print.h"
#include "reports/operation_reference.h"

namespace anecheck {
namespace {

struct OpsFlags {
  std::string name;
  std::string format = "text";
  std::string adversary;
  bool containers = false;
  uint64_t seed = 1;
  bool json = false;
};

int PrintContainers(const OpsFlags& flags) {
  const auto table = OperationContainers(flags.seed);
  if (!table.ok()) return Fail(table.error());
  const bool json = flags.json || flags.format == "json";
  json ? Print(DumpJson(*table, 1)) : PrintText(OperationContainersText(*table));
  return kExitClean;
}

int PrintSheet(const OpsFlags& flags, const Json& reference) {
  const std::string sheet = reports::OperationSheetText(reference, flags.name);
  if (sheet.empty()) {
    std::vector<std::string> names;
    for (const Json& op : reference["ops"]) names.push_back(op["name"].get<std::string>());
    return Fail(
        MakeError(ErrorCode::kNotFound,
                  fmt::format("ops: no operation is called \"{}\"{}; `anecheck ops` lists them",
                              flags.name, DidYouMean(flags.name, names))));
  }
  if (flags.json || flags.format == "json") {
    Print(reports::OperationSheetJson(reference, flags.name).dump(2));
  } else {
    PrintText(sheet);
  }
  return kExitClean;
}

int PrintOps(const OpsFlags& flags) {
  if (flags.containers) return PrintContainers(flags);
  reports::ReachedShares shares = reports::SharesOfThisTool();
  if (!flags.adversary.empty()) {
    const auto text = ReadTextFile(flags.adversary);
    if (!text.ok()) return Fail(text.error());
    auto read = reports::ReadReachedShares(*text, flags.adversary);
    if (!read.ok()) return Fail(read.error());
    shares = std::move(read).value();
  }
  const Json reference = reports::OperationReferenceJson(shares);
  if (!flags.name.empty()) return PrintSheet(flags, reference);
  if (flags.json || flags.format == "json") {
    Print(reference.dump(2));
  } else if (flags.format == "md") {
    Print(reports::OperationReferenceMarkdown(reference));
  } else if (flags.format == "html") {
    Print(reports::OperationReferenceHtml(reference));
  } else {
    PrintText(reports::OperationReferenceText(reference));
  }
  return kExitClean;
}

}  // namespace

void AddOpsCommand(CommandLine& app, Selected& selected) {
  CommandLine command =
      app.AddCommand("ops", "List the operations, show one in full, or write their reference");
  auto flags = std::make_shared<OpsFlags>();
  command.AddOption("name", flags->name,
                    "Show this operation: reach, legality, accuracy, defects, arguments");
  command.AddOption("--format", flags->format, "Format of the output; html is one page")
      .OneOf({"text", "json", "md", "html"})
      .ShowDefault();
  command.AddOption("--adversary", flags->adversary,
                    "Output of `adversary_test --gtest_output=json:FILE`: the share of each bound "
                    "that the worst engines reach (default: the shares recorded with this tool)");
  command.AddFlag("--containers", flags->containers,
                  "Show which operations have hardware containers, by generation, and "
                  "whether the emulator runs them, measured on drawn graphs");
  command.AddOption("--seed", flags->seed, "Seed of the graphs of --containers").ShowDefault();
  command.AddFlag("--json", flags->json, "Print JSON");
  command.Footer(
      "Example: anecheck ops conv\nExample: anecheck ops --format html > operations.html");
  command.WhenChosen([flags, &selected] { selected = [flags] { return PrintOps(*flags); }; });
}

namespace {

struct TargetsFlags {
  TargetFlags replaced;
  std::string one, a, b;  // targets of the subcommands `show` and `diff`
  std::string bare;       // an argument without a subcommand
  bool json = false;
  bool fields = false;
};

Status PrintTargets(const TargetsFlags& flags) {
  // The parser gives `targets` the surplus arguments of its subcommands.
  if (!flags.bare.empty() && (flags.fields || !flags.one.empty() || !flags.a.empty())) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("targets: {} is one argument too many; `anecheck targets --help` "
                                 "lists them",
                                 flags.bare));
  }
  if (flags.fields) {
    const HalLayout& layout = HalLayout::Get();
    flags.json ? Print(FieldsJson(layout).dump(2)) : PrintText(FieldsText(layout));
    return {};
  }
  ANECHECK_ASSIGN(const TargetCatalog catalog, LoadCatalog(flags.replaced));
  const std::string& shown = flags.one.empty() ? flags.bare : flags.one;
  if (!shown.empty()) {
    ANECHECK_ASSIGN(const Target* target, catalog.Find(shown));
    flags.json ? Print(TargetJson(catalog, *target).dump(2))
               : PrintText(TargetText(catalog, *target));
  } else if (flags.a.empty()) {
    flags.json ? Print(TargetsJson(catalog).dump(2)) : PrintText(TargetsText(catalog));
  } else if (flags.json) {
    ANECHECK_ASSIGN(const Json diff, TargetsDiffJson(catalog, flags.a, flags.b));
    Print(diff.dump(2));
  } else {
    ANECHECK_ASSIGN(const std::string diff, TargetsDiffText(catalog, flags.a, flags.b));
    PrintText(diff);
  }
  return {};
}

int RunTargets(const TargetsFlags& flags) {
  const Status done = PrintTargets(flags);
  return done.ok() ? kExitClean : Fail(done.error());
}

}  // namespace

void AddTargetsCommand(CommandLine& app, Selected& selected) {
  CommandLine command =
      app.AddCommand("targets", "List the compiler targets, show one in full, or compare two");
  auto flags = std::make_shared<TargetsFlags>();
  command.AddFlag("--json", flags->json, "Print JSON");
  command.AddOption("target", flags->bare, "A target or a chip: shows it, as `targets show` does");
  AddTargetFlags(command, flags->replaced);
  CommandLine show = command.AddCommand("show", "Show every value of one target with its source");
  show.AddOption("target", flags->one, "A target or a chip: h13, \"A17 Pro\"").Required();
  show.TakeParentOptions();
  show.AddFlag("--json", flags->json, "Print JSON");
  show.Footer("Example: anecheck targets show h13");
  CommandLine diff = command.AddCommand("diff", "Show the differences between two targets");
  diff.AddOption("a", flags->a, "A target or a chip").Required();
  diff.AddOption("b", flags->b, "Another target").Required();
  diff.TakeParentOptions();
  diff.AddFlag("--json", flags->json, "Print JSON");
  diff.Footer("Example: anecheck targets diff h13 h17s --json");
  CommandLine fields = command.AddCommand(
      "fields", "List the fields of the capability table, and the functions that read them");
  fields.TakeParentOptions();
  fields.AddFlag("--json", flags->json, "Print JSON");
  fields.Footer("Example: anecheck targets fields");
  fields.WhenChosen([flags] { flags->fields = true; });
  command.RequireCommand(0, 1);
  command.Footer(
      "Example: anecheck targets\nExample: anecheck targets show h13\n"
      "Example: anecheck targets diff h13 h17s");
  command.WhenChosen([flags, &selected] { selected = [flags] { return RunTargets(*flags); }; });
}

}  // namespace anecheck
