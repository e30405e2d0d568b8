// A runner without an engine. It writes every graph in each form that the project can write, reads
// it back with the project's own readers, and compares. Its evidence is `roundtrip`, which shows
// that the forms agree and shows nothing about any chip.
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
  bool written = false;    // false if the form cannot express the graph, because of `reason`
  std::string difference;  // empty if the graph that was read back is the same
  std::string reason;
};

// Checks that the MIL text `mil` reads back as `graph`, bit for bit. `weights` is the weight file
// that the text names.
RoundTrip MilRoundTrip(const Graph& graph, std::string_view mil,
                       std::span<const uint8_t> weights = {});

// Writes the graph as a network description in a property list, and reads it back. The list must
// break no rule, be the same when written again, and read back as the graph's explicit form.
RoundTrip NetlistRoundTrip(const Graph& graph);

// Describes the first difference between two graphs; empty if they have the same fingerprint.
std::string DescribeDifference(const Graph& expected, const Graph& actual);

// Makes the round trip of a graph for a target in a further form. Thread safety: as for the runner.
using RoundTripForm = std::function<RoundTrip(const Graph& graph, std::string_view target)>;

// A reply is `ok` and `verified`, and its message names a form that was left out. If a form
// differs, the reply is `failed` at the step of that form. It has no outputs.
class RoundtripRunner final : public Runner {
 public:
  // `compiled` is tried for requests whose route is kMil.
  explicit RoundtripRunner(RoundTripForm compiled = {}) : compiled_(std::move(compiled)) {}
  Result<RunnerIdentity> Identify() override;
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override;
  Status Restart() override { return {}; }

 private:
  std::vector<RoundTrip> TripsOf(const RunRequest& request) const;

  RoundTripForm compiled_;
};

}  // namespace anecheck
