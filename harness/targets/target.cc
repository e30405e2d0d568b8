#include "harness/targets/target.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "harness/base/little_endian.h"

namespace anecheck {
namespace {

constexpr std::array<std::string_view, kFamilyCount> kFamilyNames = {
    "A11Legacy", "A12", "A13", "A14", "A15", "A16", "A17", "A18"};
constexpr std::array<std::string_view, 9> kTierNames = {"legacy", "A13", "A14",   "A15",      "A16",
                                                        "A17",    "A18", "small", "reference"};

template <typename T>
const Known<T>& Missing() {
  static const Known<T> missing = Known<T>::Unknown(
      "no such field of this kind in the table; `anecheck inspect` of a HAL blob lists the fields");
  return missing;
}

template <typename T>
const Known<T>& Undescribed() {
  static const Known<T> undescribed = Known<T>::Unknown("no source gives this field's value here");
  return undescribed;
}

// Returns the value at `offset`. If it is missing, the reason depends on whether the layout has a
// field of the right kind there.
template <typename T>
const Known<T>& Get(const std::map<uint32_t, Known<T>>& values, uint32_t offset, bool is_kind) {
  const auto found = values.find(offset);
  if (found != values.end()) return found->second;
  return is_kind ? Undescribed<T>() : Missing<T>();
}

bool IsScalar(uint32_t offset) {
  const HalField* field = HalLayout::Get().At(offset);
  return field != nullptr && (field->kind == HalKind::kScalar || field->kind == HalKind::kValue);
}

template <typename T>
void Put(Known<T>& known, SourcedValue<T> statement, bool replace) {
  if (replace) {
    known.Replace(std::move(statement));
  } else {
    known.Add(std::move(statement));
  }
}

}  // namespace

std::string_view FamilyName(Family family) { return kFamilyNames[static_cast<size_t>(family)]; }

std::string_view TierName(Tier tier) { return kTierNames[static_cast<size_t>(tier)]; }

Result<Tier> ParseTier(std::string_view name) {
  const auto found = std::find(kTierNames.begin(), kTierNames.end(), name);
  if (found == kTierNames.end()) {
    return MakeError(ErrorCode::kNotFound, fmt::format("no tier is named \"{}\"; the tiers are {}",
                                                       name, fmt::join(kTierNames, ", ")));
  }
  return static_cast<Tier>(found - kTierNames.begin());
}

const Known<uint64_t>& Hal::Scalar(uint32_t offset) const {
  return Get(scalars_, offset, IsScalar(offset));
}

const Known<uint64_t>& Hal::Scalar(std::string_view field) const {
  const HalField* named = HalLayout::Get().Named(field);
  return named == nullptr ? Missing<uint64_t>() : Scalar(named->offset);
}

const Known<bool>& Hal::Capability(uint32_t offset) const {
  return Get(flags_, offset, HalLayout::Get().MayBeFlag(offset));
}

const Known<bool>& Hal::Capability(std::string_view field) const {
  const HalField* named = HalLayout::Get().Named(field);
  return named == nullptr ? Missing<bool>() : Capability(named->offset);
}

const Known<std::string>& Hal::Text(uint32_t offset) const {
  const HalField* field = HalLayout::Get().At(offset);
  return Get(texts_, offset, field != nullptr && field->kind == HalKind::kString);
}

Status Hal::LoadBlob(std::span<const uint8_t> blob, const std::string& source) {
  if (blob.size() != kHalSize) {
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("{}: a HAL table has 0x{:x} bytes, this has 0x{:x}", source,
                                 kHalSize, blob.size()));
  }
  const HalLayout& layout = HalLayout::Get();
  for (const HalField& field : layout.fields()) {
    if (field.kind != HalKind::kScalar && field.kind != HalKind::kValue) continue;
    const auto bytes = blob.subspan(field.offset, field.width);
    scalars_[field.offset].Replace(
        {LoadLittle(bytes, 0, std::min<size_t>(bytes.size(), 8)), source, field.note});
  }
  for (uint32_t offset = 0; offset < kHalSize; ++offset) {
    if (layout.MayBeFlag(offset)) flags_[offset].Replace({(blob[offset] & 1) != 0, source, ""});
  }
  return {};
}

Status Hal::State(const HalField& field, SourcedValue<uint64_t> statement, bool replace) {
  switch (field.kind) {
    case HalKind::kFlag:
      if (statement.value > 1) break;
      Put(flags_[field.offset], {statement.value != 0, statement.source, statement.note}, replace);
      return {};
    case HalKind::kScalar:
    case HalKind::kValue:
      if (field.width < 8 && statement.value >> (8 * field.width) != 0) break;
      Put(scalars_[field.offset], std::move(statement), replace);
      return {};
    case HalKind::kPointer:
    case HalKind::kString:
      break;
  }
  return MakeError(
      ErrorCode::kInvalid,
      fmt::format("{} at 0x{:x} is a {} of {} bytes and cannot hold {}", field.name, field.offset,
                  HalKindName(field.kind), field.width, statement.value));
}

Status Hal::StateText(const HalField& field, SourcedValue<std::string> statement, bool replace) {
  if (field.kind != HalKind::kString) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{} at 0x{:x} is a {} and holds no text", field.name, field.offset,
                                 HalKindName(field.kind)));
  }
  Put(texts_[field.offset], std::move(statement), replace);
  return {};
}

Known<std::vector<uint64_t>> LimitList(const Target& target, std::string_view name) {
  const auto found = target.limits.find(name);
  if (found != target.limits.end()) return found->second;
  return Known<LimitValue>::Unknown(
      fmt::format("no source gives the limit {} of {}", name, target.name));
}

Known<uint64_t> Limit(const Target& target, std::string_view name) {
  const Known<LimitValue> list = LimitList(target, name);
  if (!list.known()) return Known<uint64_t>::Unknown(list.unknown_reason());
  Known<uint64_t> single;
  for (const SourcedValue<LimitValue>& statement : list.statements()) {
    if (statement.value.size() != 1) {
      return Known<uint64_t>::Unknown(fmt::format("the limit {} is a list of values", name));
    }
    single.Add({statement.value.front(), statement.source, statement.note});
  }
  return single;
}

}  // namespace anecheck
