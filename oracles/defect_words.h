// The documented defects in words, for reports and messages.
#pragma once

#include <string>
#include <string_view>

#include "harness/verdict/defect_set.h"

namespace anecheck {

// The effect of the documented defect `id` on the operation `op`: "atan errs near its seams". If no
// source mentions that operation, the words describe the effect on another operation. Empty for an
// unknown id.
std::string_view DefectWords(std::string_view id, std::string_view op = {});

// "D03: ...; D09: ...", each id with its words; an id without words stands alone.
std::string DefectWords(const DefectSet& defects, std::string_view op = {});

}  // namespace anecheck
