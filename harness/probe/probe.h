// Finds numeric cliffs, which are arguments from which an engine's results differ from plain fp16.
// Probes bisect with tiny graphs, record the cliffs as data, and compare them with the published
// cliffs of the family.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/runners/runner.h"

namespace anecheck {

// The kind of result that a probe measures.
enum class ProbeKind : uint8_t {
  kFirstBad,  // the smallest argument in [low, high] whose result is not plain fp16
  kValueAt,   // the result at `low`
};
// The arguments that a kFirstBad probe may try.
enum class ProbeGrid : uint8_t { kHalf, kInteger };

struct ProbeGraph {
  Graph graph;
  std::vector<Tensor> inputs;
};

// One row of the table.
struct Probe {
  std::string_view name;  // "accumulator_port"
  std::string_view what;  // one line for people
  ProbeKind kind = ProbeKind::kFirstBad;
  ProbeGrid grid = ProbeGrid::kHalf;
  double low = 0, high = 0;
  // The name of the operation that `build` uses, if it takes one.
  std::string_view op = {};
  // Returns the graph for one argument. The first element of its first output is the result.
  // Errors: kUnsupported if the operation table lacks the operation.
  Result<ProbeGraph> (*build)(std::string_view op, double argument) = nullptr;
  // kFirstBad: returns whether the result differs from that of plain fp16 at this argument.
  bool (*bad)(double argument, double result) = nullptr;
};
std::span<const Probe> Probes();

// The published values of a probe for some families. For kFirstBad the cliff is above `last_good`
// and at or below `first_bad` on the probe's grid. For kValueAt both members are the value.
struct PublishedCliff {
  std::string_view probe;
  uint32_t families = 0;  // bit f: family index f
  bool no_cliff = false;  // kFirstBad: every argument up to `high` is good
  double last_good = 0, first_bad = 0;
  std::string_view source;
};
std::span<const PublishedCliff> PublishedCliffs();
// Returns null if nothing was published for that family.
const PublishedCliff* FindPublished(std::string_view probe, int family);

// The values that one probe found on one target.
struct ProbeDatum {
  std::string probe, target;
  ProbeState state = ProbeState::kUnmeasured;
  double value = 0;     // with kAtValue; may be an infinity or NaN
  std::string message;  // why it is unmeasured
  const PublishedCliff* published = nullptr;
  // Whether the measured value agrees with the published value; empty if one of them is missing.
  std::optional<bool> agrees;
  Provenance provenance = Provenance::kReported;  // of the runner
  std::string engine = {};
};

// Runs one probe. After a refusal or a crash of the engine the datum is unmeasured. An Error means
// that the runner cannot continue.
Result<ProbeDatum> RunProbe(const Probe& probe, const CampaignTarget& target, Runner& runner);

// Runs the probes in `names`, numeric or runtime (runtime_probe.h), on every target of `options`,
// with the runner that `options` name. If `names` is empty, it runs all numeric probes or, with
// `runtime`, all runtime probes. If options.db is not empty, it records the results there as a new
// run. Errors: kInvalid for an unknown name, and for runtime probes on a runner other than e5rt,
// because they need an engine behind that interface. If `*stop` is set, the function records the
// results so far as an interrupted run and returns them.
Result<std::vector<ProbeDatum>> RunProbes(const CampaignOptions& options,
                                          std::span<const std::string> names, bool runtime = false,
                                          const std::atomic<bool>* stop = nullptr);

// [{probe, target, measured, published, agrees, message, source, provenance, engine}]: `measured`
// is a number, "Infinity", "NaN", "no cliff" or "unmeasured"; `published` may also be null.
Json ProbesToJson(std::span<const ProbeDatum> data);

// Returns the text of a value for records and displays: the shortest decimal number, "Infinity",
// "-Infinity" or "NaN".
std::string CliffText(double value);

}  // namespace anecheck
