#include "harness/lifting/element_memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "harness/emulator/surface.h"

namespace anecheck::lifting {
namespace {

constexpr uint64_t kElementBytes = 2;

// Byte offsets of a port's elements in its region, in row-major order.
std::vector<uint64_t> OffsetsOfPort(const emulator::Port& port) {
  std::vector<uint64_t> offsets;
  offsets.reserve(port.Count());
  for (uint64_t n = 0; n < port.shape[0]; ++n) {
    for (uint64_t c = 0; c < port.shape[1]; ++c) {
      for (uint64_t h = 0; h < port.shape[2]; ++h) {
        for (uint64_t w = 0; w < port.shape[3]; ++w) {
          offsets.push_back(port.offset + n * port.strides[0] + c * port.strides[1] +
                            h * port.strides[2] + w * port.strides[3]);
        }
      }
    }
  }
  return offsets;
}

Status CheckElement(uint64_t bytes, const std::string& who) {
  if (bytes == kElementBytes) return {};
  return MakeError(ErrorCode::kUnsupported,
                   fmt::format("{}: elements of one byte (bools) are not lifted", who));
}

// Converts byte offsets to element numbers.
Status ToPlaces(std::vector<uint64_t>& offsets, const std::string& who) {
  for (uint64_t& offset : offsets) {
    if (offset % kElementBytes != 0) {
      return MakeError(ErrorCode::kUnsupported,
                       fmt::format("{}: an element at the odd byte 0x{:x}", who, offset));
    }
    offset /= kElementBytes;
  }
  return {};
}

}  // namespace

std::span<const uint8_t> ElementMemory::BytesOf(size_t region) const {
  if (region == L2Region()) return {};
  const emulator::Region& of = memory_.regions()[region];
  // Scratch and results begin with zeros, even if a run has written them.
  const bool holds = of.kind == emulator::RegionKind::kConstants;
  return holds ? std::span<const uint8_t>(of.bytes) : std::span<const uint8_t>();
}

Element ElementMemory::At(size_t region, uint64_t place) const {
  if (region < written_.size() && !written_[region].empty()) return written_[region][place];
  const std::span<const uint8_t> bytes = BytesOf(region);
  if (bytes.empty()) return {};
  uint16_t bits = 0;
  std::memcpy(&bits, bytes.data() + place * kElementBytes, sizeof bits);
  return {kNoValue, bits};
}

Status ElementMemory::Track(size_t region) {
  written_.resize(L2Region() + 1);
  if (!written_[region].empty()) return {};
  const uint64_t bytes =
      region == L2Region() ? emulator::kL2Bytes : memory_.regions()[region].bytes.size();
  const uint64_t count = bytes / kElementBytes;
  if (tracked_ + count > kMostTracked) {
    return MakeError(ErrorCode::kLimit, fmt::format("memory of {} elements; at most {} are lifted",
                                                    tracked_ + count, kMostTracked));
  }
  tracked_ += count;
  Elements elements(count);
  for (uint64_t place = 0; place < count; ++place) elements[place] = At(region, place);
  written_[region] = std::move(elements);
  return {};
}

Status ElementMemory::Bind(const emulator::Port& port, ValueId value) {
  ANECHECK_RETURN_IF_ERROR(CheckElement(port.element, "port " + port.name));
  ANECHECK_RETURN_IF_ERROR(Track(port.region));
  std::vector<uint64_t> places = OffsetsOfPort(port);
  ANECHECK_RETURN_IF_ERROR(ToPlaces(places, "port " + port.name));
  for (uint32_t i = 0; i < places.size(); ++i) written_[port.region][places[i]] = {value, i};
  return {};
}

Result<Elements> ElementMemory::ReadPort(const emulator::Port& port) {
  ANECHECK_RETURN_IF_ERROR(CheckElement(port.element, "port " + port.name));
  std::vector<uint64_t> places = OffsetsOfPort(port);
  ANECHECK_RETURN_IF_ERROR(ToPlaces(places, "port " + port.name));
  Elements elements;
  elements.reserve(places.size());
  for (const uint64_t place : places) elements.push_back(At(port.region, place));
  return elements;
}

Result<ElementMemory::Home> ElementMemory::HomeOf(const Surface& surface, bool write,
                                                  const std::string& who) {
  if (surface.l2) return Home{L2Region(), 0, emulator::kL2Bytes};
  ANECHECK_ASSIGN(const std::span<uint8_t> bytes, memory_.Bar(surface.bar, write, who));
  const std::vector<emulator::Region>& regions = memory_.regions();
  // The region that contains the base address.
  const uint64_t address = memory_.bars().at(surface.bar);
  for (size_t i = 0; i < regions.size(); ++i) {
    if (address < regions[i].address) continue;
    const uint64_t offset = address - regions[i].address;
    if (offset < regions[i].bytes.size()) return Home{i, offset, bytes.size()};
  }
  return MakeError(ErrorCode::kInternal, fmt::format("{}: BAR {} is lost", who, surface.bar));
}

Result<std::vector<uint64_t>> ElementMemory::PlacesOf(const Home& home,
                                                      const emulator::Pattern& pattern,
                                                      const emulator::Extents& extents,
                                                      const std::string& who) {
  ANECHECK_RETURN_IF_ERROR(CheckElement(pattern.element, who));
  if (extents.Count() > kMostOfTask) {
    return MakeError(ErrorCode::kLimit, fmt::format("{}: {} elements; at most {} are lifted", who,
                                                    extents.Count(), kMostOfTask));
  }
  ANECHECK_ASSIGN(std::vector<uint64_t> places,
                  emulator::OffsetsOf(pattern, extents, home.bytes, who));
  for (uint64_t& place : places) place += home.offset;
  ANECHECK_RETURN_IF_ERROR(ToPlaces(places, who));
  return places;
}

Result<Elements> ElementMemory::Read(const Surface& surface, const emulator::Pattern& pattern,
                                     const emulator::Extents& extents, const std::string& who) {
  ANECHECK_ASSIGN(const Home home, HomeOf(surface, false, who));
  ANECHECK_ASSIGN(const std::vector<uint64_t> places, PlacesOf(home, pattern, extents, who));
  Elements elements;
  elements.reserve(places.size());
  for (const uint64_t place : places) elements.push_back(At(home.region, place));
  return elements;
}

Status ElementMemory::Write(const Surface& surface, const emulator::Pattern& pattern,
                            const emulator::Extents& extents, std::span<const Element> elements,
                            const std::string& who) {
  ANECHECK_ASSIGN(const Home home, HomeOf(surface, true, who));
  ANECHECK_ASSIGN(const std::vector<uint64_t> places, PlacesOf(home, pattern, extents, who));
  ANECHECK_RETURN_IF_ERROR(Track(home.region));
  for (size_t i = 0; i < places.size(); ++i) written_[home.region][places[i]] = elements[i];
  return {};
}

Result<Elements> ElementMemory::ReadAt(const Surface& surface, std::span<const uint64_t> offsets,
                                       const std::string& who) {
  ANECHECK_ASSIGN(const Home home, HomeOf(surface, false, who));
  std::vector<uint64_t> places(offsets.begin(), offsets.end());
  for (uint64_t& place : places) {
    if (home.bytes < kElementBytes || place > home.bytes - kElementBytes) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("{}: byte 0x{:x} leaves the surface", who, place));
    }
    place += home.offset;
  }
  ANECHECK_RETURN_IF_ERROR(ToPlaces(places, who));
  Elements elements;
  elements.reserve(places.size());
  for (const uint64_t place : places) elements.push_back(At(home.region, place));
  return elements;
}

}  // namespace anecheck::lifting
