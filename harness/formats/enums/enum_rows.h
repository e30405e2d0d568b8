// The tables that make up EnumTable(), one per kind, defined in the *_rows.cc files.
#pragma once

#include "harness/formats/enums/enums.h"

namespace anecheck::enum_rows {

extern const EnumTable kOpClassTable;
extern const EnumTable kMicroOpTable;
extern const EnumTable kNonlinearModeTable;
extern const EnumTable kActivationTokenTable;
extern const EnumTable kElementTypeTable;
extern const EnumTable kCatalogTypeTable;
extern const EnumTable kTensorFormatTable;
extern const EnumTable kPoolingTable;
extern const EnumTable kReductionTable;
extern const EnumTable kElementwiseTable;
extern const EnumTable kScaledElementwiseTable;
extern const EnumTable kPaddingModeTable;
extern const EnumTable kSamplingMethodTable;
extern const EnumTable kSamplingGridModeTable;
extern const EnumTable kCoordinateModeTable;
extern const EnumTable kArgModeTable;
extern const EnumTable kSortDirectionTable;
extern const EnumTable kTopKTable;
extern const EnumTable kFlattenTable;
extern const EnumTable kDimensionTable;
extern const EnumTable kPaddingStyleTable;
extern const EnumTable kNearestRoundingTable;
extern const EnumTable kReduceOpTable;
extern const EnumTable kDataLayoutTable;
extern const EnumTable kScatterModeTable;
extern const EnumTable kGateActivationTable;
extern const EnumTable kStencilPaddingTable;
extern const EnumTable kPixelFormatTable;
extern const EnumTable kRoundingModeTable;
extern const EnumTable kCollectiveReductionTable;
extern const EnumTable kPoolIndicesTable;
extern const EnumTable kFirmwareCommandTable;

}  // namespace anecheck::enum_rows
