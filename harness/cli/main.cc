// The anecheck tool: parses the command line and hands over to one subcommand.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "harness/base/log.h"
#include "harness/campaign/campaign.h"
#include "harness/cli/command.h"
#include "harness/runners/worker.h"

namespace anecheck {

#define ANECHECK_COMMAND(Name) void Add##Name##Command(CLI::App& app, Selected& selected);
#include "harness/cli/commands.def"
#undef ANECHECK_COMMAND

int Fail(const Error& error) {
  LogError(error.message);
  return error.code == ErrorCode::kInternal || error.code == ErrorCode::kIo ? kExitHarness
                                                                            : kExitUsage;
}

void Print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (text.empty() || text.back() != '\n') std::fputc('\n', stdout);
}

namespace {

int Main(int argc, char** argv) {
  CLI::App app("Fuzzing and conformance harness for the Apple Neural Engine", "anecheck");
  app.set_version_flag("--version", std::string("anecheck ") + kToolVersion);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 clean, 1 new findings, 2 bad usage or input, 3 the harness failed.");
  Selected selected;
#define ANECHECK_COMMAND(Name) Add##Name##Command(app, selected);
#include "harness/cli/commands.def"
#undef ANECHECK_COMMAND
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitClean : kExitUsage;
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
    return anecheck::WorkerMain(argc, argv);
  }
  try {
    return anecheck::Main(argc, argv);
  } catch (const std::exception& error) {
    anecheck::LogError(std::string("the harness failed: ") + error.what());
    return anecheck::kExitHarness;
  }
}
