// Tables that several pages of a lab have.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/site/site_data.h"

namespace anecheck::reports {

// The changes, in the order given. `label` is the accessible name of the table, unique on its page.
// kLeftOut is for the page of a chip, which names the chip once.
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
