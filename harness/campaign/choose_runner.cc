// The runners that a campaign can name.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "harness/campaign/campaign.h"
#include "harness/encoder/fault.h"
#include "harness/judging/compiled_round_trip.h"
#include "harness/judging/dense_constants.h"
#include "harness/runners/against_runner.h"
#include "harness/runners/emulator_runner.h"
#include "harness/runners/exec_runner.h"
#include "harness/runners/roundtrip_runner.h"
#include "harness/runners/worker.h"

namespace anecheck {
namespace {

Result<std::unique_ptr<Runner>> MakeEmulatorRunner(const CampaignOptions& options) {
  EmulatorRunnerOptions emulated{.exact = options.runner == kExactEmulatorRunner,
                                 .prepare = WithDenseConstants};
  for (const std::string& name : options.worker.faults) {
    const auto known = encoder::FaultNames();
    const auto fault = std::ranges::find(known, name, &encoder::FaultName::name);
    if (fault == known.end()) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("--fault {}: the encoder has no such fault", name));
    }
    emulated.fault = fault->fault;
  }
  return std::unique_ptr<Runner>(new EmulatorRunner(std::move(emulated)));
}

Result<std::unique_ptr<Runner>> MakeOneRunner(const CampaignOptions& options) {
  constexpr std::string_view kExec = "exec:";
  if (options.runner == kRoundtripRunner)
    return std::unique_ptr<Runner>(new RoundtripRunner(CompiledRoundTrip));
  if (IsEmulatorRunner(options.runner)) return MakeEmulatorRunner(options);
  if (options.runner.starts_with(kContainerRunner)) {
    return std::unique_ptr<Runner>(
        new ContainerRunner(options.runner.substr(kContainerRunner.size())));
  }
  if (options.runner == "e5rt") return std::unique_ptr<Runner>(new E5rtRunner(options.worker));
  if (options.runner.starts_with(kExec)) {
    return std::unique_ptr<Runner>(
        new ExecRunner({.command = options.runner.substr(kExec.size()),
                        .case_timeout_ms = options.worker.case_timeout_ms,
                        .memory_limit = options.worker.memory_limit}));
  }
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("--runner {}: unknown; give e5rt, roundtrip, emulator, "
                               "emulator:exact or exec:COMMAND",
                               options.runner));
}

}  // namespace

Result<std::unique_ptr<Runner>> MakeRunner(const CampaignOptions& options) {
  ANECHECK_ASSIGN(std::unique_ptr<Runner> runner, MakeOneRunner(options));
  if (options.against.empty()) return runner;
  CampaignOptions other = options;
  other.runner = options.against;
  other.worker.faults.clear();
  auto second = MakeOneRunner(other);
  if (!second.ok()) {
    return MakeError(second.error().code, fmt::format("--against: {}", second.error().message));
  }
  return std::unique_ptr<Runner>(new AgainstRunner(std::move(runner), std::move(second).value()));
}

}  // namespace anecheck
