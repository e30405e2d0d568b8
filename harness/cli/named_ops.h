// Checks before a campaign whether its targets and routes can draw the operations of --ops. Without
// this check the generator would draw other operations in their place.
#pragma once

#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/cli/campaign_flags.h"

namespace anecheck {

// Removes the operations that no target draws, and the targets on which no operation is drawn.
// Prints one warning: the operations that some or all targets do not draw, and the reasons. Errors:
// kInvalid if no operation is left, or if only one of two routes draws any on a target.
Status KeepNamedOps(const CampaignFlags& flags, CampaignOptions& options);

}  // namespace anecheck
