// A boundary mutation sets one value of a file to an edge and changes nothing else. An edge is a
// limit of arithmetic, of memory or of a table. Three tables define the mutations: the places of
// each format (places.cc), the edges of numbers (number_edges.cc) and the edges of texts
// (text_edges.cc). Used by the structured mutator and by `anecheck fuzz`, which goes through every
// place and edge of its seeds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/formats/format.h"

namespace anecheck::boundary {

enum class Role : uint8_t {
  kNumber,   // an integer of 1, 2, 4 or 8 bytes
  kName,     // text in a field of fixed width, or text and its zero byte
  kDigits,   // a number as text
  kQuoted,   // text between quotation marks or tags, without these
  kOpener,   // a bracket or tag that opens something
  kElement,  // a value between two tags, with these
  kEnd,      // the last byte of the file
};

// A field with which a parser computes.
struct Place {
  Role role = Role::kNumber;
  uint32_t offset = 0;  // from the beginning of the file
  uint32_t width = 0;   // bytes
  bool big_endian = false;
  // Bytes of one record if the number counts records, else 1.
  uint32_t unit = 1;
  std::string_view name;  // of the field, "section.offset"; static storage
  // For a number, the offset of the same field in the record before and in the record behind. If
  // there is no such record, the offset of the place itself.
  uint32_t in_record_before = 0;
  uint32_t in_record_behind = 0;
  // For a text, the end of a run of spaces that compensates for a longer or shorter text, or 0.
  uint32_t padding_end = 0;
};

// Returns at most kMostPlaces places, spread over the file, in file order. If no walker knows the
// format, guesses places. In a binary file these are integers that may be counts, sizes or offsets,
// and in a text its numbers, quotations and brackets. Accepts any bytes.
inline constexpr size_t kMostPlaces = 4096;
std::vector<Place> PlacesOf(std::string_view format, ByteSpan file);

// Returns the number of edges of a place. Edges are numbered from 0.
size_t EdgeCount(Role role);

// Returns the file with edge `edge` written at `place`. Returns the unchanged file if the value is
// wider than the field, if the field already has this value, or if the result would be larger than
// `max_size`. Precondition: `place` is a place of `file`.
Bytes ApplyEdge(ByteSpan file, const Place& place, size_t edge, size_t max_size);

// Returns a text for people, for example "section.offset at 0x48: 2^32 - old".
std::string EdgeText(const Place& place, size_t edge);

}  // namespace anecheck::boundary
