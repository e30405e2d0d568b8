// A description of the command line as plain data, read from the parser. The manual page and the
// shell completions are made from it, so they agree with --help.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/command_line.h"

namespace anecheck {

struct OptionDescription {
  std::vector<std::string> names;  // "-h", "--help"; a positional has one name without dashes
  std::string text;
  std::string value;                 // the kind of its value, "TEXT" or "INT"; empty for a switch
  std::string fallback;              // the default; empty if there is none
  std::vector<std::string> choices;  // the values it accepts; empty if there is no list
  bool list = false;                 // takes several choices, separated by commas
  bool positional = false;
  bool required = false;
  bool repeated = false;
};

struct CommandDescription {
  std::string name;  // the name of the tool or of the subcommand
  std::string text;
  std::vector<std::string> examples;  // command lines
  std::vector<std::string> notes;     // the lines below the options
  std::vector<OptionDescription> options;
  std::vector<CommandDescription> commands;  // subcommands
};

// A line of a footer that begins with this prefix is an example.
inline constexpr const char* kExample = "Example: ";

CommandDescription Describe(const CLI::App& app);

// Returns an option as a synopsis spells it: "--db FILE", "--json", "model", "[files...]".
std::string Spelling(const OptionDescription& option);

}  // namespace anecheck
