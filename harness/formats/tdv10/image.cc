#include "harness/formats/tdv10/image.h"

#include <fmt/format.h>

#include "harness/base/little_endian.h"
#include "harness/formats/message.h"

namespace anecheck::tdv10 {
namespace {

Error NoRegister(uint32_t address) {
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("no register of the version-10 image has the address 0x{:x}; the "
                               "groups are in specification 000, table 23.4",
                               address));
}

// The registers with a range of bits: the image offset of the first one, and their number.
struct Place {
  uint32_t offset = 0;
  uint32_t words = 0;
};

Result<Place> Locate(BitField bits) {
  const RegisterGroup* group = GroupOf(bits.address);
  if (group == nullptr) return NoRegister(bits.address);
  if (bits.width < 1 || bits.width > 64 || bits.bit > 31) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("register 0x{:x}: {} bits at bit {} are no field of 1 to 64 bits",
                                 bits.address, bits.width, bits.bit));
  }
  const uint32_t words = (bits.bit + uint32_t{bits.width} + 31) / 32;
  if ((bits.address - group->address) / 4 + words > group->count) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("register 0x{:x}: {} bits at bit {} leave the group {}",
                                 bits.address, bits.width, bits.bit, group->name));
  }
  return Place{ImageOffset(bits.address), words};
}

uint64_t Mask(uint8_t width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }

}  // namespace

Result<Image> Image::Parse(ByteSpan bytes) {
  if (bytes.size() != kImageSize) {
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("image-size: a version-10 image has 0x{:x} bytes, this has 0x{:x}",
                                 kImageSize, bytes.size()),
                     std::min(bytes.size(), kImageSize));
  }
  Image image;
  image.bytes_.assign(bytes.begin(), bytes.end());
  return image;
}

Result<uint32_t> Image::Register(uint32_t address) const {
  if (GroupOf(address) == nullptr) return NoRegister(address);
  return static_cast<uint32_t>(LoadLittle(bytes_, ImageOffset(address), 4));
}

Status Image::SetRegister(uint32_t address, uint32_t value) {
  if (GroupOf(address) == nullptr) return NoRegister(address);
  StoreLittle(bytes_, ImageOffset(address), 4, value);
  return {};
}

Result<uint64_t> Image::Bits(BitField bits) const {
  ANECHECK_ASSIGN(const Place place, Locate(bits));
  unsigned __int128 value = 0;
  for (uint32_t i = 0; i < place.words; ++i) {
    value |= static_cast<unsigned __int128>(LoadLittle(bytes_, place.offset + 4 * i, 4))
             << (32 * i);
  }
  return static_cast<uint64_t>(value >> bits.bit) & Mask(bits.width);
}

Status Image::SetBits(BitField bits, uint64_t value) {
  ANECHECK_ASSIGN(const Place place, Locate(bits));
  if ((value & ~Mask(bits.width)) != 0) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("register 0x{:x}: 0x{:x} does not fit in {} bits at bit {}",
                                 bits.address, value, bits.width, bits.bit));
  }
  const auto mask = static_cast<unsigned __int128>(Mask(bits.width)) << bits.bit;
  const auto shifted = static_cast<unsigned __int128>(value) << bits.bit;
  for (uint32_t i = 0; i < place.words; ++i) {
    const auto word_mask = static_cast<uint32_t>(mask >> (32 * i));
    const auto word_value = static_cast<uint32_t>(shifted >> (32 * i));
    const auto old = static_cast<uint32_t>(LoadLittle(bytes_, place.offset + 4 * i, 4));
    StoreLittle(bytes_, place.offset + 4 * i, 4, (old & ~word_mask) | word_value);
  }
  return {};
}

Result<uint64_t> Image::Field(std::string_view name) const {
  const NamedField* field = FindField(name);
  if (field == nullptr) {
    return MakeError(ErrorCode::kNotFound, fmt::format("no field is named \"{}\"", Shown(name)));
  }
  return Bits(field->bits);
}

Status Image::SetField(std::string_view name, uint64_t value) {
  const NamedField* field = FindField(name);
  if (field == nullptr) {
    return MakeError(ErrorCode::kNotFound, fmt::format("no field is named \"{}\"", Shown(name)));
  }
  return SetBits(field->bits, value);
}

Result<int32_t> Image::Stride(uint32_t address) const {
  ANECHECK_ASSIGN(const uint64_t raw, Bits({address, kStrideBit, kStrideWidth}));
  constexpr uint32_t kSign = uint32_t{1} << (kStrideWidth - 1);
  const auto value = static_cast<uint32_t>(raw);
  return static_cast<int32_t>((value ^ kSign)) - static_cast<int32_t>(kSign);
}

Status Image::SetStride(uint32_t address, int32_t value) {
  constexpr int32_t kLimit = int32_t{1} << (kStrideWidth - 1);
  if (value < -kLimit || value >= kLimit) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("register 0x{:x}: a stride of {} does not fit in 26 signed bits",
                                 address, value));
  }
  return SetBits({address, kStrideBit, kStrideWidth},
                 static_cast<uint64_t>(static_cast<uint32_t>(value)) & Mask(kStrideWidth));
}

Status ApplyBars(std::span<const Bar> bars, std::span<const uint64_t> values, Image& image) {
  if (bars.size() != values.size()) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{} values for {} bars", values.size(), bars.size()));
  }
  Image changed = image;
  for (size_t i = 0; i < bars.size(); ++i) {
    const Status status = changed.SetBits(bars[i].bits, values[i]);
    if (!status.ok()) {
      return MakeError(status.error().code,
                       fmt::format("bar[{}] {}: {}", i, bars[i].name, status.error().message));
    }
  }
  image = std::move(changed);
  return {};
}

Status CheckLiveIn(const LiveIn& live_in) {
  ANECHECK_RETURN_IF_ERROR(Locate(live_in.bits));
  if (live_in.step == 0 || live_in.start > live_in.stop) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("live-in {}: {} to {} in steps of {} is no range", live_in.input,
                                 live_in.start, live_in.stop, live_in.step));
  }
  const uint64_t last = live_in.stop - (live_in.stop - live_in.start) % live_in.step;
  if ((last & ~Mask(live_in.bits.width)) != 0) {
    return MakeError(ErrorCode::kInvalid, fmt::format("live-in {}: {} does not fit in {} bits",
                                                      live_in.input, last, live_in.bits.width));
  }
  return {};
}

Status CheckLiveInValue(const LiveIn& live_in, uint64_t value) {
  ANECHECK_RETURN_IF_ERROR(CheckLiveIn(live_in));
  if (value >= live_in.start && value <= live_in.stop &&
      (value - live_in.start) % live_in.step == 0) {
    return {};
  }
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("live-in {}: {} is not one of {} to {} by {}", live_in.input, value,
                               live_in.start, live_in.stop, live_in.step));
}

Status BindLiveIns(std::span<const LiveIn> live_ins, std::span<const uint64_t> values,
                   Image& image) {
  if (live_ins.size() != values.size()) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{} values for {} live-ins", values.size(), live_ins.size()));
  }
  Image changed = image;
  for (size_t i = 0; i < live_ins.size(); ++i) {
    ANECHECK_RETURN_IF_ERROR(CheckLiveInValue(live_ins[i], values[i]));
    ANECHECK_RETURN_IF_ERROR(changed.SetBits(live_ins[i].bits, values[i]));
  }
  image = std::move(changed);
  return {};
}

}  // namespace anecheck::tdv10
