// Numeric cliffs: arguments from which an engine's results depart from plain fp16. They are found
// by bisection with tiny graphs, recorded as data, and compared with the published cliffs of the
// family.
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

// The measurement of a probe.
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
  // The name of an operation if `build` takes one; empty otherwise.
  std::string_view op = {};
  // The graph for one argument; the first element of its first output is the result. Errors:
  // kUnsupported if the operation table lacks the operation.
  Result<ProbeGraph> (*build)(std::string_view op, double argument) = nullptr;
  // kFirstBad: whether the result differs from that of plain fp16 at this argument.
  bool (*bad)(double argument, double result) = nullptr;
};
std::span<const Probe> Probes();

// The published values of a probe for some families. For kFirstBad the cliff is above `last_good`
// and at or below `first_bad` on the probe's grid; for kValueAt both are the value.
struct PublishedCliff {
  std::string_view probe;
  uint32_t families = 0;  // bit f: family index f
  bool no_cliff = false;  // kFirstBad: every argument up to `high` is good
  double last_good = 0, first_bad = 0;
  std::string_view source;
};
std::span<const PublishedCliff> PublishedCliffs();
// Null if nothing was published for that family.
const PublishedCliff* FindPublished(std::string_view probe, int family);

// The values that one probe found on one target.
struct ProbeDatum {
  std::string probe, target;
  ProbeState state = ProbeState::kUnmeasured;
  double value = 0;     // kAtValue; may be an infinity or NaN
  std::string message;  // why it is unmeasured
  const PublishedCliff* published = nullptr;
  // Whether the value agrees with the published figure; empty if none was published or measured.
  std::optional<bool> agrees;
  Provenance provenance = Provenance::kReported;  // of the runner
  std::string engine = {};
};

// Runs one probe. A refusal or a crash of the engine makes the datum unmeasured; an Error means
// that the runner cannot go on.
Result<ProbeDatum> RunProbe(const Probe& probe, const CampaignTarget& target, Runner& runner);

// Runs the probes in `names`, numeric or runtime (runtime_probe.h), on every target of `options`,
// with the runner that `options` name. If `names` is empty, it runs all numeric probes or, with
// `runtime`, all runtime probes. If options.db is not empty, the results are recorded there as a
// new run. Errors: kInvalid for an unknown name, and for runtime probes on another runner than
// e5rt, since they need an engine behind that interface. If `*stop` is set meanwhile, the results
// so far are recorded, as an interrupted run, and returned.
Result<std::vector<ProbeDatum>> RunProbes(const CampaignOptions& options,
                                          std::span<const std::string> names, bool runtime = false,
                                          const std::atomic<bool>* stop = nullptr);

// [{probe, target, measured, published, agrees, message, source, provenance, engine}]: `measured`
// is a number, "Infinity", "NaN", "no cliff" or "unmeasured"; `published` may also be null.
Json ProbesToJson(std::span<const ProbeDatum> data);

// The text of a value as it is recorded and shown: shortest decimal, "Infinity", "-Infinity" or
// "NaN".
std::string CliffText(double value);

}  // namespace anecheck
