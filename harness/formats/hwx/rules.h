// The rules of a hardware container by index, in the order of the table in rules.cc.
#pragma once

#include <span>

#include "harness/formats/format.h"

namespace anecheck::hwx {

enum RuleIndex : size_t {
  kHeaderCputype,
  kHeaderCpusubtype,
  kHeaderFiletype,
  kHeaderFlags,
  kHeaderSizeofcmds,
  kCommandAligned,
  kCommandShape,
  kCommandTrailing,
  kCommandKnown,
  kNoteKnown,
  kOneSymtab,
  kOneBuildInfo,
  kApertureTable,
  kSegmentPage,
  kSegmentsDisjoint,
  kSegmentFileInMemory,
  kSectionInsideSegment,
  kSectionFileOffset,
  kSectionSegname,
  kSectionAligned,
  kSectionsDisjoint,
  kSectionKindKnown,
  kSectionRelocationFlag,
  kWindowWithoutFile,
  kWindowPort,
  kPortWindow,
  kPortNameUnique,
  kPortKinds,
  kPortForm,
  kApertureText,
  kApertureConst,
  kApertureIo,
  kTaskCount,
  kFirstTaskWords,
  kLaterAperture,
  kTensorPort,
  kTensorDirection,
  kTensorStab,
  kTensorElement,
  kTensorFitsWindow,
  kSymbolType,
  kSymbolSection,
  kSymbolInSection,
  kStabShape,
  kStabDesc,
  kCatalogOrder,
  kTileAligned,
  kTileLanes,
  kTileDesc,
  kRelocationInside,
  kRelocationKind,
  kRelocationRegister,
  kRelocationTile,
  kTextSectionPresent,
  kTextDecodes,
  kBannerFormat,
  kBannerTarget,
  kBannerPaths,
  kUnclaimedBytes,
  kOwnRules,  // the rules of task descriptors follow
};

std::span<const Rule> Rules();

}  // namespace anecheck::hwx
