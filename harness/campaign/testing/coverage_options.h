// The options of the campaigns in tests of coverage.
#pragma once

#include <string>

#include "harness/campaign/campaign.h"

namespace anecheck::testing {

inline CampaignOptions CoverageOptions(const std::string& db, bool steer) {
  CampaignOptions options;
  options.seed = 3;
  options.cases = 1200;
  options.targets = {{"h15", 4}};
  options.steer = steer;
  options.db = db;
  return options;
}

}  // namespace anecheck::testing
