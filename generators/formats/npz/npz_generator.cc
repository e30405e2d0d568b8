#include "generators/formats/npz/npz_generator.h"

#include <fmt/format.h>

#include "generators/formats/document_edit.h"
#include "harness/formats/npz/npz.h"
#include "harness/formats/npz/npz_format.h"

namespace anecheck {
namespace {

constexpr auto kElementTypes = std::to_array<npz::ElementType>(
    {npz::ElementType::kFloat16, npz::ElementType::kFloat32, npz::ElementType::kFloat64,
     npz::ElementType::kInt8, npz::ElementType::kInt32, npz::ElementType::kInt64,
     npz::ElementType::kUint8, npz::ElementType::kUint16, npz::ElementType::kBool});

npz::Array DrawArray(ChoiceStream& choices) {
  npz::Array array;
  array.type = choices.Pick(kElementTypes);
  array.shape.resize(choices.Below(4));
  uint64_t elements = 1;
  for (uint64_t& extent : array.shape) {
    extent = choices.Below(5);
    elements *= extent;
  }
  array.data.resize(elements * npz::ElementSize(array.type));
  for (uint8_t& byte : array.data) byte = static_cast<uint8_t>(choices.Below(2));
  return array;
}

Bytes Generate(ChoiceStream& choices) {
  if (choices.Below(4) == 1) return npz::WriteNpy(DrawArray(choices)).value();
  std::vector<npz::NamedArray> arrays(1 + choices.Below(3));
  for (size_t i = 0; i < arrays.size(); ++i) {
    arrays[i] = {fmt::format("x{}", i), DrawArray(choices)};
  }
  return npz::WriteNpz(arrays, choices.Coin()).value();
}

bool IsArchive(const Json& json) { return json.contains("entries"); }

// Sets a number of the member that `a` chooses, in its local header, central header or both.
bool SetField(Json& json, uint64_t a, const char* field, uint64_t value, bool local, bool central) {
  Json* entry = PickElement(json, "entries", a);
  if (entry == nullptr || entry->at("central").at(field) == value) return false;
  if (local) entry->at("local")[field] = value;
  if (central) entry->at("central")[field] = value;
  return true;
}

bool ChangeLocalFlags(Json& json, uint64_t a, uint64_t b) {
  return SetField(json, a, "flags", 0x10 << (b % 8), true, false);
}

bool ChangeChecksum(Json& json, uint64_t a, uint64_t b) {
  return SetField(json, a, "crc32", b, true, true);
}

bool GrowSize(Json& json, uint64_t a, uint64_t b) {
  return SetField(json, a, "size", 0x100000 + b, true, true);
}

bool RenameMember(Json& json, uint64_t a, uint64_t) {
  Json* entry = PickElement(json, "entries", a);
  if (entry == nullptr || !entry->at("central").contains("name")) return false;
  for (const char* header : {"local", "central"}) {
    auto name = entry->at(header).at("name").get<std::string>();
    if (name.empty()) return false;
    name.back() = 'z';
    entry->at(header)["name"] = name;
  }
  return true;
}

bool RepeatName(Json& json, uint64_t, uint64_t) {
  if (!IsArchive(json) || json.at("entries").size() < 2) return false;
  Json& entries = json["entries"];
  for (const char* header : {"local", "central"}) {
    entries[1].at(header)["name"] = entries[0].at(header).at("name");
  }
  return true;
}

bool ChangeMethod(Json& json, uint64_t a, uint64_t b) {
  return SetField(json, a, "method", 9 + b % 90, true, true);
}

bool SaturateSize(Json& json, uint64_t a, uint64_t) {
  return SetField(json, a, "size", 0xffffffff, true, true);
}

bool ChangeAttributes(Json& json, uint64_t a, uint64_t b) {
  Json* entry = PickElement(json, "entries", a);
  if (entry == nullptr) return false;
  (*entry)["external_attributes"] = 1 + b;
  return true;
}

bool ChangeFlags(Json& json, uint64_t a, uint64_t b) {
  return SetField(json, a, "flags", 2 << (b % 3), true, true);
}

// Removes a byte from the padding of the header of an .npy file.
bool ShortenPadding(Json& json, uint64_t, uint64_t) {
  if (IsArchive(json) || json.at("array").at("padding") == 0) return false;
  Json& padding = json["array"]["padding"];
  padding = padding.get<uint64_t>() - 1;
  return true;
}

bool GrowExtent(Json& json, uint64_t a, uint64_t b) {
  if (IsArchive(json)) return false;
  Json* extent = PickElement(json["array"], "shape", a);
  if (extent == nullptr) return false;
  *extent = extent->get<uint64_t>() + 1 + b;
  return true;
}

constexpr const char* kThreeBytes = "VVVV";  // three bytes in base64

// Inserts bytes that belong to no record before the last member.
bool OpenGap(Json& json, uint64_t, uint64_t) {
  if (!IsArchive(json) || json.at("entries").empty()) return false;
  Json& entry = json["entries"].back();
  entry["gap_before"] = kThreeBytes;
  entry["local_offset"] = entry.at("local_offset").get<uint64_t>() + 3;
  json["directory_offset"] = json.at("directory_offset").get<uint64_t>() + 3;
  return true;
}

bool EndGap(Json& json, uint64_t, uint64_t) {
  if (!IsArchive(json)) return false;
  json["gap_before_end"] = kThreeBytes;
  return true;
}

bool Truncate(Bytes& bytes, const Json&, uint64_t a, uint64_t b) {
  bytes.resize((a << 16 | b) % bytes.size());
  return true;
}

bool ChangeByte(Bytes& bytes, const Json&, uint64_t a, uint64_t b) {
  bytes[a % bytes.size()] ^= 1 + b % 255;
  return true;
}

constexpr DocumentEdit kEdits[] = {
    {"change-local-flags", "headers-agree", ChangeLocalFlags},
    {"change-checksum", "content-as-stated", ChangeChecksum},
    {"grow-size", "content-as-stated", GrowSize},
    {"rename-member", "member-is-array", RenameMember},
    {"repeat-name", "unique-names", RepeatName},
    {"shorten-padding", "elements-aligned", ShortenPadding},
    {"open-gap", "no-gaps", OpenGap},
    {"grow-extent", "member-is-array", GrowExtent},
    {"change-method", "", ChangeMethod},
    {"saturate-size", "", SaturateSize},
    {"change-attributes", "", ChangeAttributes},
    {"change-flags", "", ChangeFlags},
    {"end-gap", "", EndGap},
    {"truncate", "", nullptr, Truncate},
    {"change-byte", "", nullptr, ChangeByte},
};

constexpr auto kMutations = MakeMutationKinds<kFormat_npz, kEdits>();

}  // namespace

const DescriptorGenerator kGenerator_npz = {
    .format = "npz", .generate = Generate, .mutations = kMutations};

}  // namespace anecheck
