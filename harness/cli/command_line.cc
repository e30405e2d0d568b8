#include "harness/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <utility>

namespace anecheck {

CommandOption& CommandOption::Required() {
  option_->required();
  return *this;
}

CommandOption& CommandOption::Check(OptionCheck check) {
  option_->check(
      CLI::Validator([check = std::move(check)](std::string& text) { return check(text); }, ""));
  return *this;
}

CommandOption& CommandOption::OneOf(std::initializer_list<std::string> texts) {
  return OneOf(std::vector<std::string>(texts));
}

CommandOption& CommandOption::OneOf(std::vector<std::string> texts) {
  option_->check(CLI::IsMember(std::move(texts)));
  return *this;
}

CommandOption& CommandOption::Expect(int least, int most) {
  option_->expected(least, most);
  return *this;
}

CommandOption& CommandOption::OneAtATime() {
  option_->allow_extra_args(false);
  return *this;
}

CommandOption& CommandOption::Delimiter(char delimiter) {
  option_->delimiter(delimiter);
  return *this;
}

CommandOption& CommandOption::ShowDefault() {
  option_->capture_default_str();
  return *this;
}

CommandOption& CommandOption::TypeName(std::string name) {
  option_->type_name(std::move(name));
  return *this;
}

CommandOption& CommandOption::Excludes(CommandOption other) {
  option_->excludes(other.option_);
  return *this;
}

CommandLine CommandLine::AddCommand(const std::string& name, const std::string& description) {
  return CommandLine(*parser_->add_subcommand(name, description));
}

void CommandLine::RequireCommand(size_t least, size_t most) {
  parser_->require_subcommand(least, most);
}

void CommandLine::TakeParentOptions() { parser_->fallthrough(); }

template <typename Value>
CommandOption CommandLine::AddOption(const std::string& names, Value& value,
                                     const std::string& description) {
  return CommandOption(parser_->add_option(names, value, description));
}

// The types of parsed values. The platform decides whether uint64_t and size_t are unsigned long or
// unsigned long long.
#define ANECHECK_OPTION_TYPE(...)                                                       \
  template CommandOption CommandLine::AddOption(const std::string& names, __VA_ARGS__&, \
                                                const std::string& description)
ANECHECK_OPTION_TYPE(std::string);
ANECHECK_OPTION_TYPE(std::vector<std::string>);
ANECHECK_OPTION_TYPE(std::optional<std::string>);
ANECHECK_OPTION_TYPE(int);
ANECHECK_OPTION_TYPE(std::vector<int>);
ANECHECK_OPTION_TYPE(unsigned long);
ANECHECK_OPTION_TYPE(unsigned long long);
ANECHECK_OPTION_TYPE(std::optional<uint64_t>);
ANECHECK_OPTION_TYPE(double);
ANECHECK_OPTION_TYPE(std::vector<double>);
#undef ANECHECK_OPTION_TYPE

CommandOption CommandLine::AddFlag(const std::string& names, bool& value,
                                   const std::string& description) {
  return CommandOption(parser_->add_flag(names, value, description));
}

void CommandLine::Footer(const std::string& text) { parser_->footer(text); }

void CommandLine::WhenChosen(std::function<void()> call) { parser_->callback(std::move(call)); }

bool CommandLine::IsGiven(const std::string& name) const {
  return parser_->get_option(name)->count() > 0;
}

std::vector<std::string> CommandLine::Given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : parser_->get_options()) {
    if (option->count() > 0) names.push_back(option->get_name());
  }
  return names;
}

std::vector<std::string> SubcommandNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands({})) names.push_back(sub->get_name());
  return names;
}

std::string_view ParserVersion() { return CLI11_VERSION; }

}  // namespace anecheck
