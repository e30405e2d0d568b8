// The row of the table `runs` for a new campaign or set of probes.
#pragma once

#include <map>
#include <string>

#include "harness/campaign/campaign.h"
#include "harness/results/store.h"
#include "harness/runners/runner.h"

namespace anecheck {

// The name under which the table `libraries` stores RunnerIdentity::content.
inline constexpr const char* kEngineLibrary = "engine";

// Versions of the libraries that this program uses, by name.
std::map<std::string, std::string> LibraryVersions();

// Returns the row of a run that starts now, with a new UUID.
RunRow DescribeRun(const CampaignOptions& options, const RunnerIdentity& identity);

// Returns the current time, such as "2026-01-31T23:59:59Z".
std::string UtcNow();

}  // namespace anecheck
