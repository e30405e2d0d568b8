#include "harness/formats/td/layout.h"

#include <array>
#include <map>

#include "harness/formats/td/v7_fields.h"

namespace anecheck::td {
namespace {

// The word layouts of the version-7 image by image offset. They are made once from the field table.
class V7Words {
 public:
  V7Words() {
    const auto fields = V7Fields();
    fields_.reserve(fields.size());
    for (const V7Field& field : fields) {
      fields_.push_back({.name = field.name, .bit = field.bit, .width = field.width});
    }
    for (size_t begin = 0; begin < fields.size();) {
      size_t end = begin;
      while (end < fields.size() && fields[end].image_offset == fields[begin].image_offset) ++end;
      words_[fields[begin].image_offset] = {fields[begin].register_name,
                                            std::span(fields_).subspan(begin, end - begin)};
      begin = end;
    }
    AddConflicts();
  }

  WordLayout Find(uint32_t image_offset) const {
    const auto found = words_.find(image_offset);
    return found == words_.end() ? WordLayout{} : found->second;
  }

 private:
  void AddConflicts() {
    const auto fields = V7Fields();
    for (const V7Conflict& conflict : V7Conflicts()) {
      for (size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].image_offset != conflict.image_offset || fields[i].name != conflict.name) {
          continue;
        }
        fields_[i].other_bit = conflict.map_bit;
        fields_[i].other_width = conflict.map_width;
      }
    }
  }

  std::vector<WordField> fields_;
  std::map<uint32_t, WordLayout> words_;
};

const V7Words& V7() {
  static const V7Words words;
  return words;
}

struct NamedWord {
  std::string_view name;
  std::span<const WordField> fields;
};

// The header from H14 on (public guide). Only the H16 register map has word 9.
constexpr auto kTid = std::to_array<WordField>({{"TID", 0, 16}, {"TaskSize", 16, 11}});
constexpr auto kExeCycles = std::to_array<WordField>({{"ExeCycles", 0, 16}});
constexpr auto kLogEvents = std::to_array<WordField>({{"LogEvents", 0, 24}});
constexpr auto kExceptions = std::to_array<WordField>({{"Exceptions", 0, 24}});
constexpr auto kDebugLogEvents = std::to_array<WordField>({{"DebugLogEvents", 0, 24}});
constexpr auto kDebugExceptions = std::to_array<WordField>({{"DebugExceptions", 0, 24}});
constexpr auto kLiveOuts = std::to_array<WordField>({{"LiveOuts", 0, 24}});
constexpr auto kUnknownFlags = std::to_array<WordField>({{"UnknownFlags", 0, 32}});
constexpr auto kControl = std::to_array<WordField>({{"TSR", 0, 1}, {"TDE", 1, 1}, {"ENE", 16, 3}});
constexpr auto kDtid = std::to_array<WordField>({{"DTID", 0, 16}});

constexpr auto kLaterHeader = std::to_array<NamedWord>({
    {"Header[0]", kTid},
    {"Header[1]", kExeCycles},
    {"Header[2]", kLogEvents},
    {"Header[3]", kExceptions},
    {"Header[4]", kDebugLogEvents},
    {"Header[5]", kDebugExceptions},
    {"Header[6]", kLiveOuts},
    {"Header[7]", kUnknownFlags},
    {"Header[8]", kControl},
    {"Header[9]", kDtid},
});

// Registers of later generations. Source of their addresses: more/hwx_stream_rules.csv.
constexpr auto kChannelCfg = std::to_array<WordField>({{"InFmt", 0, 2}, {"OutFmt", 4, 2}});
constexpr auto kTaskType = std::to_array<WordField>({{"TaskType", 4, 4}});

}  // namespace

uint32_t NamedBits(const WordLayout& layout) {
  uint32_t bits = 0;
  for (const WordField& field : layout.fields) bits |= FieldMask(field.width) << field.bit;
  return bits;
}

WordLayout HeaderWord(const Generation& generation, uint32_t index) {
  if (generation.coding == Coding::kByteAddress) return V7().Find(4 * index);
  return {kLaterHeader[index].name, kLaterHeader[index].fields};
}

WordLayout Register(const Generation& generation, uint32_t byte_address) {
  if (generation.coding == Coding::kByteAddress) {
    const uint32_t image_offset = V7ImageOffset(byte_address);
    return image_offset == 0 ? WordLayout{} : V7().Find(image_offset);
  }
  const bool early = PlacesAsH14(generation);
  if (byte_address == (early ? 4u * 2 : 0u)) return {"Common.ChannelCfg", kChannelCfg};
  if (byte_address == (early ? 4u * 14 : 4u * 15)) return {"Common.MacCfg", kTaskType};
  return {};
}

}  // namespace anecheck::td
