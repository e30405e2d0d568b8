// The shape check of a FlatBuffer against a Schema: every offset, vtable, vector and string that
// the schema reaches lies inside the bytes. It runs before any other access, in every format of
// this project that is a FlatBuffer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/base/result.h"
#include "harness/formats/flatbuffer/schema.h"
#include "harness/formats/format.h"

namespace anecheck::flatbuffer {

// The place of a FlatBuffer in its file.
struct BufferFrame {
  uint64_t base = 0;             // absolute offset of bytes[0]; alignment counts from bytes[0]
  uint32_t start = 0;            // position of the root offset in the bytes; 4 after a size prefix
  bool check_identifier = true;  // the schema's identifier must stand after the root offset
};

// Why a shape was refused. The FlatBuffers library's own verifier also refuses the first group
// (flatbuffers 2.0.8, verifier.h); the second is refused here only.
enum class ShapeCheck : uint8_t {
  kRange,       // an offset, vector or string leaves the bytes
  kAlignment,   // a scalar or offset is not aligned to its size
  kVTable,      // a vtable has an odd size
  kTerminator,  // a string has no zero byte after it
  kRequired,    // a required field is absent
  kIdentifier,  // the file identifier is not the schema's
  kDepth,       // more than 64 nested tables, or more than a million tables
  // Refused here only:
  kFieldOutsideTable,  // the library would read the neighbouring object's bytes
  kTableSize,          // a vtable below 4 bytes, or a table size that leaves the bytes
  kWork,               // objects shared so often that a walk costs a multiple of the file's size
  kUnionShape,         // an unknown union member does not refer to a table
};
bool IsStricterThanLibrary(ShapeCheck check);

struct ShapeError {
  ShapeCheck check = ShapeCheck::kRange;
  Error error;  // has the absolute offset and the path of the field
};

inline constexpr uint32_t kMaxDepth = 64;          // as the library's default
inline constexpr uint32_t kMaxTables = 1'000'000;  // as the library's default

// The first error, or nothing if the shape is sound. Work is bounded by a multiple of bytes.size();
// nothing is allocated unless there is an error. Buffers of 2 GiB and more are refused. Sets
// `*may_overlap` if objects take more bytes than the buffer has, because Decode may then refuse the
// file. It stays false for a sound file that shares nothing.
std::optional<ShapeError> CheckShape(const Schema& schema, ByteSpan bytes,
                                     const BufferFrame& frame = {}, bool* may_overlap = nullptr);
// CheckShape for a root table other than the schema's. It checks no identifier.
std::optional<ShapeError> CheckShapeFromTable(const Schema& schema, int16_t root_table,
                                              ByteSpan bytes, const BufferFrame& frame);

}  // namespace anecheck::flatbuffer
