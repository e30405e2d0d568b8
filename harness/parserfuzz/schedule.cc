#include "harness/parserfuzz/schedule.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <iterator>
#include <numeric>

#include "harness/parserfuzz/signature.h"

namespace anecheck::parserfuzz {
namespace {

constexpr size_t kMostKept = 4096;
constexpr size_t kMostLines = 64;  // the first lines of a stream, which are features
// number of files in which an edge of a field is tried first
constexpr uint32_t kSamplesOfField = 2;
// number of files in which an edge of a guessed place is tried first
constexpr uint32_t kSamplesOfEdge = 4;
constexpr uint32_t kMostFailures = 3;  // after this many failures of an edge, sweeps skip the edge
constexpr size_t kMostOrigin = 400;    // characters
constexpr Feature kWordFeatures = 1 << 19;

// The share of each way of editing in a thousand files, before feedback. kFastWeights is for runs
// that take about as long as an edit, kSlowWeights for runs that take a hundred times as long.
constexpr uint64_t kFastWeights[kWays] = {0, 200, 150, 20, 250, 80, 140, 140, 12, 8};
constexpr uint64_t kSlowWeights[kWays] = {0, 350, 100, 150, 100, 80, 60, 60, 60, 40};
// Feedback raises the share of a way up to this factor.
constexpr uint64_t kMostFavour = 4;

uint32_t Hash(std::string_view text) {
  uint32_t hash = 2166136261;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619;
  return hash ^ hash >> 15;
}

// Returns the order of magnitude: 1, 2, 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127, or more.
uint32_t BucketOf(uint8_t count) {
  if (count < 4) return count - 1;
  if (count < 8) return 3;
  if (count < 16) return 4;
  if (count < 32) return 5;
  return count < 128 ? 6 : 7;
}

void AddLines(std::string_view text, std::vector<Feature>& features) {
  uint32_t lines = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (lines++ < kMostLines) {
      features.push_back(kWordFeatures + Hash(WithoutNumbers(line)) % kWordFeatures);
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  features.push_back(kWordFeatures + static_cast<uint32_t>(std::bit_width(lines)));
}

}  // namespace

std::string_view WayName(Way way) {
  constexpr std::string_view kNames[kWays] = {"seed",  "field", "pair",       "named",     "sweep",
                                              "edges", "bytes", "many bytes", "structure", "cross"};
  return kNames[static_cast<size_t>(way)];
}

std::vector<Feature> FeaturesOfCounters(std::span<const uint8_t> counters) {
  std::vector<Feature> features;
  for (size_t i = 0; i < counters.size(); ++i) {
    if (counters[i] == 0) continue;
    features.push_back(static_cast<Feature>(i * 8 + BucketOf(counters[i])) % kWordFeatures);
  }
  return features;
}

std::vector<Feature> FeaturesOfWords(int exit_code, std::string_view out, std::string_view err) {
  std::vector<Feature> features = {kWordFeatures + 64 + static_cast<uint32_t>(exit_code & 0xff)};
  AddLines(out, features);
  AddLines(err, features);
  return features;
}

Schedule::Schedule(Options options, std::vector<Bytes> seeds)
    : options_(options),
      seeds_(std::move(seeds)),
      choices_(ChoiceStream::FromSeed(options.seed)),
      seen_(kMostFeatures) {}

Plan Schedule::Next() {
  if (TakesSeed()) return {.way = Way::kSeed, .parent = next_seed_++};
  Plan plan = {.way = DrawWay(), .seed = choices_.Word()};
  // If no file was kept, every seed failed.
  if (kept_.empty()) return {.way = Way::kSeed, .parent = plan.seed % seeds_.size()};
  if (plan.way == Way::kNamed && PlanNamed(plan)) return plan;
  if (plan.way == Way::kPair && TakePlanned(pairs_, Way::kPair, plan)) return plan;
  if (plan.way == Way::kField && TakePlanned(fields_, Way::kField, plan)) return plan;
  if (plan.way < Way::kEdges) {
    plan.way = Way::kSweep;
    if (PlanSweep(plan)) return plan;
    plan.way = Way::kEdges;
  }
  plan.parent = DrawKept();
  plan.other = choices_.Below(kept_.size());
  return plan;
}

bool Schedule::TakesSeed() {
  constexpr uint64_t kTurn = 4;
  if (next_seed_ == seeds_.size()) return false;
  return options_.fast_runs || kept_.empty() || next_file_++ % kTurn == 0;
}

bool Schedule::IsOneEdge(Way way) {
  return way == Way::kField || way == Way::kPair || way == Way::kSweep;
}

Bytes Schedule::Make(const Plan& plan) const {
  if (plan.way == Way::kSeed) return seeds_[plan.parent];
  const Kept& parent = kept_[plan.parent];
  ChoiceStream choices = ChoiceStream::FromSeed(plan.seed);
  Bytes bytes;
  switch (plan.way) {
    case Way::kSeed:
    case Way::kField:
    case Way::kPair:
    case Way::kSweep:
      return boundary::ApplyEdge(parent.file, parent.places[plan.place], plan.edge,
                                 options_.max_size);
    case Way::kNamed:
      return MakeNamed(parent, plan.mutation);
    case Way::kEdges:
      return DrawEdges(parent, plan.seed);
    case Way::kBytes:
      bytes = parent.file;
      EditBytes(bytes, options_.max_size, choices);
      return bytes;
    case Way::kMany:
      bytes = parent.file;
      for (uint64_t edits = 2 + choices.Below(8); edits > 0; --edits) {
        EditBytes(bytes, options_.max_size, choices);
      }
      return bytes;
    case Way::kStructure:
      return MutateStructure(options_.parts, parent.file, options_.max_size, plan.seed);
    case Way::kCross:
      return CrossFiles(options_.parts, parent.file, kept_[plan.other].file, options_.max_size,
                        plan.seed);
  }
  return bytes;
}

// Applies two to four drawn edges in turn, because an edit of a text moves later places.
Bytes Schedule::DrawEdges(const Kept& kept, uint64_t seed) const {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  Bytes bytes = kept.file;
  std::vector<boundary::Place> places = kept.places;
  for (uint64_t edits = 2 + choices.Below(3); edits > 0 && !places.empty(); --edits) {
    const boundary::Place& place = choices.Pick(places);
    const size_t edge = choices.Below(boundary::EdgeCount(place.role));
    Bytes edited = boundary::ApplyEdge(bytes, place, edge, options_.max_size);
    const bool moved = edited.size() != bytes.size();
    bytes = std::move(edited);
    if (moved) places = boundary::PlacesOf(options_.parts.format->name, bytes);
  }
  return bytes;
}

std::string Schedule::Describe(const Plan& plan) const {
  if (plan.way == Way::kSeed) return fmt::format("seed {}", plan.parent);
  const Kept& parent = kept_[plan.parent];
  std::string text = parent.origin + "; ";
  if (text.size() > kMostOrigin) text = "... " + text.substr(text.size() - kMostOrigin);
  if (plan.way == Way::kNamed) return text + plan.mutation.kind;
  return text + (IsOneEdge(plan.way) ? boundary::EdgeText(parent.places[plan.place], plan.edge)
                                     : fmt::format("{}, seed {}", WayName(plan.way), plan.seed));
}

void Schedule::Learn(const Plan& plan, const Bytes& file, std::span<const Feature> features,
                     bool failed) {
  Tally& tally = tallies_[static_cast<size_t>(plan.way)];
  ++tally.tries;
  const bool has_new = NoteFeatures(features);
  if (plan.way != Way::kSeed) {
    Kept& parent = kept_[plan.parent];
    ++parent.picks;
    if (has_new) ++parent.finds;
    if (failed && IsOneEdge(plan.way)) {
      ++failures_[{parent.places[plan.place].name, plan.edge}];
    }
  }
  if (has_new) ++tally.finds;
  if (failed || (!has_new && plan.way != Way::kSeed) || kept_.size() == kMostKept) return;
  Keep(plan, file, Describe(plan));
}

bool Schedule::NoteFeatures(std::span<const Feature> features) {
  bool has_new = false;
  for (const Feature feature : features) {
    if (seen_[feature]) continue;
    seen_[feature] = has_new = true;
  }
  return has_new;
}

void Schedule::Keep(const Plan& plan, Bytes file, std::string origin) {
  Kept kept = {.file = std::move(file), .origin = std::move(origin)};
  kept.places = boundary::PlacesOf(options_.parts.format->name, kept.file);
  for (const boundary::Place& place : kept.places) kept.edges += boundary::EdgeCount(place.role);
  // A step that is coprime to the number of edges visits each edge once.
  kept.edge_step = 1 + choices_.Below(kept.edges);
  while (kept.edges > 1 && std::gcd(kept.edge_step, kept.edges) != 1) ++kept.edge_step;
  kept_.push_back(std::move(kept));
  PlanFields(kept_.size() - 1);
  PlanPairs(kept_.size() - 1, plan);
}

void Schedule::PlanFields(size_t index) {
  const Kept& kept = kept_[index];
  const size_t before = fields_.size();
  std::set<EdgeOfField> planned;
  for (const size_t i : DrawnOrder(kept.places.size())) {
    const boundary::Place& place = kept.places[i];
    // A field of the format represents all fields of the same name. Guessed places of the same name
    // may be different fields.
    const bool is_field = place.name.find('.') != std::string_view::npos;
    const uint32_t samples = is_field ? kSamplesOfField : kSamplesOfEdge;
    for (size_t edge = 0; edge < boundary::EdgeCount(place.role); ++edge) {
      const EdgeOfField name = {place.name, edge};
      if (offered_[name] >= samples || planned.contains(name)) continue;
      // Not every edge fits every place.
      if (boundary::ApplyEdge(kept.file, place, edge, options_.max_size) == kept.file) continue;
      ++offered_[name];
      planned.insert(name);
      fields_.push_back({.way = Way::kField, .parent = index, .place = i, .edge = edge});
    }
  }
  Shuffle(fields_, before);
}

std::vector<size_t> Schedule::DrawnOrder(size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  Shuffle(order, 0);
  return order;
}

template <typename T>
void Schedule::Shuffle(std::vector<T>& items, size_t first) {
  for (size_t i = first; i < items.size(); ++i) {
    std::swap(items[i], items[first + choices_.Below(i - first + 1)]);
  }
}

void Schedule::PlanPairs(size_t index, const Plan& plan) {
  constexpr uint32_t kBeside = 16;  // bytes
  if (!IsOneEdge(plan.way)) return;
  const boundary::Place changed = kept_[plan.parent].places[plan.place];
  if (changed.role != boundary::Role::kNumber) return;
  const size_t before = pairs_.size();
  for (size_t i = 0; i < kept_[index].places.size(); ++i) {
    const boundary::Place& place = kept_[index].places[i];
    const uint32_t apart =
        std::max(place.offset, changed.offset) - std::min(place.offset, changed.offset);
    if (place.role != boundary::Role::kNumber || apart == 0 || apart > kBeside) continue;
    if (!paired_.emplace(changed.name, place.name).second) continue;
    for (size_t edge = 0; edge < boundary::EdgeCount(place.role); ++edge) {
      pairs_.push_back({.way = Way::kPair, .parent = index, .place = i, .edge = edge});
    }
  }
  Shuffle(pairs_, before);
}

bool Schedule::TakePlanned(std::vector<Plan>& planned, Way way, Plan& plan) {
  if (planned.empty()) return false;
  plan = planned.back();
  plan.way = way;
  planned.pop_back();
  return true;
}

// Plans the next mutation of the format. A few files are drawn, and the mutation is applied to the
// first one to which it applies.
bool Schedule::PlanNamed(Plan& plan) {
  constexpr int kTries = 4;
  constexpr size_t kMostTurns = 4;  // of each mutation
  const DescriptorGenerator* generator = options_.parts.generator;
  if (generator == nullptr) return false;
  while (next_mutation_ < kMostTurns * generator->mutations.size()) {
    const MutationKind& kind = generator->mutations[next_mutation_++ % generator->mutations.size()];
    for (int i = 0; i < kTries; ++i) {
      const size_t parent = DrawKept();
      if (!options_.parts.format->rewrite(kept_[parent].file).ok()) continue;
      auto mutation = kind.propose(kept_[parent].file, choices_);
      if (!mutation) continue;
      plan.parent = parent;
      plan.mutation = *std::move(mutation);
      return true;
    }
  }
  return false;
}

Bytes Schedule::MakeNamed(const Kept& kept, const Mutation& mutation) const {
  for (const MutationKind& kind : options_.parts.generator->mutations) {
    if (kind.id != mutation.kind) continue;
    Result<Bytes> bytes = kind.apply(kept.file, mutation);
    if (bytes.ok() && bytes->size() <= options_.max_size) return *std::move(bytes);
  }
  return kept.file;
}

std::pair<size_t, size_t> Schedule::EdgeAt(const Kept& kept, uint64_t number) const {
  size_t place = 0;
  while (number >= boundary::EdgeCount(kept.places[place].role)) {
    number -= boundary::EdgeCount(kept.places[place++].role);
  }
  return {place, number};
}

bool Schedule::PlanSweep(Plan& plan) {
  constexpr int kTries = 8;
  for (int i = 0; i < kTries; ++i) {
    plan.parent = DrawKept();
    Kept& kept = kept_[plan.parent];
    if (kept.next_edge >= kept.edges) continue;
    const uint64_t number = kept.next_edge++ * kept.edge_step % kept.edges;
    std::tie(plan.place, plan.edge) = EdgeAt(kept, number);
    const auto failed = failures_.find({kept.places[plan.place].name, plan.edge});
    if (failed == failures_.end() || failed->second < kMostFailures) return true;
  }
  return false;
}

uint64_t Schedule::WeightOf(Way way) const {
  const auto index = static_cast<size_t>(way);
  const uint64_t base = (options_.fast_runs ? kFastWeights : kSlowWeights)[index];
  Tally all;
  for (size_t i = 1; i < kWays; ++i) {
    all.tries += tallies_[i].tries;
    all.finds += tallies_[i].finds;
  }
  // A way with twice the average yield gets twice the share. The yield of a way that was tried only
  // a few times counts as average.
  constexpr uint64_t kDoubt = 64;
  const Tally& own = tallies_[index];
  const double average =
      static_cast<double>(all.finds + 1) / static_cast<double>(all.tries + kDoubt);
  const double yield =
      (static_cast<double>(own.finds) + average * kDoubt) / static_cast<double>(own.tries + kDoubt);
  const double favour = std::clamp(yield / average, 1.0 / kMostFavour, 1.0 * kMostFavour);
  return 1 + static_cast<uint64_t>(static_cast<double>(base) * favour);
}

Way Schedule::DrawWay() {
  uint64_t weights[kWays] = {};
  for (size_t i = 1; i < kWays; ++i) weights[i] = WeightOf(static_cast<Way>(i));
  uint64_t drawn = choices_.Below(std::accumulate(std::begin(weights), std::end(weights), 0ull));
  size_t way = 1;
  while (way + 1 < kWays && drawn >= weights[way]) drawn -= weights[way++];
  return static_cast<Way>(way);
}

// Returns the best of a few randomly chosen files. Small files, rarely used files and files with
// many finds are better.
size_t Schedule::DrawKept() {
  constexpr int kDrawn = 3;
  constexpr double kUsualSize = 16384;
  const auto score = [this](size_t index) {
    const Kept& kept = kept_[index];
    return static_cast<double>(1 + 4 * kept.finds) / static_cast<double>(8 + kept.picks) /
           (1 + static_cast<double>(kept.file.size()) / kUsualSize);
  };
  size_t best = choices_.Below(kept_.size());
  for (int i = 1; i < kDrawn; ++i) {
    const size_t other = choices_.Below(kept_.size());
    if (score(other) > score(best)) best = other;
  }
  return best;
}

}  // namespace anecheck::parserfuzz
