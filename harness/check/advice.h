// Advice: changes to a model that avoid a defect, a cliff or a refusal, each from a source.
#pragma once

#include <string_view>

namespace anecheck {

struct Advice {
  std::string_view op;     // the operation; empty for any
  std::string_view cause;  // the id of a defect or cliff, part of a refusal's reason, or empty
  std::string_view change;
  std::string_view source;
};

// Returns the first row that fits; null if none does.
const Advice* AdviceOnCliff(std::string_view op, std::string_view id);
const Advice* AdviceOnRefusal(std::string_view op, std::string_view reason);

}  // namespace anecheck
