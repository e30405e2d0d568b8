// The anecheck tool: parses the command line and calls one subcommand.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <iostream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "harness/base/log.h"
#include "harness/base/mapped_file.h"
#include "harness/base/near_words.h"
#include "harness/base/terminal_text.h"
#include "harness/base/version.h"
#include "harness/cli/allocator.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/with_file.h"
#include "harness/probe/runtime_probe.h"
#include "harness/runners/worker.h"

namespace anecheck {

#define ANECHECK_COMMAND(Name) void Add##Name##Command(CommandLine& app, Selected& selected);
#include "harness/cli/commands.def"
#undef ANECHECK_COMMAND

int Fail(const Error& error) {
  LogError(WithPlace(error.message, error.offset));
  switch (error.code) {
    case ErrorCode::kInternal:
    case ErrorCode::kInterrupted:
    case ErrorCode::kIo:
      return kExitHarness;
    default:
      return kExitUsage;
  }
}

void Print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (text.empty() || text.back() != '\n') std::fputc('\n', stdout);
}

void PrintText(std::string_view text) { Print(Folded(text, TerminalColumns())); }

namespace {

// The command that a command line names by its first words, as in "anecheck finding export".
struct Place {
  const CLI::App* command = nullptr;  // the innermost named command
  std::string path = "anecheck";      // as typed
  // The word that stands in place of a required subcommand but names none; empty if there is none.
  std::string unknown;
};

Place PlaceOf(const CLI::App& app, std::span<char*> words) {
  Place place{&app};
  for (const std::string_view word : words) {
    if (place.command->get_require_subcommand_min() == 0) break;
    const auto named = place.command->get_subcommands(
        [&](const CLI::App* sub) { return sub->get_name() == word; });
    if (named.empty()) {
      place.unknown = word;
      break;
    }
    place.command = named.front();
    place.path += fmt::format(" {}", word);
  }
  return place;
}

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// Returns "; did you mean --seed?" for the first option that the command does not have, or an empty
// string.
std::string NearOption(const CLI::App& command, std::span<char*> words) {
  const std::vector<std::string> names = OptionNames(command);
  for (const std::string_view word : words) {
    if (word == "--") break;
    const std::string name(word.substr(0, word.find('=')));
    if (!name.starts_with("--") || std::ranges::find(names, name) != names.end()) continue;
    return DidYouMean(name, names);
  }
  return "";
}

// Prints one line: the error, its place, similar names, and the command that lists the valid words.
int FailToParse(const CLI::App& app, const CLI::ParseError& error, std::span<char*> words) {
  const Place place = PlaceOf(app, words);
  std::string what = error.what();
  if (place.unknown.starts_with('-')) {
    what = fmt::format("{}: no such option", place.unknown) + NearOption(*place.command, words);
  } else if (!place.unknown.empty()) {
    what = fmt::format("{}: no such subcommand", place.unknown) +
           DidYouMean(place.unknown, SubcommandNames(*place.command));
  } else {
    what += NearOption(*place.command, words);
  }
  LogError(fmt::format("{}; `{} --help` lists them", what, place.path));
  return kExitUsage;
}

// Returns `code`, or kExitHarness if standard output could not be written.
int Printed(int code) {
  std::cout.flush();
  if (std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  LogError("standard output cannot be written; the output is incomplete");
  return kExitHarness;
}

int Main(int argc, char** argv) {
  CLI::App app("Fuzzing and conformance harness for the Apple Neural Engine", "anecheck");
  app.set_version_flag("--version", std::string("anecheck ") + kToolVersion);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 clean, 1 new findings, 2 bad usage or input, 3 the harness failed.");
  Selected selected;
  CommandLine line(app);
#define ANECHECK_COMMAND(Name) Add##Name##Command(line, selected);
#include "harness/cli/commands.def"
#undef ANECHECK_COMMAND
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help and --version
      std::ostringstream text;
      app.exit(error, text);
      PrintText(text.str());
      return Printed(kExitClean);
    }
    return FailToParse(app, error, std::span(argv + 1, static_cast<size_t>(argc - 1)));
  }
  return Printed(selected());
}

}  // namespace
}  // namespace anecheck

int main(int argc, char** argv) {
  anecheck::TuneAllocator();
  if (argc > 1 && std::string_view(argv[1]) == anecheck::kWorkerArgument) {
    return anecheck::WorkerMain(argc, argv, anecheck::RuntimeProbeMain);
  }
  anecheck::EndAtShortenedFiles();
  try {
    return anecheck::Main(argc, argv);
  } catch (const std::exception& error) {
    anecheck::LogError(std::string("the harness failed: ") + error.what());
    return anecheck::kExitHarness;
  }
}
