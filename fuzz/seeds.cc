#include "fuzz/seeds.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "harness/base/json.h"
#include "harness/base/json_pointer.h"

namespace anecheck::fuzz {
namespace {

void AddMutations(const DescriptorGenerator& generator, const SeedCandidate& base,
                  ChoiceStream& choices, std::vector<SeedCandidate>& candidates) {
  for (const MutationKind& kind : generator.mutations) {
    const std::optional<Mutation> mutation = kind.propose(base.bytes, choices);
    if (!mutation) continue;
    Result<Bytes> mutated = kind.apply(base.bytes, *mutation);
    if (!mutated.ok()) continue;
    std::string reason = fmt::format("{}, then {}", base.reason, kind.id);
    if (!kind.breaks_rule.empty()) reason += fmt::format(" (breaks {})", kind.breaks_rule);
    candidates.push_back(
        {fmt::format("{}-{}", base.name, kind.id), std::move(reason), std::move(*mutated)});
  }
}

// maximum number of records for which a reduced document is made
constexpr size_t kMaxKept = 96;
constexpr size_t kMaxBase = 65536;   // bytes
constexpr size_t kMaxElements = 32;  // of one array
constexpr size_t kMaxSmall = 8;      // parts of a file that are mutated in turn

bool HoldsRecords(const Json& json) {
  return json.is_array() && json.size() > 1 && json.front().is_object();
}

// Collects JSON pointers to the array elements that are records, the outer elements first.
void CollectRecords(const Json& json, const JsonPointer& at, std::vector<JsonPointer>& places) {
  if (json.is_object()) {
    for (const auto& [key, item] : json.items()) CollectRecords(item, at / key, places);
  } else if (HoldsRecords(json)) {
    for (size_t i = 0; i < std::min(json.size(), kMaxElements); ++i) places.push_back(at / i);
    for (size_t i = 0; i < std::min(json.size(), kMaxElements); ++i) {
      CollectRecords(json[i], at / i, places);
    }
  }
}

// Reduces every array of records to one element. It is the one that contains `kept`, else the
// first.
void KeepOne(Json& json, std::string_view kept) {
  const size_t slash = kept.empty() ? 0 : kept.find('/', 1);
  const std::string step(kept.empty() ? "" : kept.substr(1, slash - 1));
  const std::string_view rest =
      kept.empty() || slash == std::string_view::npos ? std::string_view() : kept.substr(slash);
  if (json.is_object()) {
    for (auto& [key, item] : json.items()) KeepOne(item, key == step ? rest : "");
  } else if (HoldsRecords(json)) {
    Json element = json[step.empty() ? 0 : std::stoul(step)];
    KeepOne(element, rest);
    json = Json::array({std::move(element)});
  }
}

// Removes the offsets of objects, which the JSON forms of FlatBuffers contain. Without offsets, the
// writer packs the objects. Returns whether there were any.
bool DropPlaces(Json& json) {
  bool dropped = false;
  if (json.is_object()) {
    dropped = json.erase("@") != 0;
    if (json.contains("root")) {
      for (const char* key : {"vtables", "size", "unknown", "overlapping"}) json.erase(key);
    }
  }
  for (Json& item : json) dropped |= item.is_structured() && DropPlaces(item);
  return dropped;
}

// Returns the bytes of a document, packed if possible.
Result<Bytes> PackedBytes(const Format& format, Json json) {
  const Json placed = json;
  if (DropPlaces(json)) {
    Result<Bytes> packed = format.from_json(json);
    if (packed.ok() && format.rewrite(*packed).ok()) return packed;
  }
  return format.from_json(placed);
}

// Adds one file for each record. The file has this record and one record of each other array.
// Fuzzers run such small files fast, and most edits change relevant bytes.
void AddParts(const Format& format, const SeedCandidate& base,
              std::vector<SeedCandidate>& candidates) {
  if (base.bytes.size() > kMaxBase) return;
  const Result<Json> json = format.to_json(base.bytes);
  if (!json.ok()) return;
  std::vector<JsonPointer> places;
  CollectRecords(*json, JsonPointer(), places);
  if (places.size() > kMaxKept) places.resize(kMaxKept);
  for (size_t i = 0; i < places.size(); ++i) {
    Json reduced = *json;
    KeepOne(reduced, places[i].to_string());
    Result<Bytes> bytes = PackedBytes(format, std::move(reduced));
    if (!bytes.ok() || bytes->size() >= base.bytes.size()) continue;
    candidates.push_back(
        {fmt::format("{}-part{}", base.name, i),
         fmt::format("{}, one record of each array: {}", base.reason, places[i].to_string()),
         std::move(*bytes)});
  }
}

}  // namespace

std::vector<SeedCandidate> MakeSeedCandidates(const FuzzTarget& target, uint64_t count,
                                              size_t max_size) {
  std::vector<SeedCandidate> candidates;
  const bool own = target.generate != nullptr;
  if (!own && target.generator == nullptr) return candidates;
  for (uint64_t seed = 0; seed < count; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const Bytes file = own ? target.generate(choices) : target.generator->generate(choices);
    const size_t whole = candidates.size();
    const SeedCandidate base = {fmt::format("{:04}", seed), fmt::format("generator, seed {}", seed),
                                file};
    candidates.push_back(base);
    if (target.generator != nullptr) AddMutations(*target.generator, base, choices, candidates);
    if (target.format == nullptr) continue;
    AddParts(*target.format, base, candidates);
    // Adds parts and mutations of the first candidates that are at most half as large as the file.
    const size_t end = candidates.size();
    size_t taken = 0;
    for (size_t i = whole + 1; i < end && taken < kMaxSmall; ++i) {
      const SeedCandidate small = candidates[i];
      if (small.bytes.size() > file.size() / 2 || !target.format->rewrite(small.bytes).ok()) {
        continue;
      }
      ++taken;
      AddParts(*target.format, small, candidates);
      if (target.generator != nullptr) AddMutations(*target.generator, small, choices, candidates);
    }
  }
  std::erase_if(candidates,
                [&](const SeedCandidate& seed) { return seed.bytes.size() > max_size; });
  return candidates;
}

}  // namespace anecheck::fuzz
