#include "harness/runners/roundtrip_runner.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "harness/formats/netlist/rules.h"
#include "harness/graph/fingerprint.h"
#include "harness/lowering/explicit_form.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/lowering/graph_to_netlist.h"
#include "harness/lowering/mil_to_graph.h"
#include "harness/lowering/netlist_procedure.h"
#include "harness/lowering/netlist_to_graph.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

RoundTrip Differs(RoundTrip trip, std::string difference) {
  trip.difference = std::move(difference);
  return trip;
}

std::string DescribeValue(const Graph& expected, const Graph& actual, ValueId a, ValueId b) {
  if (expected.type(a) != actual.type(b)) {
    return fmt::format("{} is {}, read back {}", expected.value(a).name,
                       expected.type(a).ToString(), actual.type(b).ToString());
  }
  if (expected.value(a).kind != ValueKind::kConst || actual.value(b).kind != ValueKind::kConst) {
    return {};
  }
  const auto x = expected.ConstData(a);
  const auto y = actual.ConstData(b);
  const auto at = std::mismatch(x.begin(), x.end(), y.begin(), y.end()).first;
  if (at == x.end()) return {};
  return fmt::format("constant {} differs from byte {} on", expected.value(a).name, at - x.begin());
}

std::string DescribeNode(const Graph& expected, const Graph& actual, NodeId id) {
  const Node& a = expected.node(id);
  const Node& b = actual.node(id);
  const std::string& name = expected.value(a.first_result).name;
  if (a.schema != b.schema) {
    return fmt::format("{} is {}, read back {}", name, a.schema->name, b.schema->name);
  }
  const auto x = expected.arguments(a);
  const auto y = actual.arguments(b);
  if (x.size() != y.size()) {
    return fmt::format("{} has {} operands, read back {}", name, x.size(), y.size());
  }
  for (size_t i = 0; i < x.size(); ++i) {
    std::string value = DescribeValue(expected, actual, x[i].value, y[i].value);
    if (!value.empty()) return value;
  }
  if (a.attribute_count != b.attribute_count) {
    return fmt::format("{} has {} attributes, read back {}", name, a.attribute_count,
                       b.attribute_count);
  }
  return {};
}

}  // namespace

std::string DescribeDifference(const Graph& expected, const Graph& actual) {
  if (GraphFingerprint(expected) == GraphFingerprint(actual)) return {};
  if (expected.nodes().size() != actual.nodes().size()) {
    return fmt::format("{} operations, read back {}", expected.nodes().size(),
                       actual.nodes().size());
  }
  for (NodeId id = 0; id < expected.nodes().size(); ++id) {
    std::string words = DescribeNode(expected, actual, id);
    if (!words.empty()) return words;
  }
  return "an attribute, an output or the order of the inputs differs";
}

RoundTrip MilRoundTrip(const Graph& graph, std::string_view mil, std::span<const uint8_t> weights) {
  RoundTrip trip = {.form = Step::kMil, .written = true};
  MilReadOptions options;
  options.read_blob = [weights](std::string_view, uint64_t offset, const TensorType& type) {
    return ReadMilBlob(weights, offset, type);
  };
  const auto back = MilTextToGraph(std::string(mil), OpVocabulary(), options);
  if (!back.ok()) return Differs(trip, "cannot be read back: " + back.error().message);
  return Differs(trip, DescribeDifference(graph, *back));
}

RoundTrip NetlistRoundTrip(const Graph& graph) {
  RoundTrip trip = {.form = Step::kNetlist};
  const auto program = GraphToNetlist(graph);
  if (!program.ok()) {
    trip.reason = program.error().message;
    if (program.error().code == ErrorCode::kUnsupported) return trip;
    return Differs(trip, "cannot be written: " + program.error().message);
  }
  trip.written = true;
  const std::pair<netlist::Description, plist::Encoding> kForms[] = {
      {program->description, plist::Encoding::kXml},
      {program->description, plist::Encoding::kBinary},
      {WithProcedure(program->description), plist::Encoding::kXml}};
  for (const auto& [description, encoding] : kForms) {
    const auto bytes = netlist::Write(description, encoding);
    const auto parsed = netlist::Parse(bytes);
    if (!parsed.ok()) return Differs(trip, "cannot be parsed: " + parsed.error().message);
    if (netlist::Write(*parsed, encoding) != bytes) {
      return Differs(trip, "the property list changes when it is written again");
    }
    const auto violations = netlist::Verify(netlist::ToTree(*parsed));
    const auto error = std::ranges::find_if_not(violations, &Violation::IsWarning);
    if (error != violations.end()) return Differs(trip, "breaks a rule: " + error->message);
    const auto back = NetlistToGraph(*parsed, program->weights);
    if (!back.ok()) return Differs(trip, "cannot be read back: " + back.error().message);
    const auto expected = ExplicitForm(graph);
    if (!expected.ok()) return Differs(trip, "has no explicit form: " + expected.error().message);
    trip.difference = DescribeDifference(*expected, *back);
    if (!trip.difference.empty()) return trip;
  }
  return trip;
}

Result<RunnerIdentity> RoundtripRunner::Identify() {
  return RunnerIdentity{.runner = std::string(kRoundtripRunner),
                        .provenance = Provenance::kRoundtrip,
                        .engine = "anecheck's own readers"};
}

std::vector<RoundTrip> RoundtripRunner::TripsOf(const RunRequest& request) const {
  std::vector<RoundTrip> trips;
  const bool conversion = request.route == Route::kMil;
  if (conversion) trips.push_back(MilRoundTrip(*request.graph, request.mil, request.mil_weights));
  trips.push_back(NetlistRoundTrip(*request.graph));
  if (conversion && compiled_) trips.push_back(compiled_(*request.graph, request.target));
  return trips;
}

Result<std::vector<RunReply>> RoundtripRunner::Run(std::span<const RunRequest> requests) {
  std::vector<RunReply> replies;
  for (const RunRequest& request : requests) {
    RunReply& reply = replies.emplace_back();
    reply.id = request.id;
    reply.status = RunStatus::kOk;
    reply.verified = true;
    for (const RoundTrip& trip : TripsOf(request)) {
      if (!trip.difference.empty()) {
        reply.status = RunStatus::kFailed;
        reply.step = trip.form;
        reply.message = trip.difference;
        break;
      }
      if (!trip.written) reply.message = fmt::format("{} left out: {}", trip.form, trip.reason);
    }
  }
  return replies;
}

}  // namespace anecheck
