// The part of a finding's artifact that a report shows: MIL text, inputs, and the output elements
// with their expected intervals.
#pragma once

#include <string_view>

#include "reports/report_data.h"

namespace anecheck::reports {

// Elements shown of one tensor, and bytes shown of the MIL text. The artifact has them all.
inline constexpr size_t kShownElements = 64;
inline constexpr size_t kShownMil = size_t{32} << 10;

// Reads the JSON of harness/campaign/artifact.h. An artifact that does not have that form gives a
// detail whose `problem` says so; nothing here fails, because a report of the rest is worth having.
FindingDetail ReadFindingDetail(std::string_view artifact);

}  // namespace anecheck::reports
