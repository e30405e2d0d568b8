// A version-10 task image: registers by address, fields by name, strides, and the loader's patches.
// Used by the tdv10 format and by whatever builds or loads tasks of that version.
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

// 0x3ac bytes, of which the register groups are typed and the rest is kept as it is.
class Image {
 public:
  Image() : bytes_(kImageSize, 0) {}
  // kMalformed unless `bytes` has 0x3ac bytes.
  static Result<Image> Parse(ByteSpan bytes);

  // The register at a byte address; an error names an address that is in no group.
  Result<uint32_t> Register(uint32_t address) const;
  Status SetRegister(uint32_t address, uint32_t value);

  // A run of up to 64 bits that begins in the register at `bits.address` and may reach into the one
  // after it. Setting refuses a value that does not fit and leaves all other bits as they are.
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

// A custom bar: where a resolved value goes.
struct Bar {
  std::string name;
  BarKind kind = BarKind::kDeviceAddress;
  BitField bits;
};

// Writes one value per bar, in order. Fails, with nothing written, where the counts differ, a bar
// leaves its group or a value does not fit.
Status ApplyBars(std::span<const Bar> bars, std::span<const uint64_t> values, Image& image);

// A shape or stride that is bound at run time: start, start + step, ... up to and including stop.
struct LiveIn {
  std::string input;  // the procedure input that it is tied to
  BitField bits;
  uint64_t start = 0;
  uint64_t stop = 0;
  uint64_t step = 1;
};

// Fails where the range is empty, the step is 0 or the largest value does not fit the field.
Status CheckLiveIn(const LiveIn& live_in);
// Whether `value` is one of the range; the error names the input and the range.
Status CheckLiveInValue(const LiveIn& live_in, uint64_t value);
// Writes one value per live-in, in order; all or nothing, as ApplyBars.
Status BindLiveIns(std::span<const LiveIn> live_ins, std::span<const uint64_t> values,
                   Image& image);

}  // namespace anecheck::tdv10
