// The row of `runs` with which a campaign or a set of probes begins.
#pragma once

#include <map>
#include <string>

#include "harness/campaign/campaign.h"
#include "harness/results/store.h"
#include "harness/runners/runner.h"

namespace anecheck {

// The name in the table `libraries` of the content of the engine's file (RunnerIdentity::content).
inline constexpr const char* kEngineLibrary = "engine";

// Versions of the libraries that this program runs with, by name.
std::map<std::string, std::string> LibraryVersions();

// A new run of `options` on the engine of `identity`, started now, with a UUID of its own.
RunRow DescribeRun(const CampaignOptions& options, const RunnerIdentity& identity);

// "2026-01-31T23:59:59Z".
std::string UtcNow();

}  // namespace anecheck
