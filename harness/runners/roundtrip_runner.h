// The runner without an engine: every graph is written in each form that the project can write,
// read back by the project's own readers, and compared. Its evidence is `roundtrip`: it shows that
// the forms agree, and it shows nothing about any chip.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runners/runner.h"

namespace anecheck {

// The name of the runner, which is also its provenance.
inline constexpr std::string_view kRoundtripRunner = ToText(Provenance::kRoundtrip);

// The result of the round trip of one graph in one form.
struct RoundTrip {
  Step form = Step::kMil;  // kMil, kNetlist or kCompiled
  bool written = false;    // false: the form cannot express the graph, for `reason`
  std::string difference;  // empty: the graph read back is the same
  std::string reason;
};

// Checks that the MIL text `mil` reads back as `graph`, bit for bit. `weights` is the weight file
// that the text names.
RoundTrip MilRoundTrip(const Graph& graph, std::string_view mil,
                       std::span<const uint8_t> weights = {});

// Graph -> network description -> bytes of the property list -> description -> graph: the list must
// break no rule, be the same when written again, and read back as the graph's explicit form.
RoundTrip NetlistRoundTrip(const Graph& graph);

// Describes the first difference between two graphs; empty if they have the same fingerprint.
std::string DescribeDifference(const Graph& expected, const Graph& actual);

// A further form, for a graph and a target. Thread safety: as for the runner.
using RoundTripForm = std::function<RoundTrip(const Graph& graph, std::string_view target)>;

// A reply is `ok` and `verified`, with the forms that were left out in its message, or `failed` at
// the step that the form names. It has no outputs.
class RoundtripRunner final : public Runner {
 public:
  // `compiled` is tried for requests of the conversion route.
  explicit RoundtripRunner(RoundTripForm compiled = {}) : compiled_(std::move(compiled)) {}
  Result<RunnerIdentity> Identify() override;
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override;
  Status Restart() override { return {}; }

 private:
  std::vector<RoundTrip> TripsOf(const RunRequest& request) const;

  RoundTripForm compiled_;
};

}  // namespace anecheck
