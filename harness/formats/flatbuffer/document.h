// A FlatBuffer taken apart into its objects. Each object keeps its place in the file, so that the
// layout of any writer is reproduced byte for byte, and an edit moves only the objects that must
// move. Used by the e5 and vmfb formats for rewriting and for their JSON form.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/bytekinds/byte_kinds.h"
#include "harness/formats/flatbuffer/schema.h"
#include "harness/formats/flatbuffer/shape.h"
#include "harness/formats/format.h"

namespace anecheck::flatbuffer {

// An object that has no place in the file yet; the writer appends it.
inline constexpr uint32_t kUnplaced = UINT32_MAX;
inline constexpr uint32_t kNoObject = UINT32_MAX;
// The largest file that a JSON form may describe.
inline constexpr uint64_t kMaxWrittenSize = uint64_t{1} << 28;

enum class ObjectKind : uint8_t {
  kTable,       // `first`, `count` in slots; `vtable` is an object
  kVTable,      // `first`, `count` in words: the table size, then one field offset per field id
  kString,      // `first`, `count` in data, without the terminator
  kBytes,       // scalars or structs: `count` elements of `width` bytes at `first` in data
  kReferences,  // `first`, `count` in references
  kNested,      // `first` in nested
};

struct Object {
  uint32_t at = kUnplaced;  // position in the file of the table, vtable or length word
  ObjectKind kind = ObjectKind::kTable;
  bool overlaps = false;  // shares bytes with the object before it, in the file it came from
  int16_t type = -1;      // table or struct index; -1 for a table of unknown type
  uint16_t width = 0;     // bytes of one element of kBytes
  uint32_t vtable = kNoObject;
  uint32_t first = 0;
  uint32_t count = 0;
};

// A present field of a table.
struct Slot {
  uint64_t value = 0;  // scalar bits, or an object
  uint16_t id = 0;     // FlatBuffers field id
  uint16_t at = 0;     // offset inside the table
  uint8_t width = 0;
  bool is_reference = false;
};

// Bytes at a place that no object covers: unknown fields, or regions that the caller understands
// (ZIP records) and patches after writing.
struct RawBytes {
  uint32_t at = 0;
  bool overlaps = false;  // inside an object, so it must not move other objects
  Bytes bytes;
};

struct Document {
  uint32_t start = 0;            // position of the root offset
  std::string identifier;        // four bytes after the root offset, or empty
  bool has_size_prefix = false;  // a length word stands before the root offset
  bool header_overlaps = false;  // the root offset shares bytes with something before it
  uint32_t size_prefix = 0;
  uint32_t size = 0;  // the size of the whole file
  // The place at which the writer puts unplaced objects; kUnplaced means at the end of the file.
  uint32_t append_at = kUnplaced;
  // Objects that must move are moved by a multiple of this number of bytes, which keeps their
  // alignment.
  uint32_t shift_unit = 16;
  uint32_t root = kNoObject;
  std::vector<Object> objects;
  std::vector<Slot> slots;
  std::vector<uint16_t> words;
  std::vector<uint32_t> references;
  Bytes data;
  std::vector<Document> nested;
  std::vector<RawBytes> raw;

  std::span<const Slot> SlotsOf(const Object& table) const {
    return std::span(slots).subspan(table.first, table.count);
  }
  std::span<const uint16_t> WordsOf(const Object& vtable) const {
    return std::span(words).subspan(vtable.first, vtable.count);
  }
  std::span<const uint32_t> ReferencesOf(const Object& vector) const {
    return std::span(references).subspan(vector.first, vector.count);
  }
  // The content of a kString or kBytes.
  ByteSpan DataOf(const Object& object) const;
  // Bytes that the object takes in the file, its length word included.
  uint64_t SizeOf(const Object& object) const;
  const Slot* FindSlot(const Object& table, uint16_t id) const;
};

// A byte range [begin, end) of the file that the caller describes itself.
struct ClaimedRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool overlaps = false;  // set by Decode: shares bytes with something before it
};

// Decodes `file` into objects. The FlatBuffer starts at `frame.start` in file[0, buffer_end);
// positions in the Document count from file[0]. Non-zero bytes that neither an object nor `claimed`
// covers become `raw`. Errors: those of CheckShape. Precondition: claimed ranges lie inside the
// file.
Result<Document> Decode(const Schema& schema, ByteSpan file, uint32_t buffer_end,
                        const BufferFrame& frame, int16_t root_table,
                        std::span<ClaimedRange> claimed = {});
// Like Decode, for a buffer that CheckShape has accepted.
Result<Document> DecodeSound(const Schema& schema, ByteSpan file, const BufferFrame& frame,
                             int16_t root_table, std::span<ClaimedRange> claimed);

// Claims the Document's objects and headers as typed, and its raw bytes as opaque. `base` is the
// offset of the Document's position 0 in the map's file.
void ClaimDocument(const Document& document, uint64_t base, ByteKindMap* map);

// Maps places in the original file to places in the written one.
class Relocation {
 public:
  // The place in the written file. Bytes between two objects move with the object before them.
  uint32_t NewPlace(uint32_t old_place) const;

  struct Step {
    uint32_t from = 0;
    uint32_t shift = 0;
  };
  std::vector<Step> steps;  // ascending by `from`
};

// Writes the objects. An object keeps its place unless an object before it grew into that place. In
// that case the object and all objects after it move by a multiple of `shift_unit` bytes, which
// keeps their alignment. Unplaced objects are appended. Errors: kInvalid if an offset would have to
// point backwards, kLimit above kMaxWrittenSize.
Result<Bytes> Encode(const Document& document, Relocation* relocation = nullptr);

}  // namespace anecheck::flatbuffer
