#include "harness/targets/targets_print.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/targets/chip_names.h"
#include "harness/targets/newest_table.h"

namespace anecheck {
namespace {

std::string Show(uint64_t value) {
  return value == kUnlimited ? "unlimited" : fmt::format("{}", value);
}
std::string Show(bool value) { return value ? "1" : "0"; }
std::string Show(const std::string& value) { return value; }
std::string Show(Family value) { return std::string(FamilyName(value)); }
std::string Show(const LimitValue& value) {
  std::string text;
  for (uint64_t item : value) text += (text.empty() ? "" : "|") + Show(item);
  return text;
}
std::string Show(const InterchangeFormats& value) {
  return fmt::format("{}: {}", Counted(value.count, "format"), value.description);
}

template <typename T>
TargetProperty Property(std::string group, std::string key, std::string name,
                        const Known<T>& known) {
  TargetProperty property{
      std::move(group), std::move(key), std::move(name), known.known(), {}, false, false};
  std::vector<std::string> distinct;
  for (const SourcedValue<T>& statement : known.statements()) {
    property.statements.push_back({Show(statement.value), statement.source, statement.note});
    if (property.statements.back().value != property.statements.front().value) {
      property.conflicting = true;
    }
  }
  return property;
}

void AppendTable(const Target& target, std::vector<TargetProperty>& list) {
  for (const HalField& field : HalLayout::Get().fields()) {
    const std::string key = fmt::format("0x{:x}", field.offset);
    switch (field.kind) {
      case HalKind::kScalar:
      case HalKind::kValue:
        list.push_back(Property("scalar", key, field.name, target.hal.Scalar(field.offset)));
        break;
      case HalKind::kFlag:
        list.push_back(
            Property("capability", key, field.name, target.hal.Capability(field.offset)));
        break;
      case HalKind::kString:
        list.push_back(Property("text", key, field.name, target.hal.Text(field.offset)));
        break;
      case HalKind::kPointer:
        continue;
    }
    list.back().dead = field.dead;
  }
}

// Appends the fields of the newest compiler's table. Their keys end with the release.
void AppendNewestTable(const TargetCatalog& catalog, const Target& target,
                       std::vector<TargetProperty>& list) {
  for (const NewestField& field : NewestFields()) {
    list.push_back(Property(field.flag ? "capability" : "scalar",
                            fmt::format("0x{:x}@{}", field.offset, kNewestRelease), field.name,
                            catalog.Newest(field, target)));
  }
}

Json PropertyJson(const TargetProperty& property) {
  Json statements = Json::array();
  for (const SourcedValue<std::string>& statement : property.statements) {
    Json row = {{"value", statement.value}, {"source", statement.source}};
    if (!statement.note.empty()) row["note"] = statement.note;
    statements.push_back(std::move(row));
  }
  Json json = {{"group", property.group}, {"key", property.key}, {"name", property.name}};
  if (property.dead) json["dead"] = true;
  json["known"] = property.known;
  json["value"] = property.known ? Json(property.value()) : Json(nullptr);
  json["conflicting"] = property.conflicting;
  json["statements"] = std::move(statements);
  return json;
}

struct Difference {
  TargetProperty a;
  TargetProperty b;
};

struct Comparison {
  const Target* a = nullptr;
  const Target* b = nullptr;
  std::vector<Difference> differences;
  size_t same = 0;
  size_t both_unknown = 0;
};

Result<Comparison> Compare(const TargetCatalog& catalog, std::string_view a, std::string_view b) {
  Comparison comparison;
  ANECHECK_ASSIGN(comparison.a, catalog.Find(a));
  ANECHECK_ASSIGN(comparison.b, catalog.Find(b));
  std::vector<TargetProperty> left = TargetProperties(catalog, *comparison.a);
  std::vector<TargetProperty> right = TargetProperties(catalog, *comparison.b);
  for (size_t i = 0; i < left.size(); ++i) {
    if (!left[i].known && !right[i].known) {
      ++comparison.both_unknown;
    } else if (left[i].known == right[i].known && left[i].value() == right[i].value()) {
      ++comparison.same;
    } else {
      comparison.differences.push_back({std::move(left[i]), std::move(right[i])});
    }
  }
  return comparison;
}

}  // namespace

std::string TargetProperty::value() const {
  return known ? statements.front().value : std::string("unknown");
}

std::vector<TargetProperty> TargetProperties(const TargetCatalog& catalog, const Target& target) {
  std::vector<TargetProperty> list;
  const auto add = [&](const char* name, const auto& known) {
    list.push_back(Property("target", name, name, known));
  };
  add("family_specification", target.family_specification);
  add("family_public_guide", target.family_public_guide);
  add("hardware_version", target.hardware_version);
  add("ne_cores", target.ne_cores);
  add("max_tensor_wh", target.max_tensor_wh);
  add("max_tensor_depth", target.max_tensor_depth);
  add("cpu_subtype", target.cpu_subtype);
  add("td_version", target.td_version);
  add("runtime_name", target.runtime_name);
  add("chips", target.chips);
  add("interchange_formats", target.interchange);
  AppendTable(target, list);
  AppendNewestTable(catalog, target, list);
  for (const LimitField& limit : catalog.limit_fields()) {
    list.push_back(Property("limit", limit.name, limit.name, LimitList(target, limit.name)));
  }
  return list;
}

std::string TargetsText(const TargetCatalog& catalog) {
  std::string text =
      fmt::format("{:6} {:9} {:9} {:12} {:>7} {:>9} {:>9} {:>7} {:>7}  {}\n", "target", "tier",
                  "family", "guide family", "cores", "width", "depth", "subtype", "tasks", "chips");
  for (const Target& target : catalog.targets()) {
    const auto show = [](const auto& known) {
      return known.known() ? Show(known.value()) + (known.conflicting() ? "*" : "")
                           : std::string("unknown");
    };
    text += fmt::format("{:6} {:9} {:9} {:12} {:>7} {:>9} {:>9} {:>7} {:>7}  {}\n", target.name,
                        TierName(target.tier), show(target.family_specification),
                        show(target.family_public_guide), show(target.ne_cores),
                        show(target.max_tensor_wh), show(target.max_tensor_depth),
                        show(target.cpu_subtype), show(target.td_version), ChipsText(target));
  }
  return text +
         "* sources differ: `anecheck targets --json` has every statement\n"
         "`anecheck targets show h13` shows every value of one target; a chip's name works too\n";
}

std::string FieldsText(const HalLayout& layout) {
  std::string text;
  for (const HalField& field : layout.fields()) {
    text += fmt::format("0x{:03x} {:2} {:8} {}{}{}  [{}]\n", field.offset, field.width,
                        HalKindName(field.kind), field.name,
                        field.unit.empty() ? "" : fmt::format(" ({})", field.unit),
                        field.dead ? ", written and never read" : "", field.source);
    if (!field.reader.empty()) text += fmt::format("        read by {}\n", field.reader);
    for (const HalName& other : field.other_names) {
      text += fmt::format("        also {}  [{}]\n", other.name, other.source);
    }
  }
  return text + fmt::format(
                    "{} of about 165 capability bytes (specification 003) have a name here; no "
                    "source at hand names the others\n",
                    std::ranges::count(layout.fields(), HalKind::kFlag, &HalField::kind));
}

Json FieldsJson(const HalLayout& layout) {
  Json fields = Json::array();
  for (const HalField& field : layout.fields()) {
    Json others = Json::array();
    for (const HalName& other : field.other_names) {
      others.push_back({{"name", other.name}, {"source", other.source}});
    }
    fields.push_back({{"offset", fmt::format("0x{:03x}", field.offset)},
                      {"width", field.width},
                      {"kind", HalKindName(field.kind)},
                      {"name", field.name},
                      {"unit", field.unit},
                      {"reader", field.reader},
                      {"dead", field.dead},
                      {"source", field.source},
                      {"note", field.note},
                      {"other_names", others}});
  }
  return fields;
}

Json TargetJson(const TargetCatalog& catalog, const Target& target) {
  Json properties = Json::array();
  for (const TargetProperty& property : TargetProperties(catalog, target)) {
    properties.push_back(PropertyJson(property));
  }
  Json row = {{"name", target.name},
              {"tier", TierName(target.tier)},
              {"compiler_name", target.compiler_name},
              {"chips", ChipsOf(target.name)}};
  if (!target.note.empty()) row["note"] = target.note;
  row["properties"] = std::move(properties);
  return row;
}

Json TargetsJson(const TargetCatalog& catalog) {
  Json list = Json::array();
  for (const Target& target : catalog.targets()) list.push_back(TargetJson(catalog, target));
  return list;
}

std::string TargetText(const TargetCatalog& catalog, const Target& target) {
  const std::string chips = ChipsText(target);
  std::string text =
      fmt::format("{} (tier {}, compiler name {}){}\n", target.name, TierName(target.tier),
                  target.compiler_name, chips.empty() ? "" : ": " + chips);
  if (!target.note.empty()) text += fmt::format("  note: {}\n", target.note);
  std::string unknown;
  for (const TargetProperty& property : TargetProperties(catalog, target)) {
    if (!property.known) {
      unknown += (unknown.empty() ? "" : ", ") + property.name;
      continue;
    }
    for (size_t i = 0; i < property.statements.size(); ++i) {
      const SourcedValue<std::string>& statement = property.statements[i];
      text += fmt::format("  {:10} {:6} {}{} = {}  [{}]{}\n", property.group,
                          property.key == property.name ? "" : property.key, property.name,
                          property.dead ? " (dead)" : "", statement.value, statement.source,
                          i > 0 && property.conflicting ? " (another source)" : "");
    }
  }
  return text + fmt::format("  unknown: {}\n", unknown);
}

Result<std::string> TargetsDiffText(const TargetCatalog& catalog, std::string_view a,
                                    std::string_view b) {
  ANECHECK_ASSIGN(const Comparison comparison, Compare(catalog, a, b));
  std::string text = fmt::format("{:10} {:6} {:40} {:>18} {:>18}\n", "group", "offset", "name",
                                 comparison.a->name, comparison.b->name);
  for (const Difference& difference : comparison.differences) {
    text += fmt::format("{:10} {:6} {:40} {:>18} {:>18}\n", difference.a.group,
                        difference.a.key == difference.a.name ? "" : difference.a.key,
                        difference.a.name, difference.a.value(), difference.b.value());
  }
  return text + fmt::format("{} differ, {} are the same, {} are unknown of both\n",
                            comparison.differences.size(), comparison.same,
                            comparison.both_unknown);
}

Result<Json> TargetsDiffJson(const TargetCatalog& catalog, std::string_view a, std::string_view b) {
  ANECHECK_ASSIGN(const Comparison comparison, Compare(catalog, a, b));
  Json differences = Json::array();
  for (const Difference& difference : comparison.differences) {
    const auto value = [](const TargetProperty& property) {
      return property.known ? Json(property.value()) : Json(nullptr);
    };
    differences.push_back({{"group", difference.a.group},
                           {"key", difference.a.key},
                           {"name", difference.a.name},
                           {"a", value(difference.a)},
                           {"b", value(difference.b)}});
  }
  return Json{{"a", comparison.a->name},
              {"b", comparison.b->name},
              {"differences", std::move(differences)},
              {"same", comparison.same},
              {"both_unknown", comparison.both_unknown}};
}

}  // namespace anecheck
