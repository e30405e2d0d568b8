// What to change in a model, where a source names a way around a defect, a cliff or a refusal.
#pragma once

#include <string_view>

namespace anecheck {

struct Advice {
  std::string_view op;     // the operation; empty for any
  std::string_view cause;  // a defect or cliff by its id, or a word of a refusal's reason
  std::string_view change;
  std::string_view source;
};

// The first row that fits; null for none. `cause` is an id, or the reason of a refusal.
const Advice* FindAdvice(std::string_view op, std::string_view cause);

}  // namespace anecheck
