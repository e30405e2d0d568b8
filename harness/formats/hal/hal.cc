#include "harness/formats/hal/hal.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/counted.h"
#include "harness/base/little_endian.h"
#include "harness/targets/newest_table.h"

namespace anecheck {
namespace {

Error NoField(uint32_t offset, std::string_view wanted) {
  const HalLayout& layout = HalLayout::Get();
  std::string why;
  if (const HalNonField* other = layout.NonFieldAt(offset)) {
    why = other->reason;
  } else if (offset >= kHalSize) {
    why = fmt::format("the table ends at 0x{:x}", kHalSize);
  } else if (const HalField* field = layout.Covering(offset)) {
    why = fmt::format("it belongs to {}, a {} at 0x{:x}", field->name, HalKindName(field->kind),
                      field->offset);
  } else if (layout.InRegion("cost_model", offset)) {
    why = "it lies in the cost block, which holds no flags";
  } else {
    why = "no source describes it";
  }
  return MakeError(ErrorCode::kInvalid, fmt::format("0x{:x} is no {}: {}", offset, wanted, why),
                   offset);
}

bool IsNumber(const HalField& field) {
  return field.kind == HalKind::kScalar || field.kind == HalKind::kValue;
}

void Put(HalImage& image, uint32_t offset, uint32_t width, uint64_t value) {
  StoreLittle(image.bytes, offset, width, value);
  for (uint32_t i = 0; i < width; ++i) image.known[offset + i] = true;
}

}  // namespace

Result<HalBlob> HalBlob::Parse(ByteSpan bytes) {
  if (bytes.size() == kNewestHalSize) {
    return MakeError(
        ErrorCode::kUnsupported,
        fmt::format("table-size: 0x{:x} bytes are a table of compiler {}; read it with "
                    "`anecheck targets show TARGET --hal TARGET=FILE`",
                    bytes.size(), kNewestRelease),
        kHalSize);
  }
  if (bytes.size() != kHalSize) {
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("table-size: a HAL table has 0x{:x} bytes, this has 0x{:x}",
                                 kHalSize, bytes.size()),
                     std::min<uint64_t>(bytes.size(), kHalSize));
  }
  HalBlob blob;
  blob.bytes_.assign(bytes.begin(), bytes.end());
  return blob;
}

Result<uint64_t> HalBlob::Scalar(uint32_t offset) const {
  const HalField* field = HalLayout::Get().At(offset);
  if (field == nullptr || !IsNumber(*field)) return NoField(offset, "scalar");
  return LoadLittle(bytes_, offset, field->width);
}

Result<bool> HalBlob::Flag(uint32_t offset) const {
  if (!HalLayout::Get().MayBeFlag(offset)) return NoField(offset, "flag");
  return (bytes_[offset] & 1) != 0;
}

Result<ByteSpan> HalBlob::Field(uint32_t offset) const {
  const HalField* field = HalLayout::Get().At(offset);
  if (field == nullptr) return NoField(offset, "field");
  return ByteSpan(bytes_).subspan(offset, field->width);
}

Status HalBlob::SetScalar(uint32_t offset, uint64_t value) {
  const HalField* field = HalLayout::Get().At(offset);
  if (field == nullptr || !IsNumber(*field)) return NoField(offset, "scalar");
  if (field->width < 8 && value >> (8 * field->width) != 0) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("{}: 0x{:x} does not fit in {} bytes", field->name, value, field->width),
        offset);
  }
  StoreLittle(bytes_, offset, field->width, value);
  return {};
}

HalImage HalImageOf(const Target& target) {
  HalImage image{target.name, Bytes(kHalSize, 0), std::vector<bool>(kHalSize, false)};
  for (const HalField& field : HalLayout::Get().fields()) {
    if (IsNumber(field)) {
      const Known<uint64_t>& value = target.hal.Scalar(field.offset);
      if (value.known()) Put(image, field.offset, field.width, value.value());
    } else if (field.kind == HalKind::kFlag) {
      const Known<bool>& value = target.hal.Capability(field.offset);
      if (value.known()) Put(image, field.offset, 1, value.value() ? 1 : 0);
    }
  }
  return image;
}

HalImage HalImageOf(const HalBlob& blob, std::string name) {
  return {std::move(name), Bytes(blob.bytes().begin(), blob.bytes().end()),
          std::vector<bool>(kHalSize, true)};
}

std::vector<HalDifference> DiffHal(std::span<const HalImage> images) {
  std::vector<HalDifference> differences;
  for (uint32_t offset = 0; offset < kHalSize; ++offset) {
    std::optional<uint8_t> first;
    bool differs = false;
    for (const HalImage& image : images) {
      if (!image.known[offset]) continue;
      if (first && *first != image.bytes[offset]) differs = true;
      first = image.bytes[offset];
    }
    if (!differs) continue;
    HalDifference difference{offset, HalLayout::Get().Covering(offset), {}};
    for (const HalImage& image : images) {
      difference.values.push_back(image.known[offset] ? std::optional<uint8_t>(image.bytes[offset])
                                                      : std::nullopt);
    }
    differences.push_back(std::move(difference));
  }
  return differences;
}

std::string DiffHalText(std::span<const HalImage> images) {
  std::string text = fmt::format("{:7} {:42}", "offset", "field");
  for (const HalImage& image : images) text += fmt::format(" {:>8}", image.name);
  text += "\n";
  const std::vector<HalDifference> differences = DiffHal(images);
  for (const HalDifference& difference : differences) {
    std::string name = "not described";
    if (difference.field != nullptr) {
      name = difference.field->name;
      if (difference.field->width > 1) {
        name += fmt::format("[{}]", difference.offset - difference.field->offset);
      }
      if (difference.field->dead) name += " (dead)";
    }
    text += fmt::format("0x{:<5x} {:42}", difference.offset, name);
    for (const std::optional<uint8_t>& value : difference.values) {
      text += value ? fmt::format(" {:>#8x}", *value) : fmt::format(" {:>8}", "unknown");
    }
    text += "\n";
  }
  return text + fmt::format("{} with other values\n", Counted(differences.size(), "byte"));
}

std::span<const RecordField> HalRecordFields() {
  static const std::vector<RecordField> fields = [] {
    std::vector<RecordField> list;
    for (const HalField& field : HalLayout::Get().fields()) {
      const RecordKind kind = IsNumber(field) || field.kind == HalKind::kFlag ? RecordKind::kNumber
                                                                              : RecordKind::kBytes;
      list.push_back({field.name, field.offset, field.width, kind});
    }
    return list;
  }();
  return fields;
}

}  // namespace anecheck
