#include "harness/targets/catalog_loader.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace anecheck {
namespace {

using json_fields::Array;
using json_fields::Bad;
using json_fields::Number;
using json_fields::String;
using json_fields::StringOr;
using json_fields::Strings;

bool SameLetters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// Reads one member "key": [{"value": v, "source": s}, ...] of a target row.
Status ReadNumbers(const Json& row, const char* key, const std::string& path, bool replace,
                   Known<uint64_t>& known) {
  ANECHECK_ASSIGN(const std::vector<const Json*> items, Array(row, key, path));
  if (items.empty()) return {};
  Known<uint64_t> fresh = replace ? Known<uint64_t>() : known;
  for (const Json* item : items) {
    ANECHECK_ASSIGN(const uint64_t value, Number(*item, "value", fmt::format("{}.{}", path, key)));
    ANECHECK_ASSIGN(std::string source, String(*item, "source", fmt::format("{}.{}", path, key)));
    fresh.Add({value, std::move(source), StringOr(*item, "note", "")});
  }
  known = std::move(fresh);
  return {};
}

Status ReadStrings(const Json& row, const char* key, const std::string& path, bool replace,
                   Known<std::string>& known) {
  ANECHECK_ASSIGN(const std::vector<const Json*> items, Array(row, key, path));
  if (items.empty()) return {};
  Known<std::string> fresh = replace ? Known<std::string>() : known;
  for (const Json* item : items) {
    ANECHECK_ASSIGN(std::string value, String(*item, "value", fmt::format("{}.{}", path, key)));
    ANECHECK_ASSIGN(std::string source, String(*item, "source", fmt::format("{}.{}", path, key)));
    fresh.Add({std::move(value), std::move(source), StringOr(*item, "note", "")});
  }
  known = std::move(fresh);
  return {};
}

Status ReadFamily(const Json& row, const char* key, const std::string& path, bool replace,
                  Known<Family>& known) {
  Known<uint64_t> numbers;
  ANECHECK_RETURN_IF_ERROR(ReadNumbers(row, key, path, false, numbers));
  if (!numbers.known()) return {};
  if (replace) known = {};
  for (const SourcedValue<uint64_t>& statement : numbers.statements()) {
    if (statement.value >= kFamilyCount) {
      return Bad(path, fmt::format("{} is no family index (0 to 7)", statement.value));
    }
    known.Add({static_cast<Family>(statement.value), statement.source, statement.note});
  }
  return {};
}

// Reads a limit's value: a number, an array of numbers, or "unlimited".
Result<LimitValue> ReadLimit(const Json& row, const std::string& path) {
  const auto found = row.find("value");
  if (found == row.end()) return Bad(path, "needs \"value\"");
  if (found->is_string() && found->text() == "unlimited") {
    return LimitValue{kUnlimited};
  }
  if (!found->is_array()) {
    ANECHECK_ASSIGN(const uint64_t number, Number(*found, path));
    return LimitValue{number};
  }
  LimitValue list;
  for (const Json& item : *found) {
    ANECHECK_ASSIGN(const uint64_t number, Number(item, path));
    list.push_back(number);
  }
  return list;
}

}  // namespace

Status CatalogLoader::Apply(std::string_view json_text) {
  ANECHECK_ASSIGN(const Json document, json_fields::ParseDocument(json_text, file_));
  ANECHECK_RETURN_IF_ERROR(ApplyTargets(document));
  ANECHECK_RETURN_IF_ERROR(ApplyFields(document));
  ANECHECK_RETURN_IF_ERROR(ApplyLimits(document));
  ANECHECK_RETURN_IF_ERROR(ApplyInterchange(document));
  return ApplyFloors(document);
}

Target* CatalogLoader::Named(std::string_view name) {
  for (Target& target : catalog_.targets_) {
    if (SameLetters(target.name, name)) return &target;
  }
  return nullptr;
}

Result<std::vector<Target*>> CatalogLoader::Selected(const Json& row, const std::string& path) {
  ANECHECK_ASSIGN(const std::vector<std::string> names, Strings(row, "targets", path));
  if (names.empty()) return Bad(path, "needs \"targets\": names of targets or tiers");
  std::vector<Target*> selected;
  for (const std::string& name : names) {
    const size_t before = selected.size();
    for (Target& target : catalog_.targets_) {
      if (SameLetters(target.name, name) || TierName(target.tier) == name) {
        selected.push_back(&target);
      }
    }
    if (selected.size() == before) {
      return Bad(path, fmt::format("\"{}\" is neither a target nor a tier", name));
    }
  }
  return selected;
}

std::string CatalogLoader::Source(const Json& row) const {
  std::string source = StringOr(row, "source", "");
  if (!replace_) return source;
  return source.empty() ? file_ : fmt::format("{}: {}", file_, source);
}

Status CatalogLoader::ApplyTargets(const Json& document) {
  ANECHECK_ASSIGN(const std::vector<const Json*> rows, Array(document, "targets", file_));
  for (size_t i = 0; i < rows.size(); ++i) {
    ANECHECK_RETURN_IF_ERROR(ApplyTarget(*rows[i], fmt::format("{}: targets[{}]", file_, i)));
  }
  ANECHECK_ASSIGN(const std::vector<const Json*> elsewhere,
                  Array(document, "recognised_elsewhere", file_));
  for (const Json* row : elsewhere) {
    ANECHECK_ASSIGN(std::string name, String(*row, "name", file_));
    catalog_.known_elsewhere_[std::move(name)] = StringOr(*row, "source", "");
  }
  return {};
}

Status CatalogLoader::ApplyTarget(const Json& row, const std::string& path) {
  ANECHECK_ASSIGN(const std::string name, String(row, "name", path));
  Target* target = Named(name);
  if (target == nullptr) {
    ANECHECK_ASSIGN(const std::string tier_name, String(row, "tier", path));
    ANECHECK_ASSIGN(const Tier tier, ParseTier(tier_name));
    target = &catalog_.targets_.emplace_back();
    target->name = name;
    target->tier = tier;
  }
  target->compiler_name = StringOr(row, "compiler_name", target->compiler_name);
  target->note = StringOr(row, "note", target->note);
  const auto numbers = std::to_array<std::pair<const char*, Known<uint64_t>*>>({
      {"hardware_version", &target->hardware_version},
      {"ne_cores", &target->ne_cores},
      {"max_tensor_wh", &target->max_tensor_wh},
      {"max_tensor_depth", &target->max_tensor_depth},
      {"cpu_subtype", &target->cpu_subtype},
      {"td_version", &target->td_version},
  });
  for (const auto& [key, known] : numbers) {
    ANECHECK_RETURN_IF_ERROR(ReadNumbers(row, key, path, replace_, *known));
  }
  ANECHECK_RETURN_IF_ERROR(ReadStrings(row, "runtime_name", path, replace_, target->runtime_name));
  ANECHECK_RETURN_IF_ERROR(ReadStrings(row, "chips", path, replace_, target->chips));
  ANECHECK_RETURN_IF_ERROR(
      ReadFamily(row, "family_specification", path, replace_, target->family_specification));
  return ReadFamily(row, "family_public_guide", path, replace_, target->family_public_guide);
}

Status CatalogLoader::ApplyFields(const Json& document) {
  ANECHECK_ASSIGN(const std::vector<const Json*> rows, Array(document, "fields", file_));
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string path = fmt::format("{}: fields[{}]", file_, i);
    ANECHECK_ASSIGN(const uint64_t offset, Number(*rows[i], "offset", path));
    const HalField* field =
        offset < kHalSize ? HalLayout::Get().At(static_cast<uint32_t>(offset)) : nullptr;
    if (field == nullptr) return Bad(path, fmt::format("no field begins at 0x{:x}", offset));
    std::set<const Target*> stated;
    ANECHECK_ASSIGN(const std::vector<const Json*> values, Array(*rows[i], "values", path));
    for (const Json* value : values) {
      ANECHECK_ASSIGN(const std::vector<Target*> selected, Selected(*value, path));
      ANECHECK_ASSIGN(const uint64_t number, Number(*value, "value", path));
      for (Target* target : selected) {
        const bool replace = replace_ && stated.insert(target).second;
        ANECHECK_RETURN_IF_ERROR(target->hal.State(
            *field, {number, Source(*value), StringOr(*value, "note", field->note)}, replace));
      }
    }
    ANECHECK_ASSIGN(const std::vector<const Json*> texts, Array(*rows[i], "text_values", path));
    for (const Json* value : texts) {
      ANECHECK_ASSIGN(const std::vector<Target*> selected, Selected(*value, path));
      ANECHECK_ASSIGN(const std::string text, String(*value, "value", path));
      for (Target* target : selected) {
        const bool replace = replace_ && stated.insert(target).second;
        ANECHECK_RETURN_IF_ERROR(target->hal.StateText(
            *field, {text, Source(*value), StringOr(*value, "note", "")}, replace));
      }
    }
    if (replace_) {
      for (Target& target : catalog_.targets_) {
        if (stated.contains(&target)) catalog_.Restate(target, *field);
      }
    }
  }
  return {};
}

Status CatalogLoader::ApplyLimits(const Json& document) {
  ANECHECK_ASSIGN(const std::vector<const Json*> rows, Array(document, "limits", file_));
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string path = fmt::format("{}: limits[{}]", file_, i);
    ANECHECK_ASSIGN(const std::string name, String(*rows[i], "name", path));
    const bool listed = std::any_of(catalog_.limit_fields_.begin(), catalog_.limit_fields_.end(),
                                    [&](const LimitField& field) { return field.name == name; });
    if (!listed && replace_) return Bad(path, fmt::format("no limit is named {}", name));
    if (!listed) {
      catalog_.limit_fields_.push_back({name, StringOr(*rows[i], "unit", ""),
                                        StringOr(*rows[i], "note", ""),
                                        StringOr(*rows[i], "hal_field", "")});
    }
    std::set<const Target*> stated;
    ANECHECK_ASSIGN(const std::vector<const Json*> values, Array(*rows[i], "values", path));
    for (const Json* value : values) {
      ANECHECK_ASSIGN(const std::vector<Target*> selected, Selected(*value, path));
      ANECHECK_ASSIGN(const LimitValue limit, ReadLimit(*value, path));
      for (Target* target : selected) {
        Known<LimitValue>& known = target->limits[name];
        if (replace_ && stated.insert(target).second) known = {};
        known.Add({limit, Source(*value), StringOr(*value, "note", "")});
      }
    }
  }
  return {};
}

Status CatalogLoader::ApplyInterchange(const Json& document) {
  ANECHECK_ASSIGN(const std::vector<const Json*> rows, Array(document, "sets", file_));
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string path = fmt::format("{}: sets[{}]", file_, i);
    ANECHECK_ASSIGN(const std::vector<Target*> selected, Selected(*rows[i], path));
    InterchangeFormats formats;
    ANECHECK_ASSIGN(formats.count, Number(*rows[i], "count", path));
    ANECHECK_ASSIGN(formats.tags, Strings(*rows[i], "tags", path));
    formats.complete = formats.tags.size() == formats.count;
    formats.description = StringOr(*rows[i], "description", "");
    for (Target* target : selected) {
      if (replace_) target->interchange = {};
      target->interchange.Add({formats, Source(*rows[i]), ""});
    }
  }
  ANECHECK_RETURN_IF_ERROR(ApplyTagParts(document, "prefixes", catalog_.tag_prefixes_));
  return ApplyTagParts(document, "bases", catalog_.tag_bases_);
}

Status CatalogLoader::ApplyTagParts(const Json& document, const char* key,
                                    std::vector<ImageTagPart>& parts) {
  ANECHECK_ASSIGN(const std::vector<const Json*> rows, Array(document, key, file_));
  for (const Json* row : rows) {
    ImageTagPart part;
    ANECHECK_ASSIGN(part.tag, String(*row, "tag", file_));
    ANECHECK_ASSIGN(part.code, Number(*row, "code", file_));
    part.meaning = StringOr(*row, "meaning", "");
    std::erase_if(parts, [&](const ImageTagPart& old) { return old.tag == part.tag; });
    parts.push_back(std::move(part));
  }
  return {};
}

void CatalogLoader::State(const FamilyFloor& floor) {
  const std::vector<std::string> named =
      floor.operations.empty() ? std::vector<std::string>{floor.op} : floor.operations;
  for (Target& target : catalog_.targets_) {
    for (const std::string& operation : named) {
      target.stated_floors.insert_or_assign(operation, floor.family.statements().front());
    }
  }
}

Status CatalogLoader::ApplyFloors(const Json& document) {
  ANECHECK_ASSIGN(const std::vector<const Json*> rows, Array(document, "floors", file_));
  std::set<std::string> stated;
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string path = fmt::format("{}: floors[{}]", file_, i);
    ANECHECK_ASSIGN(const std::string op, String(*rows[i], "op", path));
    ANECHECK_ASSIGN(const uint64_t index, Number(*rows[i], "floor", path));
    if (index >= kFamilyCount) return Bad(path, fmt::format("{} is no family index", index));
    auto floor = std::find_if(catalog_.floors_.begin(), catalog_.floors_.end(),
                              [&](const FamilyFloor& old) { return old.op == op; });
    if (floor == catalog_.floors_.end()) {
      floor = catalog_.floors_.insert(floor, FamilyFloor{op, {}, {}});
    }
    if (rows[i]->contains("operations")) {
      ANECHECK_ASSIGN(floor->operations, Strings(*rows[i], "operations", path));
    }
    if (replace_ && stated.insert(op).second) floor->family = {};
    floor->family.Add(
        {static_cast<Family>(index), Source(*rows[i]), StringOr(*rows[i], "note", "")});
    if (replace_) State(*floor);
  }
  return {};
}

}  // namespace anecheck
