// Reads type and tensor strings of a container's symbol table. An accepted string prints unchanged.
#include <algorithm>
#include <array>
#include <string>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "fuzz/targets/input_text.h"
#include "harness/formats/stabs/stabs.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws = LawList("print(parse(x)) is x", "printed strides parse",
                               "every axis is found", "strides print as they were");
using Laws = LawBook<kLaws>;

bool Check(ByteSpan input) {
  const std::string_view text = AsText(input);
  if (const auto type = stabs::ParseType(text)) {
    Laws::Require(stabs::Print(*type) == text, "print(parse(x)) is x", text);
  }
  if (const auto tensor = stabs::ParseTensor(text)) {
    Laws::Require(stabs::Print(*tensor) == text, "print(parse(x)) is x", text);
    const std::string strides = stabs::PrintStrides(*tensor);
    const auto reread = stabs::ParseStrides(strides);
    Laws::Require(reread.has_value(), "printed strides parse", strides);
    Laws::Require(stabs::PrintStrides(*reread) == strides, "printed strides parse", strides);
    for (const stabs::Axis& axis : tensor->Axes()) {
      Laws::Require(tensor->Find(axis.axis) != nullptr, "every axis is found", text);
    }
  }
  if (const auto strides = stabs::ParseStrides(text)) {
    Laws::Require(stabs::PrintStrides(*strides) == text, "strides print as they were", text);
  }
  return true;
}

WordTables Words() {
  constexpr size_t kLongest = 24;  // every other catalog is a prefix of this catalog
  WordTable catalog = {"element_types"};
  for (const std::string_view entry : stabs::Catalog(kLongest)) catalog.Text(entry);
  return {catalog};
}

stabs::TensorStab DrawTensor(ChoiceStream& choices) {
  stabs::TensorStab stab;
  stab.name = "x";
  stab.id = static_cast<uint32_t>(choices.Below(64));
  stab.axis_count = static_cast<uint8_t>(1 + choices.Below(stabs::kMaxAxes));
  uint64_t stride = 2;
  for (uint8_t i = 0; i < stab.axis_count; ++i) {
    stabs::Axis& axis = stab.axes[i];
    axis.extent = static_cast<int64_t>(choices.Below(9));
    axis.id = stab.id + 1 + i;
    axis.stride = stride;
    axis.axis = "whcdnabe"[i];
    stride *= 1 + choices.Below(64);
  }
  std::reverse(stab.axes.begin(), stab.axes.begin() + stab.axis_count);
  stab.element_type = static_cast<uint32_t>(choices.Below(24));
  return stab;
}

Bytes Generate(ChoiceStream& choices) {
  static constexpr std::array<size_t, 4> kCatalogs = {10, 15, 23, 24};
  std::string text;
  switch (choices.Below(3)) {
    case 0: {
      const auto catalog = stabs::Catalog(choices.Pick(kCatalogs));
      text = std::string(choices.Pick(catalog));
      break;
    }
    case 1:
      text = stabs::Print(DrawTensor(choices));
      break;
    default:
      text = stabs::PrintStrides(DrawTensor(choices));
  }
  return AsBytes(text);
}

}  // namespace

extern const FuzzTarget kTarget_stabs;
const FuzzTarget kTarget_stabs = {
    .name = "stabs", .check = Check, .laws = kLaws, .words = Words, .generate = Generate};

}  // namespace anecheck::fuzz
