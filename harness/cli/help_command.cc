// `anecheck help`: prints the help of a subcommand, the manual page, or completion for shells.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <map>
#include <memory>

#include "harness/base/near_words.h"
#include "harness/cli/command.h"
#include "harness/cli/command_description.h"
#include "harness/cli/command_line.h"
#include "harness/cli/man_page.h"
#include "harness/cli/shell_completion.h"
#include "harness/formats/registry/registry.h"
#include "harness/ops/op.h"
#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

struct HelpFlags {
  std::vector<std::string> path;
  bool man = false;
  std::string shell;
};

// By option, the values that shells offer. They are names from the tables, such as names of
// targets.
using ValueLists = std::map<std::string, std::vector<std::string>>;

ValueLists TableValues(const CommandDescription& tool) {
  ValueLists lists;
  for (const OpDefinition* op : AllOps()) lists["--ops"].emplace_back(op->schema.name);
  for (const Target& target : TargetCatalog::Builtin().targets()) {
    lists["--targets"].push_back(target.compiler_name);
  }
  lists["--target"] = lists["--targets"];
  for (const Format* format : AllFormats()) lists["--format"].emplace_back(format->name);
  for (const CommandDescription& command : tool.commands) {
    lists["command"].push_back(command.name);
  }
  return lists;
}

void AddTableValues(const ValueLists& lists, CommandDescription& command) {
  for (OptionDescription& option : command.options) {
    const auto found = lists.find(option.names.back());
    if (found == lists.end() || !option.choices.empty() || option.value.empty()) continue;
    if (option.positional && command.name != "help") continue;
    option.choices = found->second;
    option.list = option.names.back() == "--ops" || option.names.back().starts_with("--target");
  }
  for (CommandDescription& subcommand : command.commands) AddTableValues(lists, subcommand);
}

int PrintHelp(const CLI::App& app, const std::vector<std::string>& path) {
  const CLI::App* command = &app;
  std::string parents;
  for (const std::string& word : path) {
    const auto named = command->get_subcommands(
        [&](const CLI::App* subcommand) { return subcommand->get_name() == word; });
    parents += (parents.empty() ? "" : " ") + command->get_name();
    if (named.empty()) {
      return Fail(MakeError(
          ErrorCode::kInvalid,
          fmt::format("help {}: {} has no such subcommand{}; `{} --help` lists "
                      "them",
                      word, parents, DidYouMean(word, SubcommandNames(*command)), parents)));
    }
    command = named[0];
  }
  // The parser's own help would describe the chosen command, which is `help` itself.
  PrintText(command == &app
                ? app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal)
                : command->help(parents));
  return kExitClean;
}

int Run(const CLI::App& app, const HelpFlags& flags) {
  if (!flags.man && flags.shell.empty()) return PrintHelp(app, flags.path);
  CommandDescription tool = Describe(app);
  if (flags.man) {
    Print(ManPage(tool));
    return kExitClean;
  }
  AddTableValues(TableValues(tool), tool);
  Print(flags.shell == "bash" ? BashCompletion(tool) : ZshCompletion(tool));
  return kExitClean;
}

}  // namespace

void AddHelpCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("help", "Print the help of a subcommand");
  auto flags = std::make_shared<HelpFlags>();
  CommandOption path =
      command.AddOption("command", flags->path, "Subcommand: run, or finding export");
  path.Expect(0, 2);
  CommandOption man = command.AddFlag("--man", flags->man, "Print the manual page in roff");
  CommandOption shell =
      command.AddOption("--completion", flags->shell, "Print completion for a shell")
          .OneOf({"bash", "zsh"});
  man.Excludes(path).Excludes(shell);
  shell.Excludes(path);
  command.Footer(
      "Example: anecheck help finding export\n"
      "Example: anecheck help --man > anecheck.1 && man ./anecheck.1\n"
      "Example: anecheck help --completion bash > ~/.local/share/bash-completion/completions/"
      "anecheck");
  command.WhenChosen(
      [app, flags, &selected] { selected = [app, flags] { return Run(app.parser(), *flags); }; });
}

}  // namespace anecheck
