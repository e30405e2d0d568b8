// Tables that several pages of a lab have.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/site/site_data.h"

namespace anecheck::reports {

// The text in place of the changes if all runs are of one occasion.
inline constexpr std::string_view kNothingToCompare =
    "All runs have one date, label and compiler, so no change can be seen: add the results of "
    "another date, or give each campaign a name with `run --label`.";
// Returns "2026-01-02", or "2026-01-02, nightly" if the runs have a label. The text is escaped.
std::string OccasionText(const Snapshot& snapshot);

// Returns a table of the changes in the given order. `label` is the accessible name of the table
// and must be unique on its page. kLeftOut is for the page of a chip, which states the chip
// elsewhere.
enum class ChipColumn : uint8_t { kShown, kLeftOut };
std::string ChangeTable(const Site& site, std::string_view label,
                        std::span<const SiteChange* const> changes, int depth, size_t most,
                        ChipColumn chip = ChipColumn::kShown);
std::string DefectTable(const Site& site, std::string_view label,
                        std::span<const SiteDefect* const> defects, int depth, size_t most,
                        ChipColumn chip = ChipColumn::kShown);
std::string MarkLegend();

// "2 operations worse and 1 better".
std::string ChangeSentence(std::span<const SiteChange* const> changes);

}  // namespace anecheck::reports
