// Draws activation records of both views. Has edits that break one rule each.
#include "generators/formats/activation/activation_generator.h"

#include <array>
#include <cmath>

#include "generators/formats/document_edit.h"
#include "harness/formats/activation/record.h"

namespace anecheck {
namespace {

using activation::kKnots;

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double Tanh(double x) { return std::tanh(x); }
double Square(double x) { return x * x; }

Bytes Generate(ChoiceStream& choices) {
  static constexpr std::array<double (*)(double), 3> kFunctions = {Sigmoid, Tanh, Square};
  const double low = -static_cast<double>(choices.Range(1, 16));
  const double high = static_cast<double>(choices.Range(1, 16));
  activation::WordsRecord words = activation::Sample(low, high, choices.Pick(kFunctions));
  words.mode = static_cast<uint16_t>(choices.Below(48));
  words.packed_mode = static_cast<uint16_t>(choices.Below(1 << 16));
  for (Half& tail : words.tail) tail = DoubleToHalf(static_cast<double>(choices.Range(-4, 4)));
  if (choices.Coin()) {
    activation::DeltasRecord deltas;
    deltas.knots = words.knots;
    deltas.deltas = activation::DeltasOf(words.knots);
    deltas.header.resize(1 + choices.Below(8));
    for (uint16_t& word : deltas.header) word = static_cast<uint16_t>(choices.Below(1 << 16));
    return activation::Write(deltas);
  }
  words.unplaced = {static_cast<uint16_t>(choices.Below(1 << 16))};
  return activation::Write(words);
}

bool IsWords(const Json& json) { return json.at("view") == "words"; }

// Sets a member of the words view.
bool SetWord(Json& json, const char* key, uint16_t bits) {
  if (!IsWords(json) || json.at(key) == bits) return false;
  json[key] = bits;
  return true;
}

constexpr DocumentEdit kEdits[] = {
    {"drop-unplaced-word", "described-length",
     [](Json& json, uint64_t, uint64_t) {
       if (!IsWords(json)) return false;
       json["unplaced"] = Json::array();
       return true;
     }},
    {"swap-clamps", "clamps-ordered",
     [](Json& json, uint64_t, uint64_t) {
       if (!IsWords(json)) return false;
       std::swap(json["clamp_low"], json["clamp_high"]);
       return true;
     }},
    {"equal-clamps", "clamps-ordered",
     [](Json& json, uint64_t, uint64_t) {
       return IsWords(json) && SetWord(json, "clamp_low", json.at("clamp_high").get<uint16_t>());
     }},
    {"infinite-clamp", "clamps-finite",
     [](Json& json, uint64_t, uint64_t) { return SetWord(json, "clamp_high", 0x7c00); }},
    {"nan-clamp", "clamps-finite",
     [](Json& json, uint64_t, uint64_t) { return SetWord(json, "clamp_low", 0x7e00); }},
    {"nan-scale", "scale-finite",
     [](Json& json, uint64_t, uint64_t) { return SetWord(json, "scale", 0x7e01); }},
    {"nan-knot", "knots-numbers",
     [](Json& json, uint64_t a, uint64_t) {
       json.at("knots")[a % kKnots] = 0x7e00U;
       return true;
     }},
    {"wrong-delta", "deltas-between-knots",
     [](Json& json, uint64_t a, uint64_t) {
       if (IsWords(json)) return false;
       json.at("deltas")[a % activation::kSegments] = 0x7bffU;
       return true;
     }},
    {"longer-header", "",
     [](Json& json, uint64_t, uint64_t b) {
       if (IsWords(json) || json.at("header").size() >= 8) return false;
       json["header"].push_back(b & 0xffff);
       return true;
     }},
    {"change-mode", "",
     [](Json& json, uint64_t, uint64_t b) {
       return SetWord(json, "mode", static_cast<uint16_t>(b));
     }},
    {"change-packed-mode", "",
     [](Json& json, uint64_t, uint64_t b) {
       return SetWord(json, "packed_mode", static_cast<uint16_t>(b));
     }},
    {"infinite-knot", "",
     [](Json& json, uint64_t a, uint64_t) {
       json.at("knots")[a % kKnots] = 0xfc00U;
       return true;
     }},
    {"flip-tail", "",
     [](Json& json, uint64_t a, uint64_t b) {
       if (!IsWords(json)) return false;
       Json& tail = json.at("tail")[a % 4];
       tail = tail.get<uint16_t>() ^ (1U << (b % 16));
       return true;
     }},
};

constexpr auto kMutations = MakeMutationKinds<kFormat_activation, kEdits>();

}  // namespace

const DescriptorGenerator kGenerator_activation = {"activation", Generate, kMutations};

}  // namespace anecheck
