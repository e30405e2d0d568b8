#include "harness/cases/case_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace anecheck {
namespace {

using nlohmann::ordered_json;

Error Wrong(std::string_view member, std::string_view what) {
  return MakeError(ErrorCode::kInvalid, fmt::format("{}: {}", member, what));
}

// Exceptions of the JSON library mean a member of another type than expected.
template <typename T>
Status Read(const ordered_json& json, const char* member, T& value) {
  if (!json.is_object() || !json.contains(member)) return Wrong(member, "is missing");
  try {
    value = json.at(member).get<T>();
  } catch (const ordered_json::exception&) {
    return Wrong(member, "has the wrong type");
  }
  return {};
}

template <Word E>
Status ReadWord(const ordered_json& json, const char* member, E& word) {
  std::string text;
  ANECHECK_RETURN_IF_ERROR(Read(json, member, text));
  const Result<E> known = FromText<E>(text);
  if (!known.ok()) return Wrong(member, known.error().message);
  word = *known;
  return {};
}

Status ReadFamily(const ordered_json& json, const char* member, Case& item) {
  ANECHECK_RETURN_IF_ERROR(Read(json, member, item.target.family));
  const bool known = item.target.family >= 0 && item.target.family <= 7;
  return known ? Status() : Status(Wrong(member, "must be 0 to 7"));
}

ordered_json RangeToJson(const Case& item) {
  if (!item.range) return nullptr;
  return {{"input", item.range->input},
          {"axis", item.range->axis},
          {"start", item.range->start},
          {"stop", item.range->stop},
          {"step", item.range->step}};
}

Status ReadRange(const ordered_json& json, const char* member, Case& item) {
  const ordered_json& written = json.at(member);
  CaseRange range;
  ANECHECK_RETURN_IF_ERROR(Read(written, "input", range.input));
  ANECHECK_RETURN_IF_ERROR(Read(written, "axis", range.axis));
  ANECHECK_RETURN_IF_ERROR(Read(written, "start", range.start));
  ANECHECK_RETURN_IF_ERROR(Read(written, "stop", range.stop));
  ANECHECK_RETURN_IF_ERROR(Read(written, "step", range.step));
  constexpr int64_t kMost = int64_t{1} << 20;
  if (range.start < 1 || range.stop < range.start || range.step < 1 || range.stop > kMost) {
    return Wrong(member, "must be start to stop by step, from 1 on");
  }
  item.range = std::move(range);
  return {};
}

// One member of the JSON: both ways stand side by side. `write` gives null where an optional one is
// left out.
struct Member {
  const char* name;
  bool optional;
  ordered_json (*write)(const Case& item);
  Status (*read)(const ordered_json& json, const char* member, Case& item);
};

constexpr Member kMembers[] = {
    {"index", false, [](const Case& item) -> ordered_json { return item.index; },
     [](const ordered_json& json, const char* member, Case& item) {
       return Read(json, member, item.index);
     }},
    {"case_seed", false, [](const Case& item) -> ordered_json { return item.seed; },
     [](const ordered_json& json, const char* member, Case& item) {
       return Read(json, member, item.seed);
     }},
    {"target", false, [](const Case& item) -> ordered_json { return item.target.name; },
     [](const ordered_json& json, const char* member, Case& item) {
       return Read(json, member, item.target.name);
     }},
    {"family", false, [](const Case& item) -> ordered_json { return item.target.family; },
     ReadFamily},
    {"route", false, [](const Case& item) -> ordered_json { return ToText(item.route); },
     [](const ordered_json& json, const char* member, Case& item) {
       return ReadWord(json, member, item.route);
     }},
    {"mode", false, [](const Case& item) -> ordered_json { return ToText(item.mode); },
     [](const ordered_json& json, const char* member, Case& item) {
       return ReadWord(json, member, item.mode);
     }},
    {"range", true, RangeToJson, ReadRange},
};

}  // namespace

void WriteCase(const Case& item, ordered_json& json) {
  for (const Member& member : kMembers) {
    ordered_json value = member.write(item);
    if (!value.is_null()) json[member.name] = std::move(value);
  }
}

Status ReadCase(const ordered_json& json, Case& item) {
  for (const Member& member : kMembers) {
    if (member.optional && !json.contains(member.name)) continue;
    ANECHECK_RETURN_IF_ERROR(member.read(json, member.name, item));
  }
  return {};
}

}  // namespace anecheck
