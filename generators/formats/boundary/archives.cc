// Places of ZIP archives and the NumPy headers in them, of binary property lists (CoreFoundation,
// CFBinaryPList.c), and of FlatBuffers (the format's internals, flatbuffers.dev). The places of ZIP
// records are derived from the record descriptions of the format.
#include <algorithm>
#include <array>
#include <deque>
#include <fmt/format.h>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "generators/formats/boundary/places.h"
#include "harness/base/little_endian.h"
#include "harness/formats/npz/zip.h"

namespace anecheck::boundary {
namespace {

constexpr uint32_t kMostMembers = 16;
constexpr uint32_t kArrayWord = 0x4d554e93;  // the first bytes of the header of an array: 93 N U M

// Fields that are not places, because no reader computes with them.
constexpr std::string_view kUncomputed[] = {
    "version_needed",      "time",          "date", "internal_attributes",
    "external_attributes", "directory_disk"};

// A part of a record. It has consecutive fields, and the offset of the first field.
struct Part {
  uint32_t begin = 0;
  std::span<const RecordField> fields;
};

// The places of a record of an archive, derived from the format's description of the record.
class RecordPlaces {
 public:
  // `name_at` is 0 if no name follows the record.
  RecordPlaces(std::string_view record, std::initializer_list<Part> parts, uint32_t name_at) {
    for (const Part& part : parts) {
      for (const RecordField& field : part.fields) {
        if (std::ranges::find(kUncomputed, field.name) != std::end(kUncomputed)) continue;
        const bool counts_entries = field.name.starts_with("entries");
        fields_.push_back({Name(record, field.name), part.begin + field.offset, field.width,
                           Role::kNumber, counts_entries ? npz::kDirectoryEntrySize : 1});
      }
    }
    if (name_at != 0) fields_.push_back({Name(record, "name"), name_at, 4, Role::kName});
  }
  RecordPlaces(const RecordPlaces&) = delete;
  RecordPlaces& operator=(const RecordPlaces&) = delete;

  const std::vector<Field>& fields() const { return fields_; }

 private:
  std::string_view Name(std::string_view record, std::string_view field) {
    return names_.emplace_back(fmt::format("{}.{}", record, field));
  }

  std::deque<std::string> names_;  // the fields point into these strings
  std::vector<Field> fields_;
};

const std::vector<Field>& LocalFields() {
  static const RecordPlaces places("local", {{npz::kSignatureSize, npz::kSharedRecord.Fields()}},
                                   npz::kLocalSize);
  return places.fields();
}

const std::vector<Field>& CentralFields() {
  static const RecordPlaces places("central",
                                   {{npz::kSharedInEntry, npz::kSharedRecord.Fields()},
                                    {npz::kOwnInEntry, npz::kEntryRecord.Fields()}},
                                   npz::kDirectoryEntrySize);
  return places.fields();
}

const std::vector<Field>& EndFields() {
  static const RecordPlaces places("end", {{npz::kSignatureSize, npz::kEndRecord.Fields()}}, 0);
  return places.fields();
}

constexpr auto kArrayFields = std::to_array<Field>(
    {{"array.major version", 6, 1}, {"array.minor version", 7, 1}, {"array.header length", 8, 2}});

constexpr auto kTrailerFields = std::to_array<Field>({{"trailer.offset size", 6, 1},
                                                      {"trailer.reference size", 7, 1},
                                                      {"trailer.objects", 8, 8, Role::kNumber, 1},
                                                      {"trailer.top object", 16, 8},
                                                      {"trailer.offset table", 24, 8}});

// Calls see(at) for the first `most` offsets at which the file contains `word`.
template <typename See>
void ForEach(ByteSpan file, uint32_t word, uint32_t most, const See& see) {
  for (size_t at = 0; at + 4 <= file.size() && most > 0; ++at) {
    if (LoadU32(file.data() + at) != word) continue;
    see(at);
    --most;
  }
}

bool IsPrintable(uint8_t byte) { return byte >= 0x20 && byte < 0x7f; }

// Adds the places of a NumPy header, including those of its text from the opening brace on.
void AddArrayHeader(ByteSpan file, size_t at, std::vector<Place>& places) {
  AddRecord(kArrayFields, at, file, places);
  size_t begin = at + 10;
  while (begin < file.size() && begin < at + 14 && file[begin] != '{') ++begin;
  size_t end = begin;
  while (end < file.size() && end - begin < 512 && IsPrintable(file[end])) ++end;
  std::vector<Place> texts;
  WalkText(file.subspan(begin, end - begin), texts);
  const bool padded = end < file.size() && file[end] == '\n' && file[end - 1] == ' ';
  for (Place place : texts) {
    place.offset += static_cast<uint32_t>(begin);
    place.padding_end = padded ? static_cast<uint32_t>(end) : 0;
    places.push_back(place);
  }
}

void MakeBigEndian(std::vector<Place>& places, size_t first) {
  for (size_t i = first; i < places.size(); ++i) places[i].big_endian = true;
}

}  // namespace

void WalkZip(ByteSpan file, std::vector<Place>& places) {
  const auto add = [&](const auto& fields) {
    return [&places, file, &fields](size_t at) { AddRecord(fields, at, file, places); };
  };
  ForEach(file, npz::kLocalSignature, kMostMembers, add(LocalFields()));
  ForEach(file, npz::kDirectorySignature, kMostMembers, add(CentralFields()));
  ForEach(file, npz::kEndSignature, 1, add(EndFields()));
  ForEach(file, kArrayWord, kMostMembers, [&](size_t at) { AddArrayHeader(file, at, places); });
}

void WalkBinaryPlist(ByteSpan file, std::vector<Place>& places) {
  constexpr size_t kTrailer = 32, kHeader = 8;
  if (file.size() < kHeader + kTrailer) return;
  const size_t first = places.size();
  AddRecord(kTrailerFields, file.size() - kTrailer, file, places);
  // Every byte of a small file is a place, because markers, counts, references and the offset table
  // may have any width.
  const size_t end = file.size() - kTrailer;
  const size_t step = std::max<size_t>(1, end / (kMostPlaces / 4));
  for (size_t at = kHeader; at < end; at += step) {
    places.push_back({.offset = static_cast<uint32_t>(at), .width = 1, .name = "object byte"});
    if (end - at >= 4 && at % 2 == 0) {
      places.push_back({.offset = static_cast<uint32_t>(at), .width = 4, .name = "object word"});
    }
  }
  MakeBigEndian(places, first);
}

// Finds places without the schema. A 32-bit integer that is not too large for the file may be an
// offset or a length. A small 16-bit integer may be a field of a vtable.
void WalkFlatBuffer(ByteSpan file, std::vector<Place>& places) {
  WalkWords(file, places);
  // Fields of vtables.
  const size_t most = std::min<size_t>(file.size(), 4096);
  for (size_t at = 4; at + 2 <= most; at += 2) {
    const uint32_t value = file[at] | uint32_t{file[at + 1]} << 8;
    if (value == 0 || value >= 256) continue;
    places.push_back({.offset = static_cast<uint32_t>(at), .width = 2, .name = "half word"});
  }
}

}  // namespace anecheck::boundary
