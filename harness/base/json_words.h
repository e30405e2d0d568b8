// Reads strings in JSON that this program made, for lines that commands and reports print.
#pragma once

#include <string>

#include "harness/base/json.h"

namespace anecheck {

// Returns a string member. Precondition: the object has this member, and it is a string.
inline std::string MemberText(const Json& object, const char* member) {
  return object[member].get<std::string>();
}

// Returns a text such as "A13, A14". Precondition: every element of the list is a string.
inline std::string JoinedTexts(const Json& list) {
  std::string text;
  for (const Json& element : list) text += (text.empty() ? "" : ", ") + element.get<std::string>();
  return text;
}

}  // namespace anecheck
