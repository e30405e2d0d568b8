// The two ways in which structure-aware mutations of fixed-layout formats change bytes: patches of
// little-endian fields and a new length. The generators choose the patches and lengths; the
// functions here apply them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

struct FieldPatch {
  uint64_t offset = 0;
  uint64_t width = 1;  // bytes, 1 to 8
  uint64_t value = 0;
};

// Parameters: offset, width, value of each patch in turn.
Mutation MakePatch(std::string_view kind, std::initializer_list<FieldPatch> patches);
// Fails if the width of a patch is not 1 to 8, if its value does not fit into that width, or if it
// reaches past the end of `bytes`.
Result<Bytes> ApplyPatch(ByteSpan bytes, const Mutation& mutation);

// Parameters: the new size and the byte that fills the added part.
Mutation MakeResize(std::string_view kind, uint64_t size, uint8_t fill = 0);
// Fails if the new size is larger than twice the old one plus 4096.
Result<Bytes> ApplyResize(ByteSpan bytes, const Mutation& mutation);

// Parameters: the offset and size of a run of bytes, and its new place, counted after its removal.
Mutation MakeMove(std::string_view kind, uint64_t offset, uint64_t size, uint64_t to);
Result<Bytes> ApplyMove(ByteSpan bytes, const Mutation& mutation);

// Parameters: the offset and size of a run of bytes that is repeated once, right after itself.
Mutation MakeRepeat(std::string_view kind, uint64_t offset, uint64_t size);
Result<Bytes> ApplyRepeat(ByteSpan bytes, const Mutation& mutation);

// Parameters: the offset and size of a run of bytes that is cut out.
Mutation MakeCut(std::string_view kind, uint64_t offset, uint64_t size);
Result<Bytes> ApplyCut(ByteSpan bytes, const Mutation& mutation);

}  // namespace anecheck
