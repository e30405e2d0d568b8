#include "harness/base/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vector>

namespace anecheck {
namespace {

// Checks nesting and member counts in one pass before anything is built. Text that is not JSON may
// pass; the parser rejects it afterwards.
Status CheckLimits(std::string_view text, std::string_view name) {
  std::vector<int> members;  // one counter for each open bracket
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (members.size() == kMaxJsonDepth) {
        return MakeError(ErrorCode::kLimit,
                         fmt::format("{}: nested deeper than {} at {}", name, kMaxJsonDepth, i), i);
      }
      members.push_back(0);
    } else if ((c == '}' || c == ']') && !members.empty()) {
      members.pop_back();
    } else if (c == ':' && !members.empty() && ++members.back() > kMaxJsonMembers) {
      return MakeError(
          ErrorCode::kLimit,
          fmt::format("{}: an object with more than {} members at {}", name, kMaxJsonMembers, i),
          i);
    }
  }
  return {};
}

// The library's message without its "[json.exception.parse_error.101] parse error at ...: " lead.
std::string_view Reason(std::string_view message) {
  const size_t lead = message.find("] ");
  if (lead != std::string_view::npos) message.remove_prefix(lead + 2);
  const size_t colon = message.find(": ");
  if (colon != std::string_view::npos) message.remove_prefix(colon + 2);
  return message;
}

}  // namespace

Result<Json> ParseJson(std::string_view text, std::string_view name) {
  ANECHECK_RETURN_IF_ERROR(CheckLimits(text, name));
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const uint64_t offset = error.byte == 0 ? 0 : error.byte - 1;  // the library counts from one
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("{}: at {}: {}", name, offset, Reason(error.what())), offset);
  } catch (const Json::exception& error) {
    return MakeError(ErrorCode::kMalformed, fmt::format("{}: {}", name, Reason(error.what())));
  }
}

std::string DumpJson(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace anecheck
