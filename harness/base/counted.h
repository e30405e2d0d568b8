// A count with its noun in singular or plural: "1 case", "2 cases".
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace anecheck {

// `one` is the singular, such as "case" or "new finding". `many` is the plural; if it is empty, the
// plural is `one` with an "s".
std::string Counted(std::integral auto count, std::string_view one, std::string_view many = "") {
  std::string text = std::to_string(count) + " ";
  if (count == 1) return text.append(one);
  return many.empty() ? text.append(one) + "s" : text.append(many);
}

}  // namespace anecheck
