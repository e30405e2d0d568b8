#include "generators/formats/netlist/binary_tables.h"

#include <string>

namespace anecheck {
namespace {

using plist::BinaryContainer;
using plist::BinaryObject;
using plist::BinaryTable;

// Returns `least`, or a multiple of it by a power of two, up to `most`.
uint8_t WiderWidth(uint8_t least, uint8_t most, ChoiceStream& choices) {
  uint8_t width = least;
  while (width < most && choices.Coin()) width = static_cast<uint8_t>(2 * width);
  return width;
}

bool HasCount(const BinaryObject& object) {
  return std::holds_alternative<std::string>(object.payload) ||
         std::holds_alternative<tree::Data>(object.payload) ||
         std::holds_alternative<BinaryContainer>(object.payload);
}

void Widen(BinaryObject& object, ChoiceStream& choices) {
  if (const auto* integer = std::get_if<int64_t>(&object.payload)) {
    // Only integers of 8 bytes are signed, so negative numbers keep this width.
    if (*integer >= 0) object.width = WiderWidth(object.width, 16, choices);
  } else if (std::holds_alternative<double>(object.payload)) {
    object.width = 8;
  } else if (std::holds_alternative<std::string>(object.payload)) {
    object.width = 2;
  }
  if (HasCount(object) && choices.Coin()) {
    object.count_width = WiderWidth(object.count_width == 0 ? 1 : object.count_width, 8, choices);
  }
}

BinaryObject GenerateOrphan(ChoiceStream& choices) {
  switch (choices.Below(8)) {
    case 0:
      return {choices.Coin()};
    case 1:
      return {static_cast<int64_t>(choices.Below(256)), 1};
    case 2:
      return {~uint64_t{0} - choices.Below(256), 16};
    case 3:
      return {static_cast<double>(choices.Below(256)) / 8, 4};
    case 4:
      return {std::string("\xc3\xa9\xf0\x9f\x99\x82"), 2};
    case 5:
      return {tree::Date{static_cast<double>(choices.Below(1u << 30)) / 4}, 8};
    case 6:
      return {tree::Uid{choices.Below(1u << 24)}, 3};
    default:
      return {tree::Data{{static_cast<uint8_t>(choices.Below(256)), 2, 3}}, 0};
  }
}

}  // namespace

plist::BinaryTable GenerateOtherTable(const tree::Value& root, ChoiceStream& choices) {
  BinaryTable table = plist::TableFromValue(root);
  for (BinaryObject& object : table.objects) {
    if (choices.Chance(1, 8)) Widen(object, choices);
  }
  const uint64_t orphans = choices.Below(3);
  for (uint64_t i = 0; i < orphans; ++i) table.objects.push_back(GenerateOrphan(choices));
  // The objects are larger than before. Four bytes are enough for all offsets.
  table.offset_size = static_cast<uint8_t>(4 + choices.Below(5));
  table.reference_size = static_cast<uint8_t>(table.reference_size +
                                              choices.Below(9 - uint64_t{table.reference_size}));
  if (table.objects.size() > 255 && table.reference_size == 1) table.reference_size = 2;
  table.sort_version = static_cast<uint8_t>(choices.Below(3));
  table.unused[choices.Below(table.unused.size())] = static_cast<uint8_t>(choices.Below(2));
  return table;
}

}  // namespace anecheck
