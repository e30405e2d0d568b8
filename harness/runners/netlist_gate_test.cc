// Network descriptions of one procedure are passed to every engine behind the e5rt interface. Other
// descriptions are refused with a message and make no finding.
#include "harness/runners/netlist_gate.h"

#include <gtest/gtest.h>
#include <string>

#include "harness/formats/netlist/model.h"
#include "harness/lowering/graph_to_netlist.h"
#include "harness/runners/testing/word_cases.h"
#include "harness/runners/worker.h"

namespace anecheck {
namespace {

std::string Text(const netlist::Description& description) {
  const auto bytes = netlist::Write(description);
  return {bytes.begin(), bytes.end()};
}

// Returns a description with `networks` networks of one relu each. Each network lists its ports, so
// it counts as a procedure.
std::string Description(size_t networks) {
  const auto lowered = GraphToNetlist(testing::ReluGraph());
  EXPECT_TRUE(lowered.ok());
  if (!lowered.ok()) return {};
  netlist::Description description = lowered->description;
  for (size_t i = 1; i < networks; ++i) {
    description.networks.push_back(description.networks[0]);
    description.networks.back().name = "other" + std::to_string(i);
  }
  return Text(description);
}

TEST(NetlistGate, OneProcedurePasses) {
  EXPECT_EQ(NetlistRefusal(Description(1)), "");
  EXPECT_EQ(NetlistRefusal("<?xml this is no list"), "")
      << "the engine itself refuses malformed text";
}

TEST(NetlistGate, SeveralProceduresAreRefusedWithTheReason) {
  const std::string refusal = NetlistRefusal(Description(3));
  EXPECT_EQ(refusal.find("the network description has 3 procedures: "), 0u) << refusal;
  EXPECT_NE(refusal.find("asks for an entitlement"), std::string::npos) << refusal;
}

TEST(NetlistGate, CountsTheProceduresOfAListAndNotItsNetworks) {
  netlist::Description listed;
  listed.version = netlist::kVersionProcedures;
  listed.key_style = netlist::KeyStyle::kProcedures;
  listed.networks.resize(2);
  listed.networks[0].name = "a";
  listed.networks[1].name = "b";
  listed.procedures.resize(1);
  listed.procedures[0].name = "main";
  listed.procedures[0].operations = {{"a", "first"}, {"b", "second"}};
  ASSERT_TRUE(netlist::FromTree(netlist::ToTree(listed)).ok());
  EXPECT_EQ(NetlistRefusal(Text(listed)), "");
  listed.procedures.push_back(listed.procedures[0]);
  listed.procedures[1].name = "other";
  EXPECT_NE(NetlistRefusal(Text(listed)), "");
}

RunReply RunDescription(const std::string& text) {
  E5rtRunner runner({.library = ANECHECK_HOSTILE_ENGINE});
  const testing::WordCases cases({""});
  RunRequest request = cases.all()[0];
  request.route = Route::kNetlist;
  request.netlist = text;
  const auto replies = runner.Run({&request, 1});
  EXPECT_TRUE(replies.ok());
  return replies.ok() ? replies->front() : RunReply{};
}

TEST(E5rtRunner, ForeignEnginesGetOnlyDescriptionsOfOneProcedure) {
  const RunReply one = RunDescription(Description(1));
  EXPECT_EQ(one.status, RunStatus::kOk) << one.message;
  EXPECT_EQ(one.outputs.size(), 1u);
  const std::string two = Description(2);
  const RunReply refused = RunDescription(two);
  EXPECT_EQ(refused.status, RunStatus::kNotRun);
  EXPECT_EQ(refused.message, NetlistRefusal(two));
  EXPECT_EQ(refused.step, Step::kNone);
}

}  // namespace
}  // namespace anecheck
