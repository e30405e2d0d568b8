// Checks the operations of --ops on the targets and routes of a campaign. It reports operations
// that cannot be drawn before the run, because the generator would draw other operations in their
// place.
#pragma once

#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/cli/campaign_flags.h"

namespace anecheck {

// Removes the operations that no target draws, and the targets on which no operation is drawn.
// Prints once, with reasons, the operations that some or all targets do not draw. Errors: kInvalid
// if no operation is left, or if only one of two routes draws any of them on a target.
Status KeepNamedOps(const CampaignFlags& flags, CampaignOptions& options);

}  // namespace anecheck
