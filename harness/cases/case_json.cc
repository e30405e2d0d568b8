#include "harness/cases/case_json.h"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "harness/base/json.h"
#include "oracles/contract.h"

namespace anecheck {
namespace {

Error Wrong(std::string_view member, std::string_view what) {
  return MakeError(ErrorCode::kInvalid, fmt::format("{}: {}", member, what));
}

// The JSON library throws if the member has another type than `value`.
template <typename T>
Status Read(const Json& json, const char* member, T& value) {
  if (!json.is_object() || !json.contains(member)) return Wrong(member, "is missing");
  try {
    value = json.at(member).get<T>();
  } catch (const JsonError&) {
    return Wrong(member, "has the wrong type");
  }
  return {};
}

template <Word E>
Status ReadWord(const Json& json, const char* member, E& word) {
  std::string text;
  ANECHECK_RETURN_IF_ERROR(Read(json, member, text));
  const Result<E> known = FromText<E>(text);
  if (!known.ok()) return Wrong(member, known.error().message);
  word = *known;
  return {};
}

Status ReadFamily(const Json& json, const char* member, Case& item) {
  ANECHECK_RETURN_IF_ERROR(Read(json, member, item.target.family));
  const bool known = item.target.family >= 0 && item.target.family < kContracts;
  return known ? Status() : Status(Wrong(member, fmt::format("must be 0 to {}", kContracts - 1)));
}

Json RangeToJson(const Case& item) {
  if (!item.range) return nullptr;
  return {{"input", item.range->input},
          {"axis", item.range->axis},
          {"start", item.range->start},
          {"stop", item.range->stop},
          {"step", item.range->step}};
}

Status ReadRange(const Json& json, const char* member, Case& item) {
  const Json& written = json.at(member);
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

// One member of the JSON, with its writer and its reader. `write` returns null to leave out an
// optional member.
struct Member {
  const char* name;
  bool optional;
  Json (*write)(const Case& item);
  Status (*read)(const Json& json, const char* member, Case& item);
};

constexpr Member kMembers[] = {
    {"index", false, [](const Case& item) -> Json { return item.index; },
     [](const Json& json, const char* member, Case& item) {
       return Read(json, member, item.index);
     }},
    {"case_seed", false, [](const Case& item) -> Json { return item.seed; },
     [](const Json& json, const char* member, Case& item) {
       return Read(json, member, item.seed);
     }},
    {"target", false, [](const Case& item) -> Json { return item.target.name; },
     [](const Json& json, const char* member, Case& item) {
       return Read(json, member, item.target.name);
     }},
    {"family", false, [](const Case& item) -> Json { return item.target.family; }, ReadFamily},
    {"route", false, [](const Case& item) -> Json { return ToText(item.route); },
     [](const Json& json, const char* member, Case& item) {
       return ReadWord(json, member, item.route);
     }},
    {"mode", false, [](const Case& item) -> Json { return ToText(item.mode); },
     [](const Json& json, const char* member, Case& item) {
       return ReadWord(json, member, item.mode);
     }},
    {"range", true, RangeToJson, ReadRange},
};

}  // namespace

void WriteCase(const Case& item, Json& json) {
  for (const Member& member : kMembers) {
    Json value = member.write(item);
    if (!value.is_null()) json[member.name] = std::move(value);
  }
}

Status ReadCase(const Json& json, Case& item) {
  for (const Member& member : kMembers) {
    if (member.optional && !json.contains(member.name)) continue;
    ANECHECK_RETURN_IF_ERROR(member.read(json, member.name, item));
  }
  return {};
}

}  // namespace anecheck
