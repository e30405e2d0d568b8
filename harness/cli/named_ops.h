// The operations of --ops on the targets and routes of a campaign: what cannot be drawn is told
// before anything runs, so that no case is about something else.
#pragma once

#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/cli/campaign_flags.h"

namespace anecheck {

// Leaves out the operations that no target draws and the targets on which none is drawn, and says
// once, with the reasons, what is drawn nowhere or on a part of them alone. Errors (kInvalid): no
// operation is left; a target on which one of the two routes of `both` has none.
Status KeepNamedOps(const CampaignFlags& flags, CampaignOptions& options);

}  // namespace anecheck
