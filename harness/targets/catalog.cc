#include "harness/targets/catalog.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "harness/base/little_endian.h"
#include "harness/base/lower_case.h"
#include "harness/base/near_words.h"
#include "harness/targets/catalog_loader.h"
#include "harness/targets/chip_names.h"
#include "harness/targets/embedded.h"
#include "harness/targets/newest_table.h"

namespace anecheck {
namespace {

// Returns the names of targets, in lower case, and of chips with a target.
std::vector<std::string> NamesOf(std::span<const Target> targets) {
  std::vector<std::string> names;
  for (const Target& target : targets) names.push_back(LowerCase(target.name));
  for (const Chip& chip : Chips()) {
    if (chip.target) names.push_back(chip.name);
  }
  return names;
}

TargetCatalog LoadBuiltin();

}  // namespace

const TargetCatalog& TargetCatalog::Builtin() {
  static const TargetCatalog catalog = LoadBuiltin();
  return catalog;
}

namespace {

TargetCatalog LoadBuiltin() {
  TargetCatalog catalog;
  const std::pair<const char*, std::string_view> files[] = {
      {"targets.json", targets_data::kTargets}, {"hal.json", targets_data::kHal},
      {"limits.json", targets_data::kLimits},   {"interchange.json", targets_data::kInterchange},
      {"floors.json", targets_data::kFloors},
  };
  for (const auto& [name, text] : files) {
    const Status status = CatalogLoader(catalog, false, name).Apply(text);
    if (!status.ok()) {
      // The embedded text is part of the program, so an error in it is a defect of the build.
      std::fprintf(stderr, "embedded %s\n", status.error().message.c_str());
      std::abort();
    }
  }
  return catalog;
}

}  // namespace

Result<const Target*> TargetCatalog::Find(std::string_view name) const {
  const std::string wanted = LowerCase(name);
  for (const Target& target : targets_) {
    if (LowerCase(target.name) == wanted) return &target;
  }
  ANECHECK_ASSIGN(const Target* const of_chip, FindTargetByChip(*this, name));
  if (of_chip != nullptr) return of_chip;
  const auto elsewhere = known_elsewhere_.find(wanted);
  if (elsewhere != known_elsewhere_.end()) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("no table for target \"{}\" ({})", name, elsewhere->second));
  }
  // One letter would match too many chips.
  constexpr size_t kLeast = 2, kMost = 3;
  std::vector<std::string> begun;
  if (name.size() >= kLeast) begun = ChipsBeginning(name);
  if (begun.size() > kMost) begun.resize(kMost);
  return MakeError(
      ErrorCode::kNotFound,
      fmt::format("unknown target \"{}\"{}; `anecheck targets` lists all {}", name,
                  begun.empty() ? DidYouMean(name, NamesOf(targets_))
                                : fmt::format("; did you mean {}?", fmt::join(begun, " or ")),
                  targets_.size()));
}

std::span<const FamilyFloor> TargetCatalog::floors() const { return floors_; }

std::span<const LimitField> TargetCatalog::limit_fields() const { return limit_fields_; }

Result<std::vector<const Target*>> TargetCatalog::FindList(std::string_view list) const {
  std::vector<const Target*> found;
  if (LowerCase(list) == "all") {
    for (const Target& target : targets_) found.push_back(&target);
    return found;
  }
  while (true) {
    const size_t comma = list.find(',');
    ANECHECK_ASSIGN(const Target* target, Find(list.substr(0, comma)));
    if (std::find(found.begin(), found.end(), target) == found.end()) found.push_back(target);
    if (comma == std::string_view::npos) return found;
    list.remove_prefix(comma + 1);
  }
}

Result<ImageTag> TargetCatalog::FindImageTag(std::string_view tag) const {
  for (const ImageTagPart& prefix : tag_prefixes_) {
    for (const ImageTagPart& base : tag_bases_) {
      if (tag == prefix.tag + base.tag) return ImageTag{prefix, base};
    }
  }
  return MakeError(
      ErrorCode::kNotFound,
      fmt::format("\"{}\" is no image tag; a tag is one of the prefixes {} and a base such as "
                  "BGA",
                  tag, "& - / | *"));
}

Known<Family> TargetCatalog::Floor(std::string_view op) const {
  for (const FamilyFloor& floor : floors_) {
    if (floor.op == op) return floor.family;
  }
  return Known<Family>::Unknown(fmt::format("no source gives a family floor of {}", op));
}

void TargetCatalog::Restate(Target& target, const HalField& field) const {
  Known<LimitValue> restated;
  if (field.kind == HalKind::kFlag) {
    for (const SourcedValue<bool>& flag : target.hal.Capability(field.offset).statements()) {
      restated.Add({LimitValue{flag.value}, flag.source, flag.note});
    }
  } else {
    for (const SourcedValue<uint64_t>& scalar : target.hal.Scalar(field.offset).statements()) {
      restated.Add({LimitValue{scalar.value}, scalar.source, scalar.note});
    }
  }
  for (const LimitField& limit : limit_fields_) {
    if (limit.hal_field == field.name) target.limits[limit.name] = restated;
  }
  if (field.name == "num_nes") target.ne_cores = target.hal.Scalar(field.offset);
  if (field.name == "max_tensor_width") target.max_tensor_wh = target.hal.Scalar(field.offset);
  if (field.name == "max_tensor_depth") target.max_tensor_depth = target.hal.Scalar(field.offset);
}

Status TargetCatalog::ReplaceHal(std::string_view target, std::span<const uint8_t> blob,
                                 const std::string& source) {
  ANECHECK_ASSIGN(const Target* found, Find(target));
  Target& changed = targets_[static_cast<size_t>(found - targets_.data())];
  if (blob.size() != kNewestHalSize) {
    ANECHECK_RETURN_IF_ERROR(changed.hal.LoadBlob(blob, source));
    for (const HalField& field : HalLayout::Get().fields()) Restate(changed, field);
    return {};
  }
  const auto state_of = [&](const NewestField& field) -> SourcedValue<uint64_t> {
    const uint64_t value = LoadLittle(blob, field.offset, field.width);
    return {field.flag ? value & 1 : value, source, ""};
  };
  for (const NewestField& field : NewestFields()) {
    newest_.insert_or_assign({changed.name, field.offset}, state_of(field));
  }
  // Rules read fields of the older layout by name, so fields of both layouts are copied to it.
  for (const HalField& field : HalLayout::Get().fields()) {
    const NewestField* moved = FindNewestField(field.name);
    if (moved == nullptr) continue;
    ANECHECK_RETURN_IF_ERROR(changed.hal.State(field, state_of(*moved), true));
    Restate(changed, field);
  }
  return {};
}

Known<uint64_t> TargetCatalog::Newest(const NewestField& field, const Target& target) const {
  const auto stated = newest_.find({target.name, field.offset});
  if (stated == newest_.end()) return NewestValue(field, target.name, TierName(target.tier));
  Known<uint64_t> known;
  known.Add(stated->second);
  return known;
}

Status TargetCatalog::ApplyUserFile(std::string_view json_text, std::string_view file_name) {
  TargetCatalog changed = *this;
  ANECHECK_RETURN_IF_ERROR(CatalogLoader(changed, true, std::string(file_name)).Apply(json_text));
  *this = std::move(changed);
  return {};
}

Result<const Target*> FindTarget(std::string_view name) {
  return TargetCatalog::Builtin().Find(name);
}

std::span<const Target> AllTargets() { return TargetCatalog::Builtin().targets(); }

}  // namespace anecheck
