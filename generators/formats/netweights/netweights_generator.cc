// Weight files with and without a table, and edits that break one rule each.
#include "generators/formats/netweights/netweights_generator.h"

#include "generators/formats/document_edit.h"
#include "harness/base/base64.h"
#include "harness/base/half.h"
#include "harness/formats/weightblob/netweights_format.h"
#include "harness/formats/weightblob/weight_file.h"

namespace anecheck {
namespace {

Bytes HalfValues(ChoiceStream& choices, size_t count) {
  Bytes bytes;
  for (size_t i = 0; i < count; ++i) {
    const Half half = DoubleToHalf(static_cast<double>(choices.Range(-16, 16)) / 4);
    bytes.push_back(static_cast<uint8_t>(half.bits));
    bytes.push_back(static_cast<uint8_t>(half.bits >> 8));
  }
  return bytes;
}

Bytes Generate(ChoiceStream& choices) {
  weightblob::WeightFile file;
  file.has_table = choices.Coin();
  if (!file.has_table) {
    // Small whole numbers may begin as a table does.
    Bytes values = HalfValues(choices, 4 + choices.Below(64));
    if (choices.Chance(1, 4)) {
      const uint64_t count = 1 + choices.Below(2);
      for (size_t i = 0; i < 8; ++i) values[i] = i == 0 ? static_cast<uint8_t>(count) : 0;
      values.insert(values.begin() + 8, 16, 0);
    }
    file.blobs.push_back({0, std::move(values)});
    return weightblob::WriteWeightFile(file);
  }
  const uint64_t count = 1 + choices.Below(6);
  for (uint64_t i = 0; i < count; ++i) {
    file.blobs.push_back({i, HalfValues(choices, 4 * choices.Below(12))});
  }
  return weightblob::WriteWeightFile(file);
}

bool HasTable(const Json& json) { return json.at("table").get<bool>(); }

// The bytes of blob `a`, changed by `change`, which says whether it changed them.
template <typename Change>
bool EditBlob(Json& json, uint64_t a, Change change) {
  Json* blob = PickElement(json, "blobs", a);
  if (blob == nullptr) return false;
  Result<std::vector<uint8_t>> bytes = Base64Decode(blob->at("data").get<std::string>());
  if (!bytes.ok() || !change(bytes.value())) return false;
  (*blob)["data"] = Base64Encode(bytes.value());
  return true;
}

bool StoreWord(Bytes& bytes, size_t at, uint64_t value) {
  if (at + 8 > bytes.size()) return false;
  bool changed = false;
  for (size_t i = 0; i < 8; ++i) {
    const auto byte = static_cast<uint8_t>(value >> (8 * i));
    changed |= bytes[at + i] != byte;
    bytes[at + i] = byte;
  }
  return changed;
}

constexpr DocumentEdit kEdits[] = {
    {"skip-an-id", "blob-ids-count-up",
     [](Json& json, uint64_t a, uint64_t) {
       if (!HasTable(json) || json.at("blobs").size() < 2) return false;
       json["blobs"][1 + a % (json["blobs"].size() - 1)]["id"] = 77U;
       return true;
     }},
    {"repeat-an-id", "blob-ids-count-up",
     [](Json& json, uint64_t, uint64_t) {
       if (!HasTable(json) || json.at("blobs").size() < 2) return false;
       json["blobs"].back()["id"] = 0U;
       return true;
     }},
    {"odd-blob", "blob-sizes-whole-words",
     [](Json& json, uint64_t a, uint64_t b) {
       return HasTable(json) && EditBlob(json, a, [&](std::vector<uint8_t>& bytes) {
                bytes.push_back(static_cast<uint8_t>(b));
                return true;
              });
     }},
    {"one-more-blob", "",
     [](Json& json, uint64_t, uint64_t) {
       if (!HasTable(json)) return false;
       json["blobs"].push_back({{"id", json["blobs"].size()}, {"data", "AAECAwQFBgc="}});
       return true;
     }},
    {"empty-file", "file-not-empty",
     [](Json& json, uint64_t, uint64_t) {
       if (HasTable(json) || json.at("blobs").at(0).at("data") == "") return false;
       json["blobs"] = Json::array();
       return true;
     }},
    {"odd-plain-values", "plain-values-whole",
     [](Json& json, uint64_t, uint64_t b) {
       return !HasTable(json) && EditBlob(json, 0, [&](std::vector<uint8_t>& bytes) {
         if (bytes.empty()) return false;
         bytes.push_back(static_cast<uint8_t>(b));
         return true;
       });
     }},
    {"overflow-count", "", nullptr,
     [](Bytes& bytes, const Json& json, uint64_t, uint64_t b) {
       return HasTable(json) && StoreWord(bytes, 0, b == 0 ? ~uint64_t{0} : b << 48);
     }},
    {"grow-count", "", nullptr,
     [](Bytes& bytes, const Json& json, uint64_t, uint64_t) {
       return HasTable(json) && StoreWord(bytes, 0, json.at("blobs").size() + 1);
     }},
    {"overflow-size", "", nullptr,
     [](Bytes& bytes, const Json& json, uint64_t a, uint64_t) {
       return HasTable(json) && !json.at("blobs").empty() &&
              StoreWord(bytes, 16 + 16 * (a % json.at("blobs").size()), ~uint64_t{0});
     }},
    {"swap-blobs", "",
     [](Json& json, uint64_t, uint64_t) {
       if (!HasTable(json) || json.at("blobs").size() < 2) return false;
       Json& blobs = json["blobs"];
       if (blobs[0]["data"] == blobs[1]["data"]) return false;
       std::swap(blobs[0]["data"], blobs[1]["data"]);
       return true;
     }},
    {"drop-a-blob", "",
     [](Json& json, uint64_t a, uint64_t) {
       if (!HasTable(json) || json.at("blobs").size() < 2) return false;
       json["blobs"].erase(a % json["blobs"].size());
       return true;
     }},
    {"flip-a-bit", "",
     [](Json& json, uint64_t a, uint64_t b) {
       return EditBlob(json, a, [&](std::vector<uint8_t>& bytes) {
         if (bytes.empty()) return false;
         bytes[b % bytes.size()] ^= static_cast<uint8_t>(1U << (a % 8));
         return true;
       });
     }},
    {"plain-instead-of-table", "",
     [](Json& json, uint64_t, uint64_t) {
       if (!HasTable(json)) return false;
       json["table"] = false;
       return true;
     }},
};

constexpr auto kMutations = MakeMutationKinds<kFormat_netweights, kEdits>();

}  // namespace

const DescriptorGenerator kGenerator_netweights = {"netweights", Generate, kMutations};

}  // namespace anecheck
