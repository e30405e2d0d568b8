// Binary property lists (bplist00), as an object table with the exact layout of the file, and as a
// value tree. Used by the network description format.
//
// Accepted: objects without gaps in the order of the table, from the header to the offset table (as
// Apple's writers and libplist write); booleans, integers of 1 to 16 bytes (the top 8 of 16 zero),
// reals of 4 and 8 bytes, dates of the years 1 to 9999, references (UID) of 1 to 8 bytes, ASCII and
// UTF-16 strings, data, arrays, dictionaries. Several references may refer to the same object, as
// in files of plistlib with equal containers. Then the tree has a copy for each reference. All
// values together may have at most 16 times the size of the file. Everything else is an Error.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/tree/value.h"

namespace anecheck::plist {

// The references of an array, or those of a dictionary: first the keys, then the values.
struct BinaryContainer {
  bool is_dict = false;
  std::vector<uint32_t> keys;
  std::vector<uint32_t> items;
  friend bool operator==(const BinaryContainer&, const BinaryContainer&) = default;
};

struct BinaryObject {
  // Scalars as in tree::Value; strings in UTF-8.
  std::variant<bool, int64_t, uint64_t, double, std::string, tree::Data, tree::Date, tree::Uid,
               BinaryContainer>
      payload;
  // The number of bytes of an integer (1, 2, 4, 8, 16), of a real (4, 8), of a date (8), of a
  // reference (1 to 8) or of a code unit of a string (1, 2).
  uint8_t width = 0;
  // The number of bytes of the separate integer with the element count, or 0 if the marker has the
  // count.
  uint8_t count_width = 0;
  friend bool operator==(const BinaryObject&, const BinaryObject&) = default;
};

struct BinaryTable {
  std::vector<BinaryObject> objects;
  uint64_t root = 0;
  uint8_t offset_size = 1;  // bytes of an entry of the offset table
  uint8_t reference_size = 1;
  uint8_t sort_version = 0;
  std::array<uint8_t, 5> unused = {};
  friend bool operator==(const BinaryTable&, const BinaryTable&) = default;
};

struct BinaryDocument {
  BinaryTable table;
  tree::Value root;
};

Result<BinaryDocument> ParseBinary(std::span<const uint8_t> bytes);
// Reads only the table. Checks the tree but does not build it. Accepts the same files as
// ParseBinary.
Result<BinaryTable> ParseBinaryTable(std::span<const uint8_t> bytes);

// Returns the bytes of the file. WriteBinary(ParseBinary(bytes).table) == bytes. Returns an Error
// if a width is too small for its value, or if a reference points outside the table.
Result<std::vector<uint8_t>> WriteBinary(const BinaryTable& table);

// Returns the table that libplist would write. Objects are in pre-order, equal scalars share an
// object, and widths are minimal.
BinaryTable TableFromValue(const tree::Value& root);

struct ObjectWidths {
  uint8_t width = 0;
  uint8_t count_width = 0;
};
// Returns the smallest widths that fit an object's value.
ObjectWidths SmallestWidths(const BinaryObject& object);

// Increases each width of objects, references and offsets that is too small for its value. The new
// width is the smallest that fits.
void FitWidths(BinaryTable& table);

// Returns whether TableFromValue returns this table for the table's own tree. Precondition:
// ParseBinary returned the table.
bool IsCanonical(const BinaryTable& table);

}  // namespace anecheck::plist
