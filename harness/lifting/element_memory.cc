#include "harness/lifting/element_memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "harness/base/half.h"
#include "harness/emulator/surface.h"

namespace anecheck::lifting {
namespace {

// Marks for places of one byte. kSecondByte is the second byte of the element at the place before.
// kLost is a byte of an element of two bytes whose other byte was overwritten.
constexpr ValueId kSecondByte = kNoValue - 1, kLost = kNoValue - 2;

// Returns the byte offsets of a port's elements in its region, in row-major order.
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

uint16_t HalfOfByte(uint8_t byte) { return DoubleToHalf(byte).bits; }

// Returns an fp16 number as a byte; empty if it is not an integer from 0 to 255.
std::optional<uint8_t> ByteOfHalf(uint32_t bits) {
  const double number = HalfToDouble(Half{static_cast<uint16_t>(bits)});
  if (!(number >= 0 && number <= 255) || number != std::floor(number)) return std::nullopt;
  return static_cast<uint8_t>(number);
}

Element Raw(uint8_t byte) { return {kNoValue, byte}; }

Error Torn(uint64_t offset, const std::string& who) {
  return MakeError(
      ErrorCode::kUnsupported,
      fmt::format("{}: byte 0x{:x} belongs to an element of another width", who, offset));
}

}  // namespace

ElementMemory::Content& ElementMemory::ContentOf(size_t region) {
  contents_.resize(L2Region() + 1);
  return contents_[region];
}

uint64_t ElementMemory::BytesOf(size_t region) const {
  return region == L2Region() ? emulator::kL2Bytes : memory_.regions()[region].bytes.size();
}

std::span<const uint8_t> ElementMemory::ConstantsOf(size_t region) const {
  if (region == L2Region()) return {};
  const emulator::Region& of = memory_.regions()[region];
  // Only constants have content at first. Other regions are zero, even if a run wrote to them.
  const bool holds = of.kind == emulator::RegionKind::kConstants;
  return holds ? std::span<const uint8_t>(of.bytes) : std::span<const uint8_t>();
}

Elements ElementMemory::Initial(size_t region, uint64_t unit) const {
  const std::span<const uint8_t> bytes = ConstantsOf(region);
  Elements places(BytesOf(region) / unit);
  for (uint64_t i = 0; i < places.size() && !bytes.empty(); ++i) {
    std::memcpy(&places[i].index, bytes.data() + i * unit, unit);
  }
  return places;
}

Status ElementMemory::Track(size_t region) {
  Content& content = ContentOf(region);
  if (!content.places.empty()) return {};
  const uint64_t count = BytesOf(region) / content.unit;
  if (tracked_ + count > kMostTracked) {
    return MakeError(ErrorCode::kLimit, fmt::format("memory of {} elements; at most {} are lifted",
                                                    tracked_ + count, kMostTracked));
  }
  tracked_ += count;
  content.places = Initial(region, content.unit);
  return {};
}

Status ElementMemory::Refine(size_t region, std::span<const uint64_t> offsets, uint32_t width) {
  Content& content = ContentOf(region);
  const bool fine = width % 2 != 0 ||
                    std::ranges::any_of(offsets, [](uint64_t offset) { return offset % 2 != 0; });
  if (!fine || content.unit == 1) return {};
  const Elements halves = std::exchange(content.places, {});
  content.unit = 1;
  if (halves.empty()) return {};
  tracked_ -= halves.size();
  ANECHECK_RETURN_IF_ERROR(Track(region));
  for (uint64_t i = 0; i < halves.size(); ++i) {
    ANECHECK_RETURN_IF_ERROR(Put(content.places, 2 * i, 2, halves[i], {}));
  }
  return {};
}

Status ElementMemory::Put(Elements& places, uint64_t offset, uint32_t width, const Element& element,
                          const std::string& who) {
  if (places[offset].value == kSecondByte) places[offset - 1].value = kLost;
  const uint64_t end = offset + width;
  if (end < places.size() && places[end].value == kSecondByte) places[end].value = kLost;
  if (!element.IsNumber()) {
    places[offset] = element;
    if (width == 2) places[offset + 1] = {kSecondByte, 0};
    return {};
  }
  if (width == 2) {
    places[offset] = Raw(static_cast<uint8_t>(element.index));
    places[offset + 1] = Raw(static_cast<uint8_t>(element.index >> 8));
    return {};
  }
  const std::optional<uint8_t> byte = ByteOfHalf(element.index);
  if (!byte) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: a number that no byte holds becomes a byte", who));
  }
  places[offset] = Raw(*byte);
  return {};
}

Result<Element> ElementMemory::At(size_t region, uint64_t offset, uint32_t width,
                                  const std::string& who) const {
  const Content& content = contents_[region];
  if (content.unit == 2 && !content.places.empty()) return content.places[offset / 2];
  const auto place = [&](uint64_t at) {
    if (!content.places.empty()) return content.places[at];
    const std::span<const uint8_t> bytes = ConstantsOf(region);
    return bytes.empty() ? Element{} : Raw(bytes[at]);
  };
  const Element first = place(offset);
  const bool wide = offset + 1 < BytesOf(region) && place(offset + 1).value == kSecondByte;
  if (width == 2 && wide) return first;
  if (width == 1 && !wide && first.value != kSecondByte && first.value != kLost) {
    return first.IsNumber() ? Element{kNoValue, HalfOfByte(static_cast<uint8_t>(first.index))}
                            : first;
  }
  if (width == 2 && first.IsNumber() && place(offset + 1).IsNumber()) {
    return Element{kNoValue, first.index | place(offset + 1).index << 8};
  }
  return Torn(offset, who);
}

Result<Elements> ElementMemory::ReadOffsets(size_t region, std::span<const uint64_t> offsets,
                                            uint32_t width, const std::string& who) {
  ANECHECK_RETURN_IF_ERROR(Refine(region, offsets, width));
  Elements elements;
  elements.reserve(offsets.size());
  for (const uint64_t offset : offsets) {
    ANECHECK_ASSIGN(const Element element, At(region, offset, width, who));
    elements.push_back(element);
  }
  return elements;
}

Status ElementMemory::WriteOffsets(size_t region, std::span<const uint64_t> offsets, uint32_t width,
                                   std::span<const Element> elements, const std::string& who) {
  ANECHECK_RETURN_IF_ERROR(Refine(region, offsets, width));
  ANECHECK_RETURN_IF_ERROR(Track(region));
  Content& content = ContentOf(region);
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (content.unit == 2) {
      content.places[offsets[i] / 2] = elements[i];
    } else {
      ANECHECK_RETURN_IF_ERROR(Put(content.places, offsets[i], width, elements[i], who));
    }
  }
  return {};
}

Status ElementMemory::Bind(const emulator::Port& port, ValueId value) {
  const std::vector<uint64_t> offsets = OffsetsOfPort(port);
  Elements elements(offsets.size());
  for (uint32_t i = 0; i < elements.size(); ++i) elements[i] = {value, i};
  return WriteOffsets(port.region, offsets, port.element, elements, "port " + port.name);
}

Result<Elements> ElementMemory::ReadPort(const emulator::Port& port) {
  return ReadOffsets(port.region, OffsetsOfPort(port), port.element, "port " + port.name);
}

Result<ElementMemory::Home> ElementMemory::HomeOf(const Surface& surface, bool write,
                                                  const std::string& who) {
  if (surface.l2) return Home{L2Region(), 0, emulator::kL2Bytes};
  ANECHECK_ASSIGN(const std::span<uint8_t> bytes, memory_.Bar(surface.bar, write, who));
  const std::vector<emulator::Region>& regions = memory_.regions();
  // Finds the region that contains the base address.
  const uint64_t address = memory_.bars().at(surface.bar);
  for (size_t i = 0; i < regions.size(); ++i) {
    if (address < regions[i].address) continue;
    const uint64_t offset = address - regions[i].address;
    if (offset < regions[i].bytes.size()) return Home{i, offset, bytes.size()};
  }
  return MakeError(ErrorCode::kInternal, fmt::format("{}: BAR {} is lost", who, surface.bar));
}

Result<std::vector<uint64_t>> ElementMemory::OffsetsIn(const Home& home,
                                                       const emulator::Pattern& pattern,
                                                       const emulator::Extents& extents,
                                                       const std::string& who) {
  if (extents.Count() > kMostOfTask) {
    return MakeError(ErrorCode::kLimit, fmt::format("{}: {} elements; at most {} are lifted", who,
                                                    extents.Count(), kMostOfTask));
  }
  ANECHECK_ASSIGN(std::vector<uint64_t> offsets,
                  emulator::OffsetsOf(pattern, extents, home.bytes, who));
  for (uint64_t& offset : offsets) offset += home.offset;
  return offsets;
}

Result<Elements> ElementMemory::Read(const Surface& surface, const emulator::Pattern& pattern,
                                     const emulator::Extents& extents, const std::string& who) {
  ANECHECK_ASSIGN(const Home home, HomeOf(surface, false, who));
  ANECHECK_ASSIGN(const std::vector<uint64_t> offsets, OffsetsIn(home, pattern, extents, who));
  return ReadOffsets(home.region, offsets, pattern.element, who);
}

Status ElementMemory::Write(const Surface& surface, const emulator::Pattern& pattern,
                            const emulator::Extents& extents, std::span<const Element> elements,
                            const std::string& who) {
  ANECHECK_ASSIGN(const Home home, HomeOf(surface, true, who));
  ANECHECK_ASSIGN(const std::vector<uint64_t> offsets, OffsetsIn(home, pattern, extents, who));
  return WriteOffsets(home.region, offsets, pattern.element, elements, who);
}

Result<Elements> ElementMemory::ReadAt(const Surface& surface, std::span<const uint64_t> offsets,
                                       uint32_t width, const std::string& who) {
  ANECHECK_ASSIGN(const Home home, HomeOf(surface, false, who));
  std::vector<uint64_t> places(offsets.begin(), offsets.end());
  for (uint64_t& place : places) {
    if (home.bytes < width || place > home.bytes - width) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("{}: byte 0x{:x} leaves the surface", who, place));
    }
    place += home.offset;
  }
  return ReadOffsets(home.region, places, width, who);
}

}  // namespace anecheck::lifting
