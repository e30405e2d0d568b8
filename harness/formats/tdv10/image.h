// A version-10 task image. Gives access to registers by address, fields by name and strides, and
// applies the loader's patches. Used by the tdv10 format and by code that builds or loads tasks of
// that version.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"
#include "harness/formats/tdv10/layout.h"

namespace anecheck::tdv10 {

// An image of 0x3ac bytes. The bytes outside the register groups are kept unchanged.
class Image {
 public:
  Image() : bytes_(kImageSize, 0) {}
  // Errors: kMalformed unless `bytes` has 0x3ac bytes.
  static Result<Image> Parse(ByteSpan bytes);

  // Returns the register at a byte address. The error names an address that is in no group.
  Result<uint32_t> Register(uint32_t address) const;
  Status SetRegister(uint32_t address, uint32_t value);

  // Returns up to 64 bits, which begin at bit `bits.bit` of the register at `bits.address` and may
  // extend into the following registers. SetBits refuses a value that does not fit, and changes no
  // other bits.
  Result<uint64_t> Bits(BitField bits) const;
  Status SetBits(BitField bits, uint64_t value);

  // Returns a field of listing 23.3 by name.
  Result<uint64_t> Field(std::string_view name) const;
  Status SetField(std::string_view name, uint64_t value);

  // Returns the signed 26-bit stride at bit 6 of a register, in the engine's unit.
  Result<int32_t> Stride(uint32_t address) const;
  Status SetStride(uint32_t address, int32_t value);

  ByteSpan bytes() const { return bytes_; }

  friend bool operator==(const Image&, const Image&) = default;

 private:
  Bytes bytes_;
};

// The kind of value that a loader's patch writes (specification 000, below table 23.5).
enum class BarKind : uint8_t { kDeviceAddress, kDataSetId, kBufferOffset };

// Bits into which the loader writes a resolved value. The specification calls it a custom bar.
struct Bar {
  std::string name;
  BarKind kind = BarKind::kDeviceAddress;
  BitField bits;
};

// Writes one value per bar, in order. If the counts differ, a bar extends beyond its group, or a
// value does not fit, fails and writes nothing.
Status ApplyBars(std::span<const Bar> bars, std::span<const uint64_t> values, Image& image);

// A shape or stride that is bound at run time. Its possible values are start, start + step, and so
// on, up to and including stop.
struct LiveIn {
  std::string input;  // the procedure input that binds it
  BitField bits;
  uint64_t start = 0;
  uint64_t stop = 0;
  uint64_t step = 1;
};

// Fails if the range is empty, if the step is 0, or if the largest value does not fit in the field.
Status CheckLiveIn(const LiveIn& live_in);
// Fails if `value` is not in the range. The error names the input and the range.
Status CheckLiveInValue(const LiveIn& live_in, uint64_t value);
// Writes one value per live-in, in order. Writes nothing if there is an error.
Status BindLiveIns(std::span<const LiveIn> live_ins, std::span<const uint64_t> values,
                   Image& image);

}  // namespace anecheck::tdv10
