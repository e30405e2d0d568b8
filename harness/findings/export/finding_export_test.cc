// The folder of an exported finding has all files that explain the finding.
#include "harness/findings/export/finding_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/campaign/campaign.h"
#include "harness/findings/artifact.h"
#include "harness/judging/lean_watch.h"

namespace anecheck {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Returns a finding with that verdict and without outputs of the engine.
Json FindingOf(Verdict verdict) {
  CampaignOptions options;
  options.seed = 5;
  options.targets = {{"h13", 2}};
  options.modes = {CaseMode::kFloat};
  const Case item = MakeCase(options, 7).value();
  CaseOutcome outcome;
  outcome.shown =
      Outcome({.verdict = verdict, .message = "the outputs of the finding", .op = "relu"});
  return ArtifactToJson(options, {}, item, outcome, {}, "f000000000001");
}

// Returns the README of a finding with that verdict.
std::string ReadmeOf(Verdict verdict) {
  const auto folder = TempDirectory::Create("anecheck-export-");
  EXPECT_TRUE(folder.ok());
  EXPECT_TRUE(ExportFinding(FindingOf(verdict), "simulated", folder->path()).ok());
  const auto text = ReadFile(folder->File("README.md")).value();
  return {text.begin(), text.end()};
}

TEST(FindingReadme, SaysEachFactAndHowToSeeItAgain) {
  const std::string text = ReadmeOf(Verdict::kWrong);
  EXPECT_THAT(text, HasSubstr("# Finding f000000000001\n\nthe outputs of the finding\n"));
  EXPECT_THAT(text, HasSubstr("| target | h13 (route mil) |"));
  EXPECT_THAT(text, HasSubstr("seed 5, case 7 |"));
  EXPECT_THAT(text, HasSubstr("evidence: simulated"));
  EXPECT_THAT(text, HasSubstr("anecheck replay finding.json"));
  EXPECT_THAT(text, HasSubstr("anecheck shrink finding.json"));
  EXPECT_THAT(text, Not(HasSubstr("{"))) << "a placeholder without a value";
}

TEST(FindingReadme, OfBiasedResultsSaysThatOneCaseProvesNothing) {
  const std::string text = ReadmeOf(Verdict::kBiased);
  EXPECT_THAT(text, HasSubstr("anecheck replay finding.json"));
  EXPECT_THAT(text, HasSubstr("proves nothing alone"));
  EXPECT_THAT(text, Not(HasSubstr("anecheck shrink")));
}

TEST(FindingReadme, OffersTheScriptOnlyIfTheEngineGaveOutputs) {
  EXPECT_THAT(ReadmeOf(Verdict::kCrashed), Not(HasSubstr("judges actual.npz")));
  EXPECT_THAT(ReadmeOf(Verdict::kCrashed), HasSubstr("check_output.py my_outputs.npz"));
}

// MIL text has no operation for a native layer, so the recipient of the folder needs the network
// description.
TEST(FindingExport, OfTheDirectRouteHasTheNetworkDescription) {
  CampaignOptions options;
  options.targets = {{"h13", 2}};
  options.routes = RouteSet::kNetlist;
  options.ops.reset();
  options.ops.set(static_cast<size_t>(OpKind::kConv));
  const Case item = MakeCase(options, 3).value();
  ASSERT_FALSE(item.netlist_weights.empty());
  CaseOutcome outcome;
  outcome.shown = Outcome({.verdict = Verdict::kCrashed});
  const auto finding = ArtifactToJson(options, {}, item, outcome, {}, "f000000000003");
  const auto folder = TempDirectory::Create("anecheck-export-");
  ASSERT_TRUE(ExportFinding(finding, "simulated", folder->path()).ok());
  EXPECT_EQ(ReadTextFile(folder->File("net.plist")).value(), item.netlist);
  EXPECT_EQ(ReadFile(folder->File("model.weights")).value(), item.netlist_weights);
  ASSERT_TRUE(ExportFinding(FindingOf(Verdict::kCrashed), "simulated", folder->path()).ok());
  EXPECT_FALSE(ReadFile(folder->File("net.plist")).ok())
      << "the file belongs to the earlier finding";
  EXPECT_FALSE(ReadFile(folder->File("model.weights")).ok());
}

TEST(FindingExport, OfWrongFilesHasTheFiles) {
  CampaignOptions options;
  options.targets = {{"h13", 2}};
  const Case item = MakeCase(options, 7).value();
  RunReply reply;
  reply.files = CompilerFiles{{1, 2, 3}, {4, 5}};
  CaseOutcome outcome;
  outcome.shown = Outcome({.verdict = Verdict::kFailed});
  const auto export_to = [&](const std::string& folder) {
    return ExportFinding(ArtifactToJson(options, {}, item, outcome, reply, "f000000000004"),
                         "simulated", folder);
  };
  const auto folder = TempDirectory::Create("anecheck-export-");
  ASSERT_TRUE(export_to(folder->path()).ok());
  EXPECT_FALSE(ReadFile(folder->File("program.e5")).ok()) << "the finding is not about the files";
  outcome.step = Step::kFiles;
  ASSERT_TRUE(export_to(folder->path()).ok());
  EXPECT_EQ(ReadFile(folder->File("program.e5")).value(), reply.files->descriptor);
  EXPECT_EQ(ReadFile(folder->File("model.hwx")).value(), reply.files->container);
}

// Returns a finding that a relation shows, with this message. The engine's outputs are right for
// the case's own network. `ran` tells whether the rewritten network ran.
Json FindingOfRelation(const std::string& message, bool ran) {
  CampaignOptions options;
  options.seed = 5;
  options.targets = {{"h13", 2}};
  options.modes = {CaseMode::kMetamorphic};
  const Case item = MakeCase(options, 7).value();
  const auto outputs = [&](const Graph& graph) {
    std::vector<Tensor> made;
    const auto expected = Evaluate(graph, item.inputs, ConformingContract(item.target.family));
    for (const Estimate& estimate : *expected) {
      Tensor& tensor = made.emplace_back();
      tensor.type = estimate.type;
      tensor.bytes.resize(static_cast<size_t>(estimate.type.ByteSize()));
      EncodeElements(estimate.type.dtype, estimate.value, tensor.bytes);
    }
    return made;
  };
  const RunReply reply = {.status = RunStatus::kOk, .outputs = outputs(item.graph)};
  CaseOutcome outcome;
  outcome.relation = CaseRelation{"recompile", ""};
  outcome.rewritten = {item.graph, item.mil, ran ? outputs(item.graph) : std::vector<Tensor>()};
  outcome.shown =
      Outcome({.verdict = ran ? Verdict::kWrong : Verdict::kRejected, .message = message});
  return ArtifactToJson(options, {}, item, outcome, reply, "f000000000005");
}

TEST(FindingExport, OfARelationHasExpectedAndActualOutputsOfTheRewrittenNetwork) {
  const auto folder = TempDirectory::Create("anecheck-export-");
  const auto has = [&](const char* name) { return ReadFile(folder->File(name)).ok(); };
  const auto ran = FindingOfRelation("with recompile at -: one is wrong", true);
  ASSERT_TRUE(ExportFinding(ran, "simulated", folder->path()).ok());
  EXPECT_TRUE(has("rewritten.mil") && has("expected_rewritten.npz"));
  EXPECT_TRUE(has("actual_rewritten.npz"));
  const auto refused = FindingOfRelation("with recompile at -: no", false);
  ASSERT_TRUE(ExportFinding(refused, "simulated", folder->path()).ok());
  EXPECT_TRUE(has("rewritten.mil"));
  EXPECT_FALSE(has("expected_rewritten.npz") || has("actual_rewritten.npz"));
}

// The script reports no error if only the comparison of both networks shows the finding.
TEST(FindingExport, OffersTheScriptForARelationOnlyIfItShowsTheFinding) {
  EXPECT_TRUE(ScriptShows(FindingOfRelation("with recompile at -: one is wrong", true)));
  EXPECT_FALSE(ScriptShows(FindingOfRelation("with recompile at -: no", false)));
  EXPECT_FALSE(ScriptShows(FindingOfRelation("recompile at -: element 0 differs", true)))
      << "each network is right by itself";
  EXPECT_TRUE(ScriptShows(FindingOfRelation("3 of 60 elements are outside", false)))
      << "the case's own network is wrong";
  EXPECT_FALSE(ScriptShows(FindingOf(Verdict::kCrashed)));
}

// Files of an earlier finding are removed, because the script would use them to judge this finding.
TEST(FindingExport, ReplacesAnEarlierFindingAndLeavesOtherFiles) {
  const auto folder = TempDirectory::Create("anecheck-export-");
  ASSERT_TRUE(folder.ok());
  const auto write = [&](const char* name) {
    ASSERT_TRUE(WriteFileAtomic(folder->File(name), std::string_view("old")).ok());
  };
  write("actual.npz");
  const auto finding = FindingOf(Verdict::kCrashed);
  ASSERT_TRUE(ExportFinding(finding, "simulated", folder->path()).ok());
  EXPECT_TRUE(ReadFile(folder->File("actual.npz")).ok()) << "the file belongs to another program";
  for (const char* name : {"actual_again.npz", "rewritten.mil", "mine.txt"}) write(name);
  ASSERT_TRUE(ExportFinding(finding, "simulated", folder->path()).ok());
  for (const char* name : {"actual.npz", "actual_again.npz", "rewritten.mil"}) {
    EXPECT_FALSE(ReadFile(folder->File(name)).ok()) << name;
  }
  EXPECT_TRUE(ReadFile(folder->File("mine.txt")).ok());
}

}  // namespace
}  // namespace anecheck
