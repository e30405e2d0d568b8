// Mutations of the bytes of fixed-layout formats. They patch little-endian fields, change the
// length of the file, or move, repeat or cut a run of bytes. The generators choose the parameters
// of a mutation, and the functions of this file apply it.
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

// Parameters: the offset, width and value of each patch, in order.
Mutation MakePatch(std::string_view kind, std::initializer_list<FieldPatch> patches);
// Fails if the width of a patch is not 1 to 8, if its value does not fit into that width, or if it
// reaches past the end of `bytes`.
Result<Bytes> ApplyPatch(ByteSpan bytes, const Mutation& mutation);

// Parameters: the new size and the byte that fills the added part.
Mutation MakeResize(std::string_view kind, uint64_t size, uint8_t fill = 0);
// Fails if the new size is larger than twice the old one plus 4096.
Result<Bytes> ApplyResize(ByteSpan bytes, const Mutation& mutation);

// Parameters: the offset and size of a run of bytes, and its new offset after its removal.
Mutation MakeMove(std::string_view kind, uint64_t offset, uint64_t size, uint64_t to);
Result<Bytes> ApplyMove(ByteSpan bytes, const Mutation& mutation);

// Parameters: the offset and size of a run of bytes that is repeated once, right after itself.
Mutation MakeRepeat(std::string_view kind, uint64_t offset, uint64_t size);
Result<Bytes> ApplyRepeat(ByteSpan bytes, const Mutation& mutation);

// Parameters: the offset and size of a run of bytes that is cut out.
Mutation MakeCut(std::string_view kind, uint64_t offset, uint64_t size);
Result<Bytes> ApplyCut(ByteSpan bytes, const Mutation& mutation);

}  // namespace anecheck
