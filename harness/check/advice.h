// Changes to a model, for which a source names a way around a defect, a cliff or a refusal.
#pragma once

#include <string_view>

namespace anecheck {

struct Advice {
  std::string_view op;     // the operation; empty for any
  std::string_view cause;  // a defect or cliff by its id; words of a refusal's reason, or empty
  std::string_view change;
  std::string_view source;
};

// The first row that fits; null for none.
const Advice* AdviceOnCliff(std::string_view op, std::string_view id);
const Advice* AdviceOnRefusal(std::string_view op, std::string_view reason);

}  // namespace anecheck
