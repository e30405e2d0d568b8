#include <fmt/format.h>

#include "harness/cli/shell_completion.h"

namespace anecheck {
namespace {

// Escapes text for single quotes, so that _arguments and _describe read every character literally.
std::string Escape(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// Returns the action of _arguments that completes a value: its choices, or files if there are none.
std::string Action(const OptionDescription& option) {
  if (option.choices.empty()) return "_files";
  std::string words;
  for (const std::string& choice : option.choices) {
    words += (words.empty() ? "" : " ") + Escape(choice);
  }
  return option.list ? "_sequence compadd - " + words : "(" + words + ")";
}

void AddOption(const OptionDescription& option, std::string& specs) {
  if (option.positional) {
    specs += fmt::format(" \\\n    '{}:{}:{}'",
                         option.repeated   ? "*"
                         : option.required ? ""
                                           : ":",
                         Escape(option.names[0]), Action(option));
    return;
  }
  for (const std::string& name : option.names) {
    specs +=
        fmt::format(" \\\n    '{}{}[{}]", option.repeated ? "*" : "", name, Escape(option.text));
    if (!option.value.empty()) specs += fmt::format(":{}:{}", option.value, Action(option));
    specs += '\'';
  }
}

std::string FunctionName(const std::string& path) {
  std::string name = "_";
  for (const char c : path) name += c == ' ' || c == '-' ? '_' : c;
  return name;
}

void AddCommand(const CommandDescription& command, const std::string& path, std::string& script) {
  std::string specs;
  for (const OptionDescription& option : command.options) {
    if (!option.positional || command.commands.empty()) AddOption(option, specs);
  }
  std::string body;
  if (command.commands.empty()) {
    body = fmt::format("  _arguments -s{}\n", specs);
  } else {
    std::string described, branches;
    for (const CommandDescription& subcommand : command.commands) {
      const std::string below = path + " " + subcommand.name;
      described += fmt::format("\n        '{}:{}'", subcommand.name, Escape(subcommand.text));
      branches += fmt::format("        {}) {} ;;\n", subcommand.name, FunctionName(below));
      AddCommand(subcommand, below, script);
    }
    body = fmt::format(R"(  local curcontext=$curcontext state state_descr line
  typeset -A opt_args
  _arguments -C{0} \
    '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a commands=({1})
      _describe -t commands command commands ;;
    argument)
      case $line[1] in
{2}      esac ;;
  esac
)",
                       specs, described, branches);
  }
  script += fmt::format("{}() {{\n{}}}\n\n", FunctionName(path), body);
}

}  // namespace

std::string ZshCompletion(const CommandDescription& tool) {
  std::string script = fmt::format(
      "#compdef {0}\n# Completion of {0} for zsh, made by `{0} help --completion zsh`.\n\n",
      tool.name);
  AddCommand(tool, tool.name, script);
  // When zsh autoloads the file on its first use, the last lines call the function at once. When a
  // user sources the file, they only register the function.
  script += fmt::format(
      "if [[ $funcstack[1] == _{0} ]]; then\n  _{0} \"$@\"\nelse\n"
      "  compdef _{0} {0}\nfi\n",
      tool.name);
  return script;
}

}  // namespace anecheck
