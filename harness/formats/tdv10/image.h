// A version-10 task image: registers by address, fields by name, strides, and the loader's patches.
// Used by the tdv10 format and by code that builds or loads tasks of that version.
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

// An image of 0x3ac bytes. The register groups are typed; other bytes are kept unchanged.
class Image {
 public:
  Image() : bytes_(kImageSize, 0) {}
  // Errors: kMalformed unless `bytes` has 0x3ac bytes.
  static Result<Image> Parse(ByteSpan bytes);

  // The register at a byte address; an error names an address that is in no group.
  Result<uint32_t> Register(uint32_t address) const;
  Status SetRegister(uint32_t address, uint32_t value);

  // Up to 64 bits from `bits.bit` of the register at `bits.address` on; they may extend into the
  // following registers. SetBits refuses a value that does not fit, and changes no other bits.
  Result<uint64_t> Bits(BitField bits) const;
  Status SetBits(BitField bits, uint64_t value);

  // A field of listing 23.3 by name.
  Result<uint64_t> Field(std::string_view name) const;
  Status SetField(std::string_view name, uint64_t value);

  // The signed 26-bit stride at bit 6 of a register, in the engine's unit.
  Result<int32_t> Stride(uint32_t address) const;
  Status SetStride(uint32_t address, int32_t value);

  ByteSpan bytes() const { return bytes_; }

  friend bool operator==(const Image&, const Image&) = default;

 private:
  Bytes bytes_;
};

// The result of a loader's patch (specification 000, below table 23.5).
enum class BarKind : uint8_t { kDeviceAddress, kDataSetId, kBufferOffset };

// A custom bar, as the specification calls it: the bits into which the loader writes a resolved
// value.
struct Bar {
  std::string name;
  BarKind kind = BarKind::kDeviceAddress;
  BitField bits;
};

// Writes one value per bar, in order. Fails without writing anything if the counts differ, if a bar
// leaves its group, or if a value does not fit.
Status ApplyBars(std::span<const Bar> bars, std::span<const uint64_t> values, Image& image);

// A shape or stride that is bound at run time. Its possible values are start, start + step, ... up
// to and including stop.
struct LiveIn {
  std::string input;  // the procedure input that it is tied to
  BitField bits;
  uint64_t start = 0;
  uint64_t stop = 0;
  uint64_t step = 1;
};

// Fails if the range is empty, if the step is 0, or if the largest value does not fit the field.
Status CheckLiveIn(const LiveIn& live_in);
// Fails if `value` is not in the range; the error names the input and the range.
Status CheckLiveInValue(const LiveIn& live_in, uint64_t value);
// Writes one value per live-in, in order. If there is an error, it writes none, like ApplyBars.
Status BindLiveIns(std::span<const LiveIn> live_ins, std::span<const uint64_t> values,
                   Image& image);

}  // namespace anecheck::tdv10
