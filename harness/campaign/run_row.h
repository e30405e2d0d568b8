// The row of the table `runs` for a new campaign or set of probes.
#pragma once

#include <map>
#include <string>

#include "harness/campaign/campaign.h"
#include "harness/results/store.h"
#include "harness/runners/runner.h"

namespace anecheck {

// The name under which the table `libraries` has the content of the engine's file
// (RunnerIdentity::content).
inline constexpr const char* kEngineLibrary = "engine";

// Versions of the libraries that this program uses, by name.
std::map<std::string, std::string> LibraryVersions();

// A new run of `options` on the engine of `identity`, started at the time of the call, with a new
// UUID.
RunRow DescribeRun(const CampaignOptions& options, const RunnerIdentity& identity);

// "2026-01-31T23:59:59Z".
std::string UtcNow();

}  // namespace anecheck
