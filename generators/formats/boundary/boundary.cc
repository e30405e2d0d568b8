#include "generators/formats/boundary/boundary.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "generators/formats/boundary/edges.h"

namespace anecheck::boundary {
namespace {

// The last edges of every place. The file ends before the place, inside it, or right behind it.
constexpr std::string_view kCuts[] = {"the file ends before it", "the file ends inside it",
                                      "the file ends behind it"};

size_t OwnEdges(Role role) {
  return role == Role::kNumber ? NumberEdges().size() : TextEdges(role).size();
}

uint64_t Load(ByteSpan file, const Place& place, int64_t at) {
  if (at < 0 || static_cast<uint64_t>(at) + place.width > file.size()) return 0;
  uint64_t value = 0;
  for (uint32_t i = 0; i < place.width; ++i) {
    const uint32_t byte = place.big_endian ? i : place.width - 1 - i;
    value = value << 8 | file[static_cast<size_t>(at) + byte];
  }
  return value;
}

void Store(Bytes& file, const Place& place, uint64_t value) {
  for (uint32_t i = 0; i < place.width; ++i) {
    const uint32_t byte = place.big_endian ? place.width - 1 - i : i;
    file[place.offset + byte] = static_cast<uint8_t>(value >> (8 * i));
  }
}

// Whether `width` bytes can represent the value, either as an unsigned number or as a negative
// number. A negative number has only ones in its upper bits, and is cut to its low bytes.
bool Fits(uint64_t value, uint32_t width) {
  if (width >= 8) return true;
  const uint64_t high = value >> (8 * width);
  return high == 0 || high == ~uint64_t{0} >> (8 * width);
}

void ApplyNumber(Bytes& file, const Place& place, size_t edge) {
  const int64_t at = place.offset, width = place.width;
  const NumberContext context = {.old = Load(file, place, at),
                                 .before = Load(file, place, at - width),
                                 .after = Load(file, place, at + width),
                                 .in_record_before = Load(file, place, place.in_record_before),
                                 .in_record_behind = Load(file, place, place.in_record_behind),
                                 .offset = place.offset,
                                 .file_size = file.size(),
                                 .unit = std::max<uint32_t>(place.unit, 1)};
  const uint64_t value = NumberEdges()[edge].value(context);
  if (Fits(value, place.width)) Store(file, place, value);
}

// Removes or inserts spaces before `end`, so that the file keeps its size if possible.
void AdjustPadding(Bytes& file, size_t end, size_t old_size, size_t new_size) {
  const auto at = file.begin() + static_cast<ptrdiff_t>(end);
  if (new_size < old_size) {
    file.insert(at, old_size - new_size, ' ');
    return;
  }
  const auto more = static_cast<ptrdiff_t>(new_size - old_size);
  if (more <= at - file.begin() && std::all_of(at - more, at, [](uint8_t c) { return c == ' '; })) {
    file.erase(at - more, at);
  }
}

void ApplyText(Bytes& file, const Place& place, size_t edge, size_t max_size) {
  const std::string old(file.begin() + place.offset, file.begin() + place.offset + place.width);
  const std::string text = TextEdges(place.role)[edge].text(old);
  if (file.size() - old.size() + text.size() > max_size) return;
  if (place.padding_end >= place.offset + place.width && place.padding_end <= file.size()) {
    AdjustPadding(file, place.padding_end, old.size(), text.size());
  }
  const auto begin = file.begin() + place.offset;
  Bytes changed(file.begin(), begin);
  changed.insert(changed.end(), text.begin(), text.end());
  changed.insert(changed.end(), begin + place.width, file.end());
  file = std::move(changed);
}

}  // namespace

size_t EdgeCount(Role role) { return OwnEdges(role) + std::size(kCuts); }

Bytes ApplyEdge(ByteSpan file, const Place& place, size_t edge, size_t max_size) {
  const size_t own = OwnEdges(place.role);
  if (edge >= own) {
    const size_t ends[] = {place.offset, place.offset + place.width / 2,
                           size_t{place.offset} + place.width};
    const ByteSpan kept = file.first(std::min(file.size(), ends[(edge - own) % 3]));
    return {kept.begin(), kept.end()};
  }
  Bytes bytes(file.begin(), file.end());
  if (place.role == Role::kNumber) {
    ApplyNumber(bytes, place, edge);
  } else {
    ApplyText(bytes, place, edge, max_size);
  }
  return bytes;
}

std::string EdgeText(const Place& place, size_t edge) {
  const size_t own = OwnEdges(place.role);
  const std::string_view id = edge >= own                   ? kCuts[(edge - own) % 3]
                              : place.role == Role::kNumber ? NumberEdges()[edge].id
                                                            : TextEdges(place.role)[edge].id;
  return fmt::format("{} at {:#x}: {}", place.name, place.offset, id);
}

}  // namespace anecheck::boundary
