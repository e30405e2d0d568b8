// Wraps the parser library, CLI11, for subcommands. Subcommands do not include the library's
// headers, because these take three times as long to compile as a subcommand itself.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "harness/verdict/words.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class Option;
}  // namespace CLI

namespace anecheck {

// Returns the error in an option's text, or an empty string.
using OptionCheck = std::function<std::string(const std::string& text)>;

// A handle to an option or a flag. Copies refer to the same option, and are valid while the command
// line exists. Each function that changes the option returns the handle.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}

  CommandOption& Required();
  CommandOption& Check(OptionCheck check);
  CommandOption& OneOf(std::initializer_list<std::string> texts);
  template <Word E>
  CommandOption& OneOf(std::initializer_list<E> words) {
    std::vector<std::string> texts;
    for (const E word : words) texts.emplace_back(ToText(word));
    return OneOf(std::move(texts));
  }
  // Takes from `least` to `most` values.
  CommandOption& Expect(int least, int most);
  // Takes one value per occurrence; the next words are separate arguments.
  CommandOption& OneAtATime();
  CommandOption& Delimiter(char delimiter);
  // Makes help print the variable's value at this call as the default.
  CommandOption& ShowDefault();
  // Sets the name of its value in help.
  CommandOption& TypeName(std::string name);
  CommandOption& Excludes(CommandOption other);

 private:
  CommandOption& OneOf(std::vector<std::string> texts);

  CLI::Option* option_;
};

// A handle to the tool or to one of its subcommands. Not thread-safe.
class CommandLine {
 public:
  explicit CommandLine(CLI::App& parser) : parser_(&parser) {}

  CommandLine AddCommand(const std::string& name, const std::string& description);
  // Requires at least `least` and at most `most` subcommands.
  void RequireCommand(size_t least, size_t most);
  // Lets options of the parent command also follow this command's name.
  void TakeParentOptions();

  // Adds an option that is parsed into `value`, which must live as long as the command line.
  // `names` is "-o,--out", or one word for a positional argument. command_line.cc lists the types
  // of values.
  template <typename Value>
  CommandOption AddOption(const std::string& names, Value& value, const std::string& description);
  CommandOption AddFlag(const std::string& names, bool& value, const std::string& description);

  // Sets the text below the options in the command's help: notes, and lines "Example: ...".
  void Footer(const std::string& text);
  // The parser calls `call` after it has parsed everything, if this command was chosen.
  void WhenChosen(std::function<void()> call);

  // Returns whether the parsed command line has the option `name`; Given() returns the names of all
  // options that it has.
  bool IsGiven(const std::string& name) const;
  std::vector<std::string> Given() const;

  // Returns the library's object, for code that reads descriptions.
  CLI::App& parser() const { return *parser_; }

 private:
  CLI::App* parser_;
};

// The names of the subcommands of a command.
std::vector<std::string> SubcommandNames(const CLI::App& command);

// The version of the library.
std::string_view ParserVersion();

}  // namespace anecheck
