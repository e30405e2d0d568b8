// Bisection finds the first argument with a wrong result. It reports whether there is none, or
// whether the runner does not answer.
#include "harness/probe/probe.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "harness/base/file.h"
#include "harness/base/half.h"
#include "harness/base/json.h"
#include "harness/probe/runtime_probe.h"
#include "harness/results/store.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

// Computes in plain fp16 arithmetic and applies `spoil` to each result.
class PlainRunner final : public Runner {
 public:
  using Spoil = std::function<double(const Graph&, double)>;
  explicit PlainRunner(Spoil spoil = {}, int refuse_after = 1 << 30)
      : spoil_(std::move(spoil)), refuse_after_(refuse_after) {}

  Result<RunnerIdentity> Identify() override {
    return RunnerIdentity{.runner = "plain", .provenance = provenance};
  }
  Status Restart() override { return {}; }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) {
      if (++asked_ > refuse_after_) {
        replies.push_back({.status = RunStatus::kRejected, .message = "no more"});
        continue;
      }
      const auto estimates = Evaluate(*request.graph, request.inputs, IeeeContract());
      if (!estimates.ok()) return estimates.error();
      std::vector<double> values = (*estimates)[0].value;
      if (spoil_) {
        for (double& value : values) value = spoil_(*request.graph, value);
      }
      Tensor tensor = {(*estimates)[0].type,
                       std::vector<uint8_t>(static_cast<size_t>((*estimates)[0].type.ByteSize()))};
      EncodeElements(tensor.type.dtype, values, tensor.bytes);
      replies.push_back(
          {.status = RunStatus::kOk, .backend = backend, .outputs = {std::move(tensor)}});
    }
    return replies;
  }
  int asked() const { return asked_; }

  Provenance provenance = Provenance::kReported;
  std::string backend;

 private:
  Spoil spoil_;
  int refuse_after_;
  int asked_ = 0;
};

const Probe& Named(std::string_view name) {
  for (const Probe& probe : Probes()) {
    if (probe.name == name) return probe;
  }
  ADD_FAILURE() << name;
  return Probes()[0];
}

ProbeDatum Measure(std::string_view name, Runner& runner, int family = 2) {
  const auto datum = RunProbe(Named(name), {"h13", family}, runner);
  EXPECT_TRUE(datum.ok());
  return datum.ok() ? *datum : ProbeDatum{};
}

TEST(Probe, PlainArithmeticHasOnlyTheCliffsOfFp16) {
  PlainRunner runner;
  const std::map<std::string, double> kAt = {{"square_overflow", 256},
                                             {"integer_exactness", 2048},
                                             {"elementwise_denormal", 0x1p-24},
                                             {"accumulator_denormal", 0x1p-24},
                                             {"survivors_4096", 16},
                                             {"ones_16000", 16000},
                                             {"rounding_tie", 2048}};
  for (const auto& [name, value] : kAt) {
    const ProbeDatum datum = Measure(name, runner);
    EXPECT_EQ(datum.state, ProbeState::kAtValue) << name;
    EXPECT_EQ(datum.value, value) << name;
  }
  for (const char* name : {"accumulator_port", "elementwise_port", "width_slice_gain",
                           "channel_slice_gain", "survivor_sweep"}) {
    EXPECT_EQ(Measure(name, runner).state, ProbeState::kNoCliff) << name;
  }
  EXPECT_TRUE(std::isnan(Measure("relu_nan", runner).value));
}

TEST(Probe, BisectionFindsTheFirstBadArgument) {
  PlainRunner runner([](const Graph&, double y) {
    return std::fabs(y) >= 32768 ? std::copysign(HUGE_VAL, y) : y;
  });
  const ProbeDatum port = Measure("accumulator_port", runner);
  EXPECT_EQ(port.value, 32768);
  EXPECT_EQ(port.agrees, true);
  EXPECT_LT(runner.asked(), 20);
  EXPECT_EQ(Measure("accumulator_port", runner, 4).agrees, std::nullopt)
      << "no figure is published for A15";
}

TEST(Probe, AgreementIsWithinTheGridOfThePublishedFigure) {
  // The published value is 4095, and its neighbours in fp16 are 4094 and 4096.
  const auto clean_below = [](double limit) {
    return PlainRunner([limit](const Graph&, double y) { return y >= limit ? HUGE_VAL : y; });
  };
  PlainRunner published = clean_below(4095);
  EXPECT_EQ(Measure("width_slice_gain", published).value, 4096);
  EXPECT_EQ(Measure("width_slice_gain", published).agrees, true);
  PlainRunner early = clean_below(4094);
  EXPECT_EQ(Measure("width_slice_gain", early).agrees, false);
  PlainRunner late = clean_below(4097);
  EXPECT_EQ(Measure("width_slice_gain", late).agrees, false);
  PlainRunner never;
  EXPECT_EQ(Measure("width_slice_gain", never).agrees, false);
  EXPECT_EQ(Measure("width_slice_gain", never, 4).agrees, true)
      << "from A15 on the published answer is no cliff";
}

TEST(Probe, ADepartureAtTheStartIsReportedThere) {
  PlainRunner runner([](const Graph&, double) { return HUGE_VAL; });
  const ProbeDatum datum = Measure("accumulator_port", runner);
  EXPECT_EQ(datum.state, ProbeState::kAtValue);
  EXPECT_EQ(datum.value, 1024);
  EXPECT_EQ(datum.agrees, false);
}

TEST(Probe, ARefusalLeavesAProbeUnmeasuredWithTheReason) {
  for (const int refuse_after : {0, 1, 5}) {
    PlainRunner runner([](const Graph&, double y) { return y >= 2000 ? HUGE_VAL : y; },
                       refuse_after);
    const ProbeDatum datum = Measure("accumulator_port", runner);
    EXPECT_EQ(datum.state, ProbeState::kUnmeasured);
    EXPECT_EQ(datum.message, "rejected: no more");
    EXPECT_EQ(datum.agrees, std::nullopt);
  }
  Probe unknown = Named("exp_overflow");
  unknown.op = "no_such_operation";
  PlainRunner runner;
  const auto datum = RunProbe(unknown, {"h13", 2}, runner);
  ASSERT_TRUE(datum.ok());
  EXPECT_EQ(datum->state, ProbeState::kUnmeasured);
  EXPECT_EQ(datum->message, "no_such_operation is not in the operation table");
}

// The cliffs of a CPU differ from those of the engine.
TEST(Probe, NumbersOfAnotherBackendAreNotRecorded) {
  PlainRunner runner;
  runner.provenance = Provenance::kSilicon;
  runner.backend = "ane";
  EXPECT_EQ(Measure("square_overflow", runner).state, ProbeState::kAtValue);
  runner.backend = "bnns";
  const ProbeDatum elsewhere = Measure("square_overflow", runner);
  EXPECT_EQ(elsewhere.state, ProbeState::kUnmeasured);
  EXPECT_EQ(elsewhere.message, "ran on bnns");
  EXPECT_EQ(elsewhere.agrees, std::nullopt);
  runner.backend.clear();
  const ProbeDatum unproved = Measure("square_overflow", runner);
  EXPECT_EQ(unproved.state, ProbeState::kUnmeasured);
  EXPECT_EQ(unproved.message,
            "nothing proves that the engine ran it: the analytics name no backend");
}

TEST(Probe, TheTablesFitTogether) {
  std::set<std::string_view> names;
  for (const Probe& probe : Probes()) {
    EXPECT_TRUE(names.insert(probe.name).second) << probe.name;
    EXPECT_NE(probe.build, nullptr);
    EXPECT_EQ(probe.bad == nullptr, probe.kind == ProbeKind::kValueAt) << probe.name;
  }
  for (const PublishedCliff& published : PublishedCliffs()) {
    EXPECT_TRUE(names.contains(published.probe)) << published.probe;
    EXPECT_NE(published.families, 0u);
    EXPECT_FALSE(published.source.empty());
  }
}

TEST(Probe, JsonDistinguishesTheThreeStates) {
  std::vector<ProbeDatum> data(3);
  data[0] = {"accumulator_port",
             "h13",
             ProbeState::kAtValue,
             32768,
             "",
             FindPublished("accumulator_port", 2),
             true};
  data[1] = {"elementwise_port", "h13", ProbeState::kNoCliff, 0, "", nullptr, std::nullopt};
  data[1].provenance = Provenance::kSimulated;
  data[1].engine = "an engine";
  data[2] = {"relu_nan",
             "h13",
             ProbeState::kUnmeasured,
             0,
             "crashed: it died",
             FindPublished("relu_nan", 2),
             std::nullopt};
  EXPECT_EQ(
      ProbesToJson(data).dump(),
      "[{\"probe\":\"accumulator_port\",\"target\":\"h13\",\"measured\":32768.0,"
      "\"published\":32768.0,\"agrees\":true,\"message\":\"\",\"source\":\"facts "
      "numerics.md, MAC output port\",\"provenance\":\"reported\",\"engine\":\"\"},"
      "{\"probe\":\"elementwise_port\",\"target\":\"h13\",\"measured\":\"no cliff\","
      "\"published\":null,\"agrees\":null,\"message\":\"\",\"source\":\"\","
      "\"provenance\":\"simulated\",\"engine\":\"an engine\"},"
      "{\"probe\":\"relu_nan\",\"target\":\"h13\",\"measured\":\"unmeasured\","
      "\"published\":\"Infinity\",\"agrees\":null,\"message\":\"crashed: it died\","
      "\"source\":\"facts numerics.md, NaN input\",\"provenance\":\"reported\",\"engine\":\"\"}]");
}

TEST(Probe, UnknownNamesAreRefused) {
  const std::string names[] = {"accumulator_port", "gravity"};
  const auto data = RunProbes({}, names);
  ASSERT_FALSE(data.ok());
  const std::string& message = data.error().message;
  EXPECT_TRUE(message.starts_with("--probe gravity: must be one of accumulator_port, ")) << message;
  EXPECT_NE(message.find(RuntimeProbes().back().name), std::string::npos) << message;
}

// Runtime probes need an engine of the e5rt interface. Numeric probes also run on external
// programs.
TEST(Probe, RuntimeProbesAreRefusedForExternalPrograms) {
  CampaignOptions options;
  options.targets = {{"h13", 2}};
  options.runner = "exec:/no/such/program";
  const std::string both[] = {"accumulator_port", std::string(RuntimeProbes().front().name)};
  for (const auto& data : {RunProbes(options, {}, true), RunProbes(options, both)}) {
    ASSERT_FALSE(data.ok());
    EXPECT_EQ(data.error().code, ErrorCode::kInvalid);
    EXPECT_EQ(data.error().message.find("--runner exec:/no/such/program: calls are probed on an "
                                        "engine of the e5rt interface"),
              0u)
        << data.error().message;
  }
  const auto numeric = RunProbes(options, std::span(both).first(1));
  ASSERT_FALSE(numeric.ok());
  EXPECT_NE(numeric.error().message.find("cannot be started"), std::string::npos)
      << numeric.error().message;
}

TEST(CliffText, IsShortAndHasNamesForInfinitiesAndNan) {
  EXPECT_EQ(CliffText(32768), "32768");
  EXPECT_EQ(CliffText(11.09375), "11.09375");
  EXPECT_EQ(CliffText(-HUGE_VAL), "-Infinity");
  EXPECT_EQ(CliffText(NAN), "NaN");
}

}  // namespace
}  // namespace anecheck
