// The operations of --ops on the targets and routes of a campaign: operations that cannot be drawn
// are reported before the run, so that no case is about another one.
#pragma once

#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/cli/campaign_flags.h"

namespace anecheck {

// Leaves out the operations that no target draws and the targets on which none is drawn, and says
// once, with the reasons, which are drawn nowhere or only on a part of them. Errors (kInvalid): no
// operation is left; a target on which one of the two routes of `both` has none.
Status KeepNamedOps(const CampaignFlags& flags, CampaignOptions& options);

}  // namespace anecheck
