#include "harness/cli/command_description.h"

#include <CLI/CLI.hpp>
#include <string_view>

namespace anecheck {
namespace {

// The parser spells the choices of an option in the name of its type: "TEXT:{html,csv}".
void ReadType(std::string_view type, OptionDescription& option) {
  const size_t brace = type.find(":{");
  option.value = std::string(type.substr(0, std::min(brace, type.find(':'))));
  if (brace == std::string_view::npos || type.back() != '}') return;
  type = type.substr(brace + 2, type.size() - brace - 3);
  while (!type.empty()) {
    const size_t comma = std::min(type.find(','), type.size());
    option.choices.emplace_back(type.substr(0, comma));
    type.remove_prefix(std::min(comma + 1, type.size()));
  }
}

OptionDescription DescribeOption(const CLI::Option& source) {
  OptionDescription option;
  option.positional = source.get_positional();
  if (option.positional) {
    option.names.push_back(source.get_name(true));
  } else {
    for (const std::string& name : source.get_snames()) option.names.push_back("-" + name);
    for (const std::string& name : source.get_lnames()) option.names.push_back("--" + name);
  }
  option.text = source.get_description();
  if (source.get_items_expected_max() > 0) ReadType(source.get_type_name(), option);
  option.fallback = source.get_default_str();
  option.required = source.get_required();
  option.repeated = source.get_items_expected_max() > 1;
  return option;
}

void ReadFooter(std::string_view footer, CommandDescription& command) {
  while (!footer.empty()) {
    const size_t end = std::min(footer.find('\n'), footer.size());
    const std::string_view line = footer.substr(0, end);
    footer.remove_prefix(std::min(end + 1, footer.size()));
    if (line.starts_with(kExample)) {
      command.examples.emplace_back(line.substr(std::string_view(kExample).size()));
    } else if (!line.empty()) {
      command.notes.emplace_back(line);
    }
  }
}

}  // namespace

CommandDescription Describe(const CLI::App& app) {
  CommandDescription command;
  command.name = app.get_name();
  command.text = app.get_description();
  ReadFooter(app.get_footer(), command);
  const auto any_option = [](const CLI::Option*) { return true; };
  for (const CLI::Option* option : app.get_options(any_option)) {
    command.options.push_back(DescribeOption(*option));
  }
  const auto any_command = [](const CLI::App*) { return true; };
  for (const CLI::App* subcommand : app.get_subcommands(any_command)) {
    command.commands.push_back(Describe(*subcommand));
  }
  return command;
}

std::string Spelling(const OptionDescription& option) {
  if (option.positional) {
    const std::string name = option.names[0] + (option.repeated ? "..." : "");
    return option.required ? name : "[" + name + "]";
  }
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ", ") + name;
  return option.value.empty() ? text : text + " " + option.value;
}

}  // namespace anecheck
