// The declarations of the command line that subcommands make. Only one source includes the headers
// of the parser library, CLI11, because they take three times as long to compile as a command
// itself.
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

// The error of an option's text; empty if there is none.
using OptionCheck = std::function<std::string(const std::string& text)>;

// A handle to an option or a flag. Copies refer to the same option, and are valid as long as the
// command line. Each function that changes the option returns the handle.
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
  // Takes one value per occurrence, and leaves the following words alone.
  CommandOption& OneAtATime();
  CommandOption& Delimiter(char delimiter);
  // Help prints the value that the variable has now as the default.
  CommandOption& ShowDefault();
  // The name of its value in help.
  CommandOption& TypeName(std::string name);
  CommandOption& Excludes(CommandOption other);

 private:
  CommandOption& OneOf(std::vector<std::string> texts);

  CLI::Option* option_;
};

// The tool or one of its subcommands. A handle, like CommandOption. Not thread-safe.
class CommandLine {
 public:
  explicit CommandLine(CLI::App& parser) : parser_(&parser) {}

  CommandLine AddCommand(const std::string& name, const std::string& description);
  // The least and the largest number of subcommands that must be given.
  void RequireCommand(size_t least, size_t most);
  // Options of the parent command may also follow this command's name.
  void TakeParentOptions();

  // Parses into `value`, which must live as long as the command line. `names` is "-o,--out", or one
  // word for a positional argument. Exists for the types that command_line.cc lists.
  template <typename Value>
  CommandOption AddOption(const std::string& names, Value& value, const std::string& description);
  CommandOption AddFlag(const std::string& names, bool& value, const std::string& description);

  // Text below the options in the command's help: notes, and lines of "Example: ...".
  void Footer(const std::string& text);
  // The parser calls `call` after it has parsed everything, if this command was chosen.
  void WhenChosen(std::function<void()> call);

  // Returns whether the parsed command line has the option `name`; Given() returns the names of all
  // options that it has.
  bool IsGiven(const std::string& name) const;
  std::vector<std::string> Given() const;

  // The library's own object, for code that reads descriptions.
  CLI::App& parser() const { return *parser_; }

 private:
  CLI::App* parser_;
};

// The names of the subcommands of a command.
std::vector<std::string> SubcommandNames(const CLI::App& command);

// The version of the library.
std::string_view ParserVersion();

}  // namespace anecheck
