#include "generators/formats/boundary/places.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

namespace anecheck::boundary {
namespace {

struct FormatWalker {
  std::string_view format;
  std::string_view magic;  // the first bytes of the files that the walker reads; empty: all files
  Walker walk;
};

// The first entry that matches a file is used. If none matches, WalkText or WalkWords is used.
constexpr auto kWalkers = std::to_array<FormatWalker>({
    {"hwx", "\xce\xfa\xef\xbe", WalkHardwareContainer},
    {"npz", "PK", WalkZip},
    {"vmfb", "PK", WalkZip},
    {"vmfb", "", WalkFlatBuffer},
    {"e5", "", WalkFlatBuffer},
    {"netlist", "bplist", WalkBinaryPlist},
});

bool StartsWith(ByteSpan file, std::string_view magic) {
  return file.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), file.begin(),
                    [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; });
}

// Whether nearly all bytes at the beginning of the file are printable.
bool IsText(ByteSpan file) {
  constexpr size_t kLooked = 512;
  const ByteSpan head = file.first(std::min(file.size(), kLooked));
  const auto odd = std::ranges::count_if(head, [](uint8_t byte) {
    return byte == 0 || (byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r');
  });
  return !head.empty() && static_cast<size_t>(odd) * 16 < head.size();
}

// Links each place to the preceding and the following place of the same name and width. These are
// the same field of the neighbouring records.
void LinkRecords(std::vector<Place>& places) {
  std::map<std::pair<std::string_view, uint32_t>, Place*> last;
  for (Place& place : places) {
    place.in_record_before = place.in_record_behind = place.offset;
    Place*& before = last[{place.name, place.width}];
    if (before != nullptr) {
      place.in_record_before = before->offset;
      before->in_record_behind = place.offset;
    }
    before = &place;
  }
}

Walker WalkerOf(std::string_view format, ByteSpan file) {
  for (const FormatWalker& row : kWalkers) {
    if (row.format == format && StartsWith(file, row.magic)) return row.walk;
  }
  return IsText(file) ? WalkText : WalkWords;
}

}  // namespace

std::vector<Place> PlacesOf(std::string_view format, ByteSpan file) {
  std::vector<Place> places;
  if (file.empty() || file.size() > std::numeric_limits<uint32_t>::max()) return places;
  WalkerOf(format, file)(file, places);
  places.push_back({.role = Role::kEnd,
                    .offset = static_cast<uint32_t>(file.size() - 1),
                    .width = 1,
                    .name = "end of the file"});
  std::ranges::sort(places, {},
                    [](const Place& place) { return std::pair(place.offset, place.width); });
  LinkRecords(places);
  if (places.size() > kMostPlaces) {
    for (size_t i = 0; i < kMostPlaces; ++i) places[i] = places[i * places.size() / kMostPlaces];
    places.resize(kMostPlaces);
  }
  return places;
}

}  // namespace anecheck::boundary
