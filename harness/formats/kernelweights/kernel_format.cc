// Tables of kernel formats.
#include "harness/formats/kernelweights/kernel_format.h"

#include <algorithm>
#include <array>

namespace anecheck::kernelweights {

namespace {

constexpr std::array<TypeNumber, 7> kTypeNumbers = {
    {{2, "int8"}, {3, "uint8"}, {5, "half"}, {8, "lut"}, {9, "uint4"}, {16, "e4m3"}, {23, "int4"}}};
constexpr std::array<std::string_view, 6> kSections = {"lut",   "pal",  "ocgs",
                                                       "scale", "bias", "weights"};

struct CodecRoutes {
  std::string_view form;
  Route h13;
  Route a14;
  Route a15;
  std::string_view gate;  // offsets of the hardware-table bytes that select the route
};
constexpr std::array<CodecRoutes, 4> kCodecs = {{
    {"int8 affine", Route::kFold, Route::kStream, Route::kStream, "0x528, 0x532, 0x537"},
    {"int4 table", Route::kStream, Route::kStream, Route::kStream, "0x48f, 0x529"},
    {"sparse", Route::kStream, Route::kStream, Route::kStream, "0x48f"},
    {"blockwise affine", Route::kFold, Route::kFold, Route::kStream, "0x520, 0x523, 0x533, 0x539"},
}};

}  // namespace

std::span<const TypeNumber> UnitTypeNumbers() { return kTypeNumbers; }
std::span<const std::string_view> UnitSections() { return kSections; }

Route RouteOf(std::string_view form, Generation generation) {
  const auto it = std::ranges::find(kCodecs, form, &CodecRoutes::form);
  if (it == kCodecs.end()) return Route::kFold;
  switch (generation) {
    case Generation::kH13:
      return it->h13;
    case Generation::kA14:
      return it->a14;
    case Generation::kA15AndLater:
      return it->a15;
  }
  return Route::kFold;
}

bool EncoderPacksIndexWidth(uint32_t bits, Generation generation) {
  if (bits == 4 || bits == 8) return true;
  return generation != Generation::kH13 && (bits == 3 || bits == 6);
}

}  // namespace anecheck::kernelweights
