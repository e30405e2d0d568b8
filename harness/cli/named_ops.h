// The operations of --ops on the targets and routes of a campaign: what cannot be drawn is told
// before anything runs, so that no case is about something else.
#pragma once

#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/cli/campaign_flags.h"

namespace anecheck {

// Leaves out the targets on which no operation named is drawn, and says once what is drawn on a
// part of them alone. Errors (kInvalid): an operation that is drawn on none, with the reason; a
// target on which one of the two routes of `both` has none.
Status KeepNamedOps(const CampaignFlags& flags, CampaignOptions& options);

}  // namespace anecheck
