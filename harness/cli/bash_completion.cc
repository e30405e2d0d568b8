#include <fmt/format.h>

#include "harness/cli/shell_completion.h"

namespace anecheck {
namespace {

// One word of a `case` pattern or of a list, between single quotes.
std::string Quote(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// The parts of the script that depend on the commands.
struct Cases {
  std::string paths;    // patterns of words that lead into a subcommand
  std::string values;   // values of options
  std::string options;  // options of a command
  std::string words;    // subcommands, or the values of positionals
};

void AddCommand(const CommandDescription& command, const std::string& path, Cases& cases) {
  std::vector<std::string> options, words;
  for (const OptionDescription& option : command.options) {
    if (option.positional) {
      words.insert(words.end(), option.choices.begin(), option.choices.end());
      continue;
    }
    options.insert(options.end(), option.names.begin(), option.names.end());
    if (option.value.empty()) continue;
    std::string pattern;
    for (const std::string& name : option.names) {
      pattern += (pattern.empty() ? "" : "|") + Quote(fmt::format("{} {}", path, name));
    }
    // An option without choices may take a file.
    cases.values += fmt::format("    {}) values={}; list={} ;;\n", pattern,
                                Quote(option.choices.empty() ? "-" : Join(option.choices)),
                                option.list ? "yes" : "no");
  }
  for (const CommandDescription& subcommand : command.commands) {
    const std::string below = path + " " + subcommand.name;
    words.push_back(subcommand.name);
    cases.paths += fmt::format("      {}) path={} ;;\n", Quote(below), Quote(below));
    AddCommand(subcommand, below, cases);
  }
  cases.options += fmt::format("    {}) words={} ;;\n", Quote(path), Quote(Join(options)));
  cases.words += fmt::format("    {}) words={} ;;\n", Quote(path), Quote(Join(words)));
}

constexpr const char* kScript =
    R"(# Completion of {name} for bash, made by `{name} help --completion bash`.
_{name}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} path={name} values='' list=no words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
{paths}    esac
  done
  COMPREPLY=()
  case "$path ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{values}  esac
  if [[ $values == - ]]; then
    compopt -o default 2>/dev/null
  elif [[ -n $values && $list == yes && $current == *,* ]]; then
    mapfile -t COMPREPLY < <(compgen -P "${{current%,*}}," -W "$values" -- "${{current##*,}}")
  elif [[ -n $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
  else
    if [[ $current == -* ]]; then
      case $path in
{options}      esac
    else
      case $path in
{words}      esac
    fi
    [[ -n $words ]] || compopt -o default 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}}
complete -F _{name} {name}
)";

}  // namespace

std::string BashCompletion(const CommandDescription& tool) {
  Cases cases;
  AddCommand(tool, tool.name, cases);
  return fmt::format(kScript, fmt::arg("name", tool.name), fmt::arg("paths", cases.paths),
                     fmt::arg("values", cases.values), fmt::arg("options", cases.options),
                     fmt::arg("words", cases.words));
}

}  // namespace anecheck
