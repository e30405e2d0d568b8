// Chooses the next file to try. Seeds of the format come first, then edits of the kept files, each
// of which showed something new. Two ideas:
//
// - Sweeps go through every place of the kept files, and set it to each of its edges, one at a time
//   (an edge is a limit, such as 2^32 - 1; generators/formats/boundary). They first try each edge
//   of each field in one file, then each edge in every file. Neighbouring fields, such as an offset
//   and a count, often belong to one computation: if an edge of a field showed something new, the
//   edges of its neighbours come next.
// - Feedback decides which files are kept and which ways of editing are used more: the parser's
//   coverage if a driver reports it, else its exit codes and words.
//
// The plan of a file is data, so that several threads can make files of one round, and equal
// answers of the parser lead to equal plans.
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
  kField,      // one edge of a field, if no file had this edge there yet
  kPair,       // one edge of a field beside the one for which a file was kept
  kNamed,      // a mutation of the format that was not tried yet
  kSweep,      // one edge at one place of a kept file
  kEdges,      // two to four edges at drawn places
  kBytes,      // byte edits
  kMany,       // many of them
  kStructure,  // a named mutation, an edit of the JSON form, a fresh file
  kCross,      // parts of two kept files
};
inline constexpr size_t kWays = 10;
std::string_view WayName(Way way);

// The features by which a file shows something new: one number for each, below kMostFeatures.
using Feature = uint32_t;
inline constexpr Feature kMostFeatures = 1 << 20;

// Returns one feature for each place that the parser reached. The feature names the place and the
// order of magnitude of how often the parser was there.
std::vector<Feature> FeaturesOfCounters(std::span<const uint8_t> counters);
// Returns one feature for the exit code, and one for each of the first lines of both streams.
// Numbers in the lines do not count.
std::vector<Feature> FeaturesOfWords(int exit_code, std::string_view out, std::string_view err);

struct Plan {
  Way way = Way::kSeed;
  uint64_t seed = 0;       // of drawn edits
  size_t parent = 0;       // among the seeds, or the kept files
  size_t other = 0;        // of kCross
  size_t place = 0;        // index among the places of the parent
  size_t edge = 0;         // of that place
  Mutation mutation = {};  // of kNamed
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
  // The file of a plan. May be called by several threads at once.
  Bytes Make(const Plan& plan) const;
  // How the file was made, for display: "seed 3; section.size at 0x1a0: 2^32 - old".
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
    uint64_t edges = 0;      // of all places together
    uint64_t next_edge = 0;  // of the sweep, in the order of `edge_step`
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
  void Shuffle(std::vector<T>& items, size_t first);  // from `first` on
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
  std::vector<Plan> fields_;  // edges of fields that were not tried yet, in drawn order
  std::vector<Plan> pairs_;   // of neighbouring fields
  size_t next_mutation_ = 0;
  std::map<EdgeOfField, uint32_t> offered_;
  std::map<EdgeOfField, uint32_t> failures_;
  std::set<std::pair<std::string_view, std::string_view>> paired_;  // names of fields
  Tally tallies_[kWays];
};

}  // namespace anecheck::parserfuzz
