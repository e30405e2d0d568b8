#include "harness/targets/hal_layout.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

#include "harness/base/json_fields.h"
#include "harness/targets/embedded.h"

namespace anecheck {
namespace {

using json_fields::Array;
using json_fields::Bad;
using json_fields::Number;
using json_fields::String;
using json_fields::StringOr;

constexpr std::array<std::string_view, 5> kKindNames = {"scalar", "flag", "value", "pointer",
                                                        "string"};

Result<HalField> ReadField(const Json& row, std::string_view path) {
  HalField field;
  ANECHECK_ASSIGN(const uint64_t offset, Number(row, "offset", path));
  ANECHECK_ASSIGN(const uint64_t width, Number(row, "width", path));
  if (offset >= kHalSize || width == 0 || width > kHalSize - offset) {
    return Bad(path, fmt::format("0x{:x} + {} is not inside the table of 0x{:x} bytes", offset,
                                 width, kHalSize));
  }
  field.offset = static_cast<uint32_t>(offset);
  field.width = static_cast<uint32_t>(width);
  ANECHECK_ASSIGN(field.name, String(row, "name", path));
  ANECHECK_ASSIGN(field.source, String(row, "source", path));
  ANECHECK_ASSIGN(const std::string kind, String(row, "kind", path));
  const auto found = std::find(kKindNames.begin(), kKindNames.end(), kind);
  if (found == kKindNames.end()) return Bad(path, fmt::format("unknown kind \"{}\"", kind));
  field.kind = static_cast<HalKind>(found - kKindNames.begin());
  if (field.kind == HalKind::kFlag && width != 1) return Bad(path, "a flag is one byte wide");
  const auto dead = row.find("dead");
  field.dead = dead != row.end() && dead->is_boolean() && dead->get<bool>();
  field.unit = StringOr(row, "unit", "");
  field.note = StringOr(row, "note", "");
  field.reader = StringOr(row, "reader", "");
  ANECHECK_ASSIGN(const std::vector<const Json*> others, Array(row, "other_names", path));
  for (const Json* other : others) {
    ANECHECK_ASSIGN(std::string name, String(*other, "name", path));
    ANECHECK_ASSIGN(std::string source, String(*other, "source", path));
    field.other_names.push_back({std::move(name), std::move(source)});
  }
  return field;
}

}  // namespace

std::string_view HalKindName(HalKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

const HalLayout& HalLayout::Get() {
  static const HalLayout layout = [] {
    Result<HalLayout> parsed = Parse(targets_data::kHal);
    if (!parsed.ok()) {
      // The embedded text is part of the program, so an error in it is a defect of the build.
      std::fprintf(stderr, "embedded hal.json: %s\n", parsed.error().message.c_str());
      std::abort();
    }
    return std::move(parsed).value();
  }();
  return layout;
}

Result<HalLayout> HalLayout::Parse(std::string_view json_text) {
  ANECHECK_ASSIGN(const Json document, json_fields::ParseDocument(json_text, "hal.json"));
  HalLayout layout;
  ANECHECK_ASSIGN(const std::vector<const Json*> fields, Array(document, "fields", "hal.json"));
  for (size_t i = 0; i < fields.size(); ++i) {
    ANECHECK_ASSIGN(HalField field, ReadField(*fields[i], fmt::format("hal.json: fields[{}]", i)));
    layout.fields_.push_back(std::move(field));
  }
  ANECHECK_ASSIGN(const std::vector<const Json*> regions, Array(document, "regions", "hal.json"));
  for (const Json* row : regions) {
    HalRegion region;
    ANECHECK_ASSIGN(region.name, String(*row, "name", "hal.json: regions"));
    ANECHECK_ASSIGN(region.source, String(*row, "source", "hal.json: regions"));
    ANECHECK_ASSIGN(const uint64_t begin, Number(*row, "begin", "hal.json: regions"));
    ANECHECK_ASSIGN(const uint64_t end, Number(*row, "end", "hal.json: regions"));
    if (begin >= end || end > kHalSize) return Bad("hal.json: regions", "not inside the table");
    region.begin = static_cast<uint32_t>(begin);
    region.end = static_cast<uint32_t>(end);
    layout.regions_.push_back(std::move(region));
  }
  ANECHECK_ASSIGN(const std::vector<const Json*> others, Array(document, "not_fields", "hal.json"));
  for (const Json* row : others) {
    HalNonField other;
    ANECHECK_ASSIGN(other.reason, String(*row, "reason", "hal.json: not_fields"));
    ANECHECK_ASSIGN(other.source, String(*row, "source", "hal.json: not_fields"));
    ANECHECK_ASSIGN(const uint64_t begin, Number(*row, "begin", "hal.json: not_fields"));
    ANECHECK_ASSIGN(const uint64_t end, Number(*row, "end", "hal.json: not_fields"));
    other.begin = static_cast<uint32_t>(begin);
    other.end = static_cast<uint32_t>(end);
    layout.non_fields_.push_back(std::move(other));
  }
  ANECHECK_RETURN_IF_ERROR(layout.Index());
  return layout;
}

Status HalLayout::Index() {
  std::sort(fields_.begin(), fields_.end(),
            [](const HalField& a, const HalField& b) { return a.offset < b.offset; });
  uint32_t end = 0;
  for (size_t i = 0; i < fields_.size(); ++i) {
    const HalField& field = fields_[i];
    if (field.offset < end) {
      return Bad("hal.json", fmt::format("{} at 0x{:x} overlaps the field before it", field.name,
                                         field.offset));
    }
    end = field.offset + field.width;
    std::vector<std::string> names = {field.name};
    for (const HalName& other : field.other_names) names.push_back(other.name);
    for (std::string& name : names) {
      if (!by_name_.emplace(name, i).second) {
        return Bad("hal.json", fmt::format("the name {} occurs twice", name));
      }
    }
  }
  return {};
}

const HalField* HalLayout::Covering(uint32_t offset) const {
  auto after = std::upper_bound(fields_.begin(), fields_.end(), offset,
                                [](uint32_t at, const HalField& f) { return at < f.offset; });
  if (after == fields_.begin()) return nullptr;
  const HalField& before = *--after;
  return offset < before.offset + before.width ? &before : nullptr;
}

std::span<const HalField> HalLayout::fields() const { return fields_; }

std::span<const HalRegion> HalLayout::regions() const { return regions_; }

const HalField* HalLayout::At(uint32_t offset) const {
  const HalField* field = Covering(offset);
  return field != nullptr && field->offset == offset ? field : nullptr;
}

const HalField* HalLayout::Named(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? nullptr : &fields_[found->second];
}

bool HalLayout::InRegion(std::string_view region, uint32_t offset) const {
  return std::any_of(regions_.begin(), regions_.end(), [&](const HalRegion& r) {
    return r.name == region && r.begin <= offset && offset < r.end;
  });
}

const HalNonField* HalLayout::NonFieldAt(uint32_t offset) const {
  for (const HalNonField& other : non_fields_) {
    if (other.begin <= offset && offset < other.end) return &other;
  }
  return nullptr;
}

bool HalLayout::MayBeFlag(uint32_t offset) const {
  if (const HalField* field = Covering(offset)) return field->kind == HalKind::kFlag;
  // The bytes of the texture coefficients are in the range of the capability bytes, but are no
  // flags.
  return InRegion("capability_bytes", offset) && !InRegion("cost_model", offset) &&
         !InRegion("texture_plane_coefficients", offset) && NonFieldAt(offset) == nullptr;
}

}  // namespace anecheck
