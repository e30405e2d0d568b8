#include "harness/cli/typed_command.h"

#include <CLI/CLI.hpp>

#include "harness/base/shell_word.h"

namespace anecheck {
namespace {

// Returns the full name of a command, such as "anecheck baseline record".
std::string NameOf(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : NameOf(*parent) + " " + command.get_name();
}

}  // namespace

std::string TypedCommand(const CommandLine& command, std::optional<uint64_t> seed,
                         const std::string& further) {
  const CLI::App& parser = command.parser();
  std::string text = NameOf(parser), positional;
  for (const CLI::Option* option : parser.get_options()) {
    if (option->count() == 0) {
      if (seed && option->get_name() == "--seed") text += " --seed " + std::to_string(*seed);
      continue;
    }
    const bool flag = option->get_expected_max() == 0;
    for (const std::string& value : option->results()) {
      if (option->get_positional()) {
        positional += " " + ShellWord(value);
      } else {
        text += " " + option->get_name() + (flag ? "" : " " + ShellWord(value));
      }
    }
  }
  if (!further.empty()) text += " " + further;
  // Arguments for another program follow "--", because they may begin with a dash.
  return positional.empty() ? text : text + " --" + positional;
}

std::string_view EvidenceMark(std::optional<Provenance> provenance) {
  return provenance == Provenance::kSimulated ? "SIMULATED: " : "";
}

}  // namespace anecheck
