// The file layout of a weight unit, and the names of its numbers.
#include "harness/formats/weightunit/unit.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/formats/kernelweights/kernel_format.h"

namespace anecheck::weightunit {
namespace {

constexpr std::array<std::string_view, kFormCount> kForms = {"dense",  "affine",    "palette",
                                                             "sparse", "blockwise", "float8"};
constexpr std::array<UnitNumber, 9> kNumbers = {{{"form", &Unit::form},
                                                 {"channels", &Unit::channels},
                                                 {"elements", &Unit::elements},
                                                 {"type", &Unit::type},
                                                 {"index_bits", &Unit::index_bits},
                                                 {"vector_size", &Unit::vector_size},
                                                 {"codebooks", &Unit::codebooks},
                                                 {"block_channels", &Unit::block_channels},
                                                 {"block_elements", &Unit::block_elements}}};

}  // namespace

std::string_view FormName(uint32_t form) {
  return form < kFormCount ? kForms[form] : std::string_view();
}

std::string_view SectionName(uint32_t section) {
  if (section == kZero) return "zero";
  const auto names = kernelweights::UnitSections();
  return section < names.size() ? names[section] : std::string_view();
}

std::string_view TypeName(uint32_t type) {
  if (type == kE5m2Type) return "e5m2";
  const auto types = kernelweights::UnitTypeNumbers();
  const auto found = std::ranges::find(types, type, &kernelweights::TypeNumber::number);
  return found == types.end() ? std::string_view() : found->name;
}

const Section* Unit::Find(uint32_t id) const {
  const auto found = std::ranges::find(sections, id, &Section::id);
  return found == sections.end() ? nullptr : &*found;
}

Section* Unit::Find(uint32_t id) {
  const auto found = std::ranges::find(sections, id, &Section::id);
  return found == sections.end() ? nullptr : &*found;
}

std::span<const UnitNumber> UnitNumbers() { return kNumbers; }

Result<Unit> Parse(ByteSpan bytes) {
  ByteReader reader(bytes, 0, "unit");
  const ByteSpan magic = reader.Bytes(kMagic.size(), "magic");
  if (!reader.ok() || !std::equal(magic.begin(), magic.end(), kMagic.begin())) {
    return MakeError(ErrorCode::kMalformed,
                     "unit-magic: the file does not begin with ANEWUNT and 1", 0);
  }
  Unit unit;
  for (const UnitNumber& number : kNumbers) unit.*number.member = reader.U32(number.name);
  const uint32_t count = reader.U32("sections");
  std::vector<uint32_t> sizes;
  if (reader.CheckCount(count, kEntrySize, "sections")) {
    unit.sections.reserve(count);
    sizes.reserve(count);
    for (uint32_t i = 0; i < count; ++i) {
      unit.sections.push_back({.id = reader.U32("section")});
      sizes.push_back(reader.U32("size"));
    }
  }
  for (size_t i = 0; i < sizes.size() && reader.ok(); ++i) {
    Section& section = unit.sections[i];
    section.offset = reader.offset();
    const ByteSpan content = reader.Bytes(sizes[i], "content");
    section.bytes.assign(content.begin(), content.end());
  }
  if (!reader.ok()) {
    const Error& error = reader.status().error();
    return MakeError(error.code, fmt::format("unit-complete: {}", error.message), error.offset);
  }
  if (!reader.AtEnd()) {
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("unit-end: {} bytes follow the last section at 0x{:x}",
                                 reader.remaining(), reader.offset()),
                     reader.offset());
  }
  return unit;
}

Bytes Write(const Unit& unit) {
  ByteWriter writer;
  writer.Bytes(kMagic);
  for (const UnitNumber& number : kNumbers) writer.U32(unit.*number.member);
  writer.U32(static_cast<uint32_t>(unit.sections.size()));
  for (const Section& section : unit.sections) {
    writer.U32(section.id);
    writer.U32(static_cast<uint32_t>(section.bytes.size()));
  }
  for (const Section& section : unit.sections) writer.Bytes(section.bytes);
  return std::move(writer).Take();
}

std::vector<Half> HalvesOf(ByteSpan bytes) {
  std::vector<Half> halves(bytes.size() / 2);
  for (size_t i = 0; i < halves.size(); ++i) {
    halves[i].bits = static_cast<uint16_t>(bytes[2 * i] | bytes[2 * i + 1] << 8);
  }
  return halves;
}

Bytes BytesOfHalves(std::span<const Half> halves) {
  ByteWriter writer;
  for (const Half half : halves) writer.U16(half.bits);
  return std::move(writer).Take();
}

}  // namespace anecheck::weightunit
