// Binary property lists (bplist00) as an object table in exactly the file's layout, and as a value
// tree. Used by the network description format.
//
// Accepted: objects that lie back to back in the order of the table, from the header to the offset
// table (as Apple's writers and libplist write); booleans, integers of 1 to 16 bytes (the top 8 of
// 16 zero), reals of 4 and 8 bytes, dates of the years 1 to 9999, references (UID) of 1 to 8 bytes,
// ASCII and UTF-16 strings, data, arrays, dictionaries. An object may be referred to several times,
// as plistlib does for equal containers. The tree then has a copy for each reference; all values
// together may have at most 16 times the size of the file. Everything else is an Error.
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

// References of an array, or of a dictionary: its keys, then its values.
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
  // The number of bytes of the separate integer with the element count; 0 if the marker has the
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
// Reads only the table. Accepts the same files as ParseBinary, because it checks the tree without
// building it.
Result<BinaryTable> ParseBinaryTable(std::span<const uint8_t> bytes);

// WriteBinary(ParseBinary(bytes).table) == bytes. An Error if a width is too small for its value,
// or if a reference points outside the table.
Result<std::vector<uint8_t>> WriteBinary(const BinaryTable& table);

// The table that libplist would write: objects are in pre-order, equal scalars share an object, and
// widths are the smallest.
BinaryTable TableFromValue(const tree::Value& root);

struct ObjectWidths {
  uint8_t width = 0;
  uint8_t count_width = 0;
};
// The smallest widths that fit an object's value.
ObjectWidths SmallestWidths(const BinaryObject& object);

// Raises each width of objects, references and offsets that is too small for its value to the
// smallest width that fits.
void FitWidths(BinaryTable& table);

// Whether TableFromValue returns this table for the table's own tree. Precondition: ParseBinary
// read it.
bool IsCanonical(const BinaryTable& table);

}  // namespace anecheck::plist
