// A FlatBuffer decoded into its objects. Each object keeps its position in the file. So Encode
// reproduces the layout of any writer byte for byte, and an edit moves only the objects that must
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

// The position of an object that is not in the file yet. The writer appends it.
inline constexpr uint32_t kUnplaced = UINT32_MAX;
inline constexpr uint32_t kNoObject = UINT32_MAX;
// The maximum size of a file that a JSON form may describe.
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
  bool overlaps = false;  // in the original file it shares bytes with an object before it
  int16_t type = -1;      // table or struct index; -1 for a table of unknown type
  uint16_t width = 0;     // for kBytes: bytes of one element
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

// Bytes that no object covers. They are unknown fields, or regions that the caller understands (ZIP
// records) and patches after writing.
struct RawBytes {
  uint32_t at = 0;
  bool overlaps = false;  // inside an object, so they must not move other objects
  Bytes bytes;
};

struct Document {
  uint32_t start = 0;            // position of the root offset
  std::string identifier;        // four bytes after the root offset, or empty
  bool has_size_prefix = false;  // a length word precedes the root offset
  bool header_overlaps = false;  // the header shares bytes with an object or range before it
  uint32_t size_prefix = 0;
  uint32_t size = 0;  // the size of the whole file
  // The position at which the writer puts unplaced objects. kUnplaced means the end of the file.
  uint32_t append_at = kUnplaced;
  // The writer moves objects by a multiple of this number of bytes, which keeps their alignment.
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
  // Returns the content of a kString or kBytes.
  ByteSpan DataOf(const Object& object) const;
  // Returns the size of the object in the file, including its length word.
  uint64_t SizeOf(const Object& object) const;
  const Slot* FindSlot(const Object& table, uint16_t id) const;
};

// A byte range [begin, end) of the file that the caller decodes itself.
struct ClaimedRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool overlaps = false;  // set by Decode: shares bytes with an object or range before it
};

// Decodes `file` into objects. The root offset of the FlatBuffer is at `frame.start` in file[0,
// buffer_end). Positions in the Document count from file[0]. Other non-zero bytes than those of
// objects and claimed ranges become `raw`. Errors: those of CheckShape. Precondition: claimed
// ranges are inside the file.
Result<Document> Decode(const Schema& schema, ByteSpan file, uint32_t buffer_end,
                        const BufferFrame& frame, int16_t root_table,
                        std::span<ClaimedRange> claimed = {});
// Like Decode, for a buffer that CheckShape has accepted.
Result<Document> DecodeSound(const Schema& schema, ByteSpan file, const BufferFrame& frame,
                             int16_t root_table, std::span<ClaimedRange> claimed);

// Claims the Document's objects and header as typed, and its raw bytes as opaque. `base` is the
// offset of the Document's position 0 in the file of `map`.
void ClaimDocument(const Document& document, uint64_t base, ByteKindMap* map);

// Maps positions in the original file to positions in the written file.
class Relocation {
 public:
  // Returns the new position. Bytes between two objects move with the object before them.
  uint32_t NewPlace(uint32_t old_place) const;

  struct Step {
    uint32_t from = 0;
    uint32_t shift = 0;
  };
  std::vector<Step> steps;  // ascending by `from`
};

// Writes the objects. An object keeps its position unless an object before it has grown into that
// position. In that case the object and all objects after it move by a multiple of `shift_unit`
// bytes, which keeps their alignment. Unplaced objects go to `append_at`. Errors: kInvalid if an
// offset would have to point backwards, kLimit above kMaxWrittenSize.
Result<Bytes> Encode(const Document& document, Relocation* relocation = nullptr);

}  // namespace anecheck::flatbuffer
