#include "harness/formats/enums/enums.h"

#include <array>
#include <fmt/format.h>

#include "harness/formats/enums/enum_rows.h"

namespace anecheck {
namespace {

using namespace enum_rows;  // NOLINT(google-build-using-namespace): one name a line below

constexpr std::array<const EnumTable*, kEnumKindCount> kTables = {
    &kOpClassTable,         &kMicroOpTable,           &kNonlinearModeTable,
    &kActivationTokenTable, &kElementTypeTable,       &kCatalogTypeTable,
    &kTensorFormatTable,    &kPoolingTable,           &kReductionTable,
    &kElementwiseTable,     &kScaledElementwiseTable, &kPaddingModeTable,
    &kSamplingMethodTable,  &kSamplingGridModeTable,  &kCoordinateModeTable,
    &kArgModeTable,         &kSortDirectionTable,     &kTopKTable,
    &kFlattenTable,         &kDimensionTable,         &kPaddingStyleTable,
    &kNearestRoundingTable, &kReduceOpTable,          &kDataLayoutTable,
    &kScatterModeTable,     &kGateActivationTable,    &kStencilPaddingTable,
    &kPixelFormatTable,     &kRoundingModeTable,      &kCollectiveReductionTable,
    &kPoolIndicesTable,     &kFirmwareCommandTable,
};

}  // namespace

const EnumTable& GetEnumTable(EnumKind kind) { return *kTables[static_cast<size_t>(kind)]; }

std::optional<std::string_view> EnumName(EnumKind kind, uint64_t code) {
  for (const EnumEntry& entry : GetEnumTable(kind).entries) {
    if (entry.code == code) return entry.name;
  }
  return std::nullopt;
}

std::string EnumText(EnumKind kind, uint64_t code) {
  const std::optional<std::string_view> name = EnumName(kind, code);
  return name ? std::string(*name) : fmt::format("{}", code);
}

std::optional<uint32_t> EnumCode(EnumKind kind, std::string_view name) {
  const EnumTable& table = GetEnumTable(kind);
  for (const EnumEntry& entry : table.entries) {
    if (entry.name == name) return entry.code;
  }
  for (const EnumEntry& entry : table.aliases) {
    if (entry.name == name) return entry.code;
  }
  return std::nullopt;
}

std::optional<EnumKind> FindEnumKind(std::string_view name) {
  for (const EnumTable* table : kTables) {
    if (table->name == name) return table->kind;
  }
  return std::nullopt;
}

}  // namespace anecheck
