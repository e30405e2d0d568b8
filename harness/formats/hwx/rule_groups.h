// The rules of layout_rules.cc, which rules.cc adds to its own table.
#pragma once

#include <span>

#include "harness/formats/hwx/bindings.h"
#include "harness/formats/violation_list.h"

namespace anecheck::hwx {

// The rules of header, commands, segments, sections and banner (layout_rules.cc).
std::span<const Rule> LayoutRules();
void VerifyLayout(const Bindings& bindings, ViolationList& violations);

}  // namespace anecheck::hwx
