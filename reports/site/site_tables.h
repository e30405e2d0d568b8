// Tables that several pages of a lab have.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/site/site_data.h"

namespace anecheck::reports {

// The changes, in the order given. `label` is the name of the table for readers that cannot see it,
// which no other table of the page has. The page of one chip names it once, not in every row.
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
