// The enumerations of the formats, with conversions from number to name and back. All code that
// prints or reads the name of a code uses these functions. Sources: specification 000, tables 23.12
// and 23.13, listing 23.5; facts/enums.json (public guide, appendix C).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace anecheck {

enum class EnumKind : uint8_t {
  kOpClass,          // 79 operation classes, "operation mode" (ZinUnitType)
  kMicroOp,          // 126 micro-operations (ZinIrOpLayerOpCodeType)
  kNonlinearMode,    // 48 modes of the activation unit
  kActivationToken,  // activations in the numbering of the front end
  kElementType,      // numbers of serialized operands: 11 codes (ANECIRDataType)
  kCatalogType,      // the hardware's type numbers, in a container's symbol table
  kTensorFormat,     // the hardware's format codes, in DMA checks (ZinTensorFormat)
  kPooling,
  kReduction,
  kElementwise,
  kScaledElementwise,
  kPaddingMode,
  kSamplingMethod,
  kSamplingGridMode,
  kCoordinateMode,
  kArgMode,
  kSortDirection,
  kTopK,
  kFlatten,
  kDimension,
  kPaddingStyle,
  kNearestRounding,
  kReduceOp,
  kDataLayout,
  kScatterMode,
  kGateActivation,
  kStencilPadding,
  kPixelFormat,
  kRoundingMode,
  kCollectiveReduction,
  kPoolIndices,
  kFirmwareCommand,  // by logger index; firmware_commands.h has the wire ids too
};
inline constexpr size_t kEnumKindCount = 32;

struct EnumEntry {
  uint32_t code = 0;
  std::string_view name;
};

struct EnumTable {
  EnumKind kind = EnumKind::kOpClass;
  std::string_view name;  // "operation_class"
  std::string_view source;
  std::span<const EnumEntry> entries;       // one name per code
  std::span<const EnumEntry> aliases = {};  // other names that EnumCode accepts
};

const EnumTable& GetEnumTable(EnumKind kind);

// Returns the name of `code`, or nothing if the enumeration has no such member.
std::optional<std::string_view> EnumName(EnumKind kind, uint64_t code);
// Returns the name of `code`, or its decimal digits if it has no name.
std::string EnumText(EnumKind kind, uint64_t code);
// Returns the code of a name or alias, or nothing. Case matters.
std::optional<uint32_t> EnumCode(EnumKind kind, std::string_view name);
// Returns the kind whose table has this name, or nothing.
std::optional<EnumKind> FindEnumKind(std::string_view name);

}  // namespace anecheck
