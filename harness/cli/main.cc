// The anecheck tool: parses the command line and hands over to one subcommand.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <span>
#include <string>

#include "harness/base/log.h"
#include "harness/base/version.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/probe/runtime_probe.h"
#include "harness/runners/worker.h"

namespace anecheck {

#define ANECHECK_COMMAND(Name) void Add##Name##Command(CommandLine& app, Selected& selected);
#include "harness/cli/commands.def"
#undef ANECHECK_COMMAND

int Fail(const Error& error) {
  LogError(error.message);
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

namespace {

// The word that stands where a subcommand of `path` must, and `path` with the subcommands before
// it. Empty where every subcommand that is needed is there.
std::string Unknown(const CLI::App& app, std::span<char*> words, std::string& path) {
  const CLI::App* at = &app;
  for (const std::string_view word : words) {
    if (at->get_require_subcommand_min() == 0) return "";
    const auto named =
        at->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == word; });
    if (named.empty()) return std::string(word);
    at = named.front();
    path += fmt::format(" {}", word);
  }
  return "";
}

// One line: the error, its place, and the command that lists the right words.
int FailToParse(const CLI::App& app, const CLI::ParseError& error, std::span<char*> words) {
  std::string path = "anecheck";
  const std::string unknown = Unknown(app, words, path);
  const bool option = unknown.starts_with('-');
  const std::string what =
      unknown.empty() ? error.what()
                      : fmt::format("{}: no such {}", unknown, option ? "option" : "subcommand");
  LogError(fmt::format("{}; `{} --help` lists them", what, path));
  return kExitUsage;
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
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    return FailToParse(app, error, std::span(argv + 1, static_cast<size_t>(argc - 1)));
  }
  const int code = selected();
  if (std::fflush(stdout) != 0) {
    LogError("standard output cannot be written");
    return kExitHarness;
  }
  return code;
}

}  // namespace
}  // namespace anecheck

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == anecheck::kWorkerArgument) {
    return anecheck::WorkerMain(argc, argv, anecheck::RuntimeProbeMain);
  }
  try {
    return anecheck::Main(argc, argv);
  } catch (const std::exception& error) {
    anecheck::LogError(std::string("the harness failed: ") + error.what());
    return anecheck::kExitHarness;
  }
}
