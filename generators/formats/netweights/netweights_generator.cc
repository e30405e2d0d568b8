// Draws weight files with and without a table. Has edits that break one rule each.
#include "generators/formats/netweights/netweights_generator.h"

#include <algorithm>

#include "generators/formats/document_edit.h"
#include "harness/base/base64.h"
#include "harness/base/half.h"
#include "harness/formats/netweights/netweights_format.h"
#include "harness/formats/netweights/weight_file.h"

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
  netweights::WeightFile file;
  file.has_table = choices.Coin();
  if (!file.has_table) {
    // The data of a file without a table may begin with bytes that look like a table.
    Bytes values = HalfValues(choices, 4 + choices.Below(64));
    if (choices.Chance(1, 4)) {
      const uint64_t count = 1 + choices.Below(2);
      for (size_t i = 0; i < 8; ++i) values[i] = i == 0 ? static_cast<uint8_t>(count) : 0;
      values.insert(values.begin() + 8, 16, 0);
    }
    file.blobs.push_back({0, std::move(values)});
    return netweights::WriteWeightFile(file);
  }
  const uint64_t count = 1 + choices.Below(6);
  for (uint64_t i = 0; i < count; ++i) {
    file.blobs.push_back({i, HalfValues(choices, 4 * choices.Below(12))});
  }
  return netweights::WriteWeightFile(file);
}

bool HasTable(const Json& json) { return json.at("table").get<bool>(); }

// Applies `change` to the blob that `a` chooses. `change` returns whether it changed the bytes.
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

uint64_t LoadWord(const Bytes& bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) value |= uint64_t{bytes[at + i]} << (8 * i);
  return value;
}

// The file offset of the table field that states the size of a blob.
size_t SizeAt(uint64_t blob) { return 16 + 16 * blob; }

uint64_t BlobCount(const Json& json) { return HasTable(json) ? json.at("blobs").size() : 0; }

bool Cut(Bytes& bytes, uint64_t size) {
  if (size >= bytes.size()) return false;
  bytes.resize(size);
  return true;
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
       if (HasTable(json) || json.at("blobs").at(0).at("data").text().empty()) return false;
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
    {"clear-plain-values", "values-not-all-zero",
     [](Json& json, uint64_t, uint64_t) {
       return !HasTable(json) && EditBlob(json, 0, [](std::vector<uint8_t>& bytes) {
         const bool clears = bytes.size() % 2 == 0 &&
                             std::ranges::count(bytes, 0) != static_cast<ptrdiff_t>(bytes.size());
         std::ranges::fill(bytes, uint8_t{0});
         return clears;
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
    // Flips bit 63 of two sizes, so their sum wraps to its old value.
    {"wrap-sizes", "", nullptr,
     [](Bytes& bytes, const Json& json, uint64_t a, uint64_t) {
       const uint64_t count = BlobCount(json);
       if (count < 2) return false;
       for (const uint64_t blob : {a % count, (a + 1) % count}) {
         const size_t at = SizeAt(blob);
         StoreWord(bytes, at, LoadWord(bytes, at) ^ uint64_t{1} << 63);
       }
       return true;
     }},
    {"move-border", "", nullptr,
     [](Bytes& bytes, const Json& json, uint64_t a, uint64_t b) {
       const uint64_t count = BlobCount(json);
       if (count < 2) return false;
       const size_t from = SizeAt(a % count);
       const size_t to = SizeAt((a + 1) % count);
       const uint64_t words = LoadWord(bytes, from) / 8;
       if (words == 0) return false;
       const uint64_t moved = 8 * (1 + b % words);
       StoreWord(bytes, from, LoadWord(bytes, from) - moved);
       return StoreWord(bytes, to, LoadWord(bytes, to) + moved);
     }},
    {"empty-a-blob", "",
     [](Json& json, uint64_t a, uint64_t) {
       Json* blob = HasTable(json) ? PickElement(json, "blobs", a) : nullptr;
       if (blob == nullptr || (*blob)["data"].text().empty()) return false;
       (*blob)["data"] = "";
       return true;
     }},
    {"cut-the-table", "", nullptr,
     [](Bytes& bytes, const Json& json, uint64_t a, uint64_t) {
       return HasTable(json) && Cut(bytes, 1 + a % (SizeAt(BlobCount(json)) - 8));
     }},
    {"cut-the-data", "", nullptr,
     [](Bytes& bytes, const Json&, uint64_t a, uint64_t) {
       return bytes.size() > 1 && Cut(bytes, 1 + a % (bytes.size() - 1));
     }},
    {"trailing-bytes", "", nullptr,
     [](Bytes& bytes, const Json& json, uint64_t a, uint64_t b) {
       if (!HasTable(json)) return false;
       bytes.insert(bytes.end(), 1 + a % 16, static_cast<uint8_t>(b));
       return true;
     }},
    {"count-before-values", "", nullptr,
     [](Bytes& bytes, const Json& json, uint64_t, uint64_t b) {
       return !HasTable(json) && StoreWord(bytes, 0, 1 + b % 4);
     }},
    {"table-instead-of-plain", "", nullptr,
     [](Bytes& bytes, const Json& json, uint64_t, uint64_t) {
       if (HasTable(json) || bytes.empty()) return false;
       const uint64_t size = bytes.size();
       bytes.insert(bytes.begin(), SizeAt(1) - 8, 0);
       return StoreWord(bytes, 0, 1) && StoreWord(bytes, SizeAt(0), size);
     }},
    {"special-value", "",
     [](Json& json, uint64_t a, uint64_t b) {
       return EditBlob(json, a, [&](std::vector<uint8_t>& bytes) {
         // Infinities, NaN, the smallest subnormal number, negative zero.
         constexpr uint16_t kHalves[] = {0x7c00, 0xfc00, 0x7e00, 0x0001, 0x8000};
         if (bytes.size() < 2) return false;
         const uint16_t half = kHalves[b % std::size(kHalves)];
         const size_t at = b / std::size(kHalves) % (bytes.size() / 2) * 2;
         const bool changed = bytes[at] != (half & 0xff) || bytes[at + 1] != half >> 8;
         bytes[at] = static_cast<uint8_t>(half);
         bytes[at + 1] = static_cast<uint8_t>(half >> 8);
         return changed;
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
