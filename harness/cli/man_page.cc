#include "harness/cli/man_page.h"

#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace anecheck {
namespace {

// Escapes text so that roff reads no request or escape in it, and prints dashes as ASCII.
std::string Plain(std::string_view text) {
  std::string plain;
  if (!text.empty() && (text[0] == '.' || text[0] == '\'')) plain = "\\&";
  for (const char c : text) {
    switch (c) {
      case '\\':
        plain += "\\e";
        break;
      case '-':
        plain += "\\-";
        break;
      case '\'':
        plain += "\\(aq";
        break;
      case '`':
        plain += "\\(ga";
        break;
      case '^':
        plain += "\\(ha";
        break;
      case '~':
        plain += "\\(ti";
        break;
      case '\n':
        plain += ' ';
        break;
      default:
        plain += c;
    }
  }
  return plain;
}

std::string Bold(std::string_view text) { return "\\fB" + Plain(text) + "\\fR"; }

void AddOption(const OptionDescription& option, std::string& page) {
  page += ".TP\n" + Bold(Spelling(option)) + "\n" + Plain(option.text);
  if (!option.choices.empty() && !option.list) {
    page += " (";
    for (const std::string& choice : option.choices) {
      page += (&choice == option.choices.data() ? "" : ", ") + Plain(choice);
    }
    page += ')';
  }
  if (!option.fallback.empty()) page += " [default: " + Plain(option.fallback) + "]";
  page += '\n';
}

bool IsHelp(const OptionDescription& option) { return option.names.back() == "--help"; }

void AddCommand(const CommandDescription& command, const std::string& parent, std::string& page) {
  const std::string path = parent + " " + command.name;
  page += ".SS " + Plain(path) + "\n.PP\n" + Plain(command.text) + ".\n.PP\n" + Bold(path);
  for (const OptionDescription& option : command.options) {
    if (option.positional) page += " \\fI" + Plain(Spelling(option)) + "\\fR";
  }
  if (!command.commands.empty()) page += " [\\fIsubcommand\\fR]";
  page += " [\\fIoptions\\fR]\n";
  for (const OptionDescription& option : command.options) {
    if (!IsHelp(option)) AddOption(option, page);
  }
  for (const std::string& note : command.notes) page += ".PP\n" + Plain(note) + "\n";
  if (!command.examples.empty()) page += ".PP\nExample:\n";
  for (const std::string& example : command.examples) {
    page += ".PP\n.RS 4\n.nf\n" + Plain(example) + "\n.fi\n.RE\n";
  }
  for (const CommandDescription& subcommand : command.commands) {
    AddCommand(subcommand, path, page);
  }
}

}  // namespace

namespace {

constexpr std::pair<const char*, const char*> kEnvironment[] = {
    {"ANECHECK_ESPRESSO", "The library with the e5rt_* symbols, unless --espresso-lib names one."},
    {"TMPDIR", "The folder for temporary folders, which are removed when the command ends."},
};

}  // namespace

std::string ManPage(const CommandDescription& tool) {
  std::string page = ".TH ANECHECK 1 \"\" \"anecheck\" \"User Commands\"\n.nh\n.ad l\n.SH NAME\n" +
                     Plain(tool.name) + " \\- " + Plain(tool.text) + "\n.SH SYNOPSIS\n" +
                     Bold(tool.name) + " \\fIcommand\\fR [\\fIoptions\\fR]\n.SH OPTIONS\n";
  for (const OptionDescription& option : tool.options) AddOption(option, page);
  page += ".SH COMMANDS\n";
  for (const CommandDescription& command : tool.commands) AddCommand(command, tool.name, page);
  page += ".SH EXIT STATUS\n";
  for (const std::string& note : tool.notes) page += ".PP\n" + Plain(note) + "\n";
  page += ".SH ENVIRONMENT\n";
  for (const auto& [name, text] : kEnvironment) {
    page += fmt::format(".TP\n{}\n{}\n", Bold(name), Plain(text));
  }
  return page;
}

}  // namespace anecheck
