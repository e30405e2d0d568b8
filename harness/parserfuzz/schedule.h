// Chooses the next file to try. Seeds of the format come first. Then come edits of the kept files,
// each of which showed something new. The schedule uses sweeps and feedback:
//
// - Sweeps go through the places of the kept files, and set each place to each of its edges, one at
//   a time. An edge is a limit such as 2^32 - 1 (generators/formats/boundary). Sweeps first try
//   each edge of each field in a few files, and then in every file. Neighbouring fields, such as an
//   offset and a count, often belong to one computation. If an edge of a field showed something
//   new, the edges of its neighbours come next.
// - Feedback decides which files are kept and which ways of editing are used more. The feedback is
//   the parser's coverage if a driver reports it, else the parser's exit codes and messages.
//
// The plan of a file is data, so several threads can make the files of one round. Equal answers of
// the parser lead to equal plans.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generators/choice_stream.h"
#include "generators/formats/boundary/boundary.h"
#include "generators/formats/mutator/structured_mutator.h"

namespace anecheck::parserfuzz {

enum class Way : uint8_t {
  kSeed,       // a seed, unchanged
  kField,      // one edge of a field that was not tried in this field yet
  kPair,       // one edge of a neighbour of the field for whose edge a file was kept
  kNamed,      // a mutation of the format that was not tried yet
  kSweep,      // one edge at one place of a kept file
  kEdges,      // two to four edges at drawn places
  kBytes,      // byte edits
  kMany,       // many byte edits
  kStructure,  // a named mutation, an edit of the JSON form, or a new file
  kCross,      // parts of two kept files
};
inline constexpr size_t kWays = 10;
std::string_view WayName(Way way);

// The number of a feature, below kMostFeatures. A file shows something new if it has a new feature.
using Feature = uint32_t;
inline constexpr Feature kMostFeatures = 1 << 20;

// Returns one feature for each place that the parser reached. The feature stands for the place and
// the order of magnitude of the number of times that the parser reached it.
std::vector<Feature> FeaturesOfCounters(std::span<const uint8_t> counters);
// Returns one feature for the exit code, one for each of the first lines of both streams, and one
// for the order of magnitude of the number of lines of each stream. Ignores numbers in the lines.
std::vector<Feature> FeaturesOfWords(int exit_code, std::string_view out, std::string_view err);

struct Plan {
  Way way = Way::kSeed;
  uint64_t seed = 0;       // for drawn edits
  size_t parent = 0;       // index among the seeds or the kept files
  size_t other = 0;        // index of the second file of kCross
  size_t place = 0;        // index among the places of the parent
  size_t edge = 0;         // index among the edges of that place
  Mutation mutation = {};  // used by kNamed
};

class Schedule {
 public:
  struct Options {
    MutatorParts parts;
    size_t max_size = 1 << 20;
    uint64_t seed = 1;
    // Whether a run takes about as long as a byte edit, so that edits of the structure must be
    // rare. If runs are slow, edits begin before all seeds were tried.
    bool fast_runs = false;
  };
  Schedule(Options options, std::vector<Bytes> seeds);

  Plan Next();
  // Makes the file of a plan. Several threads may call this function at the same time.
  Bytes Make(const Plan& plan) const;
  // Returns a text that tells how the file was made: "seed 3; section.size at 0x1a0: 2^32 - old".
  std::string Describe(const Plan& plan) const;

  // Takes the outcome of a plan. Never keeps a file that failed. Keeps any other file that has a
  // new feature or is a seed, until the schedule is full.
  void Learn(const Plan& plan, const Bytes& file, std::span<const Feature> features, bool failed);

  size_t kept() const { return kept_.size(); }

 private:
  struct Kept {
    Bytes file;
    std::string origin;
    std::vector<boundary::Place> places = {};
    uint64_t edges = 0;      // total of all places
    uint64_t next_edge = 0;  // the next edge of the sweep, which advances by `edge_step`
    uint64_t edge_step = 1;
    uint64_t picks = 0;
    uint64_t finds = 0;
  };
  struct Tally {
    uint64_t tries = 0;
    uint64_t finds = 0;
  };
  using EdgeOfField = std::pair<std::string_view, size_t>;

  Way DrawWay();
  uint64_t WeightOf(Way way) const;
  size_t DrawKept();
  static bool IsOneEdge(Way way);
  bool TakesSeed();
  static bool TakePlanned(std::vector<Plan>& planned, Way way, Plan& plan);
  void PlanFields(size_t index);
  std::vector<size_t> DrawnOrder(size_t count);
  template <typename T>
  void Shuffle(std::vector<T>& items, size_t first);  // shuffles the items from `first` on
  void PlanPairs(size_t index, const Plan& plan);
  bool PlanNamed(Plan& plan);
  bool PlanSweep(Plan& plan);
  std::pair<size_t, size_t> EdgeAt(const Kept& kept, uint64_t number) const;
  void Keep(const Plan& plan, Bytes file, std::string origin);
  bool NoteFeatures(std::span<const Feature> features);
  Bytes DrawEdges(const Kept& kept, uint64_t seed) const;
  Bytes MakeNamed(const Kept& kept, const Mutation& mutation) const;

  Options options_;
  std::vector<Bytes> seeds_;
  ChoiceStream choices_;
  std::vector<Kept> kept_;
  std::vector<bool> seen_;
  size_t next_seed_ = 0;
  uint64_t next_file_ = 0;
  std::vector<Plan> fields_;  // edges of fields that were not tried yet, in random order
  std::vector<Plan> pairs_;   // edges of neighbouring fields
  size_t next_mutation_ = 0;
  std::map<EdgeOfField, uint32_t> offered_;
  std::map<EdgeOfField, uint32_t> failures_;
  std::set<std::pair<std::string_view, std::string_view>> paired_;  // names of pairs of fields
  Tally tallies_[kWays];
};

}  // namespace anecheck::parserfuzz
