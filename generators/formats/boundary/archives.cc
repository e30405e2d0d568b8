// Places of ZIP archives (PKWARE APPNOTE 6.3.9, sections 4.3.7, 4.3.12, 4.3.16) with the headers of
// NumPy arrays in them, of binary property lists (CoreFoundation, CFBinaryPList.c), and of
// FlatBuffers (the format's internals, flatbuffers.dev).
#include <algorithm>
#include <array>
#include <cstring>

#include "generators/formats/boundary/places.h"

namespace anecheck::boundary {
namespace {

constexpr uint32_t kMostMembers = 16;

constexpr auto kLocalFields = std::to_array<Field>({{"local.flags", 6, 2},
                                                    {"local.method", 8, 2},
                                                    {"local.crc32", 14},
                                                    {"local.compressed size", 18},
                                                    {"local.size", 22},
                                                    {"local.name length", 26, 2},
                                                    {"local.extra length", 28, 2},
                                                    {"local.name", 30, 4, Role::kName}});
constexpr auto kCentralFields = std::to_array<Field>({{"central.flags", 8, 2},
                                                      {"central.method", 10, 2},
                                                      {"central.crc32", 16},
                                                      {"central.compressed size", 20},
                                                      {"central.size", 24},
                                                      {"central.name length", 28, 2},
                                                      {"central.extra length", 30, 2},
                                                      {"central.comment length", 32, 2},
                                                      {"central.disk", 34, 2},
                                                      {"central.local offset", 42},
                                                      {"central.name", 46, 4, Role::kName}});
constexpr auto kEndFields = std::to_array<Field>({{"end.disk", 4, 2},
                                                  {"end.entries on disk", 8, 2, Role::kNumber, 46},
                                                  {"end.entries", 10, 2, Role::kNumber, 46},
                                                  {"end.directory size", 12},
                                                  {"end.directory offset", 16},
                                                  {"end.comment length", 20, 2}});
constexpr auto kArrayFields = std::to_array<Field>(
    {{"array.major version", 6, 1}, {"array.minor version", 7, 1}, {"array.header length", 8, 2}});

constexpr auto kTrailerFields = std::to_array<Field>({{"trailer.offset size", 6, 1},
                                                      {"trailer.reference size", 7, 1},
                                                      {"trailer.objects", 8, 8, Role::kNumber, 1},
                                                      {"trailer.top object", 16, 8},
                                                      {"trailer.offset table", 24, 8}});

// Calls see(at) for each offset of the four bytes.
template <typename See>
void ForEach(ByteSpan file, const char (&word)[5], uint32_t most, const See& see) {
  for (size_t at = 0; at + 4 <= file.size() && most > 0; ++at) {
    if (std::memcmp(file.data() + at, word, 4) != 0) continue;
    see(at);
    --most;
  }
}

bool IsPrintable(uint8_t byte) { return byte >= 0x20 && byte < 0x7f; }

// The text of a NumPy header, from its opening brace on.
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
  ForEach(file, "PK\x03\x04", kMostMembers, add(kLocalFields));
  ForEach(file, "PK\x01\x02", kMostMembers, add(kCentralFields));
  ForEach(file, "PK\x05\x06", 1, add(kEndFields));
  ForEach(file, "\x93NUM", kMostMembers, [&](size_t at) { AddArrayHeader(file, at, places); });
}

void WalkBinaryPlist(ByteSpan file, std::vector<Place>& places) {
  constexpr size_t kTrailer = 32, kHeader = 8;
  if (file.size() < kHeader + kTrailer) return;
  const size_t first = places.size();
  AddRecord(kTrailerFields, file.size() - kTrailer, file, places);
  // Every byte of small files is a place, since markers, counts, references and the offset table
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
