// Texts in JSON that this program made, for the lines that commands and reports print.
#pragma once

#include <string>

#include "harness/base/json.h"

namespace anecheck {

// The text of a member. Precondition: the object has this member, and it is a text.
inline std::string MemberText(const Json& object, const char* member) {
  return object[member].get<std::string>();
}

// "A13, A14". Precondition: every element of the list is a text.
inline std::string JoinedTexts(const Json& list) {
  std::string text;
  for (const Json& element : list) text += (text.empty() ? "" : ", ") + element.get<std::string>();
  return text;
}

}  // namespace anecheck
