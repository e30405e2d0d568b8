// The walkers that find the places of a format. Internal to the boundary mutations.
#pragma once

#include <vector>

#include "generators/formats/boundary/boundary.h"

namespace anecheck::boundary {

// A walker appends places in any order. All places lie inside of `file`, whatever its bytes are.
using Walker = void (*)(ByteSpan file, std::vector<Place>& places);

void WalkHardwareContainer(ByteSpan file, std::vector<Place>& places);
void WalkZip(ByteSpan file, std::vector<Place>& places);
void WalkBinaryPlist(ByteSpan file, std::vector<Place>& places);
void WalkFlatBuffer(ByteSpan file, std::vector<Place>& places);

// These two walkers guess places. WalkText takes the numbers, quotations and brackets of a text.
// WalkWords takes the integers of a binary file that may be counts, sizes or offsets.
void WalkText(ByteSpan file, std::vector<Place>& places);
void WalkWords(ByteSpan file, std::vector<Place>& places);

// A field of a record, by its position in the record. The tables of the walkers list such fields.
struct Field {
  std::string_view name;
  uint32_t offset = 0;  // from the record's start
  uint32_t width = 4;
  Role role = Role::kNumber;
  uint32_t unit = 1;
};

// Appends those fields of the record at `at` that lie inside of `file`.
template <typename Fields>
void AddRecord(const Fields& fields, uint64_t at, ByteSpan file, std::vector<Place>& places) {
  for (const Field& field : fields) {
    const uint64_t offset = at + field.offset;
    if (offset > file.size() || file.size() - offset < field.width) continue;
    places.push_back({.role = field.role,
                      .offset = static_cast<uint32_t>(offset),
                      .width = field.width,
                      .unit = field.unit,
                      .name = field.name});
  }
}

}  // namespace anecheck::boundary
