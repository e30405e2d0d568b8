// The text of `anecheck explain` about the evidence on one operation.
#include "harness/evidence/evidence_print.h"

#include <gmock/gmock.h>

#include "harness/base/json.h"

namespace anecheck::evidence {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Statement Say(std::string subject, Stage stage, Provenance provenance,
              std::optional<Route> route = std::nullopt) {
  Statement statement;
  statement.subject = std::move(subject);
  statement.target = "h13";
  statement.route = route;
  statement.stage = stage;
  statement.provenance = provenance;
  statement.source = "a test";
  return statement;
}

Found Of(std::vector<Statement> statements, std::vector<std::string> subjects,
         RouteSet routes = RouteSet::kBoth) {
  return About(statements, subjects, "h13", routes);
}

TEST(About, TakesTheSubjectItsInstancesAndItsLayerByRouteAndTarget) {
  Statement elsewhere = Say("conv", Stage::kCorrect, Provenance::kSilicon);
  elsewhere.target = "h14";
  const std::vector<Statement> all = {
      Say("conv", Stage::kCorrect, Provenance::kSimulated, Route::kMil),
      Say("conv [kernel=16]", Stage::kRejected, Provenance::kReported),
      Say("Conv", Stage::kCompiled, Provenance::kSilicon, Route::kNetlist),
      Say("convolution", Stage::kCorrect, Provenance::kSilicon), elsewhere};
  const Found both = Of(all, {"conv", "Conv"});
  ASSERT_EQ(both.statements.size(), 3u);
  EXPECT_EQ(both.statements[0].provenance, Provenance::kSilicon) << "the strongest comes first";
  EXPECT_EQ(both.statements[2].provenance, Provenance::kSimulated);
  EXPECT_EQ(Of(all, {"conv", "Conv"}, RouteSet::kMil).statements.size(), 2u);
  EXPECT_EQ(Of(all, {"conv", "Conv"}, RouteSet::kNetlist).statements.size(), 2u);
  // An empty name of a native layer must not match statements without a subject.
  EXPECT_TRUE(
      Of({Say("", Stage::kCorrect, Provenance::kSilicon)}, {"conv", ""}).statements.empty());
}

TEST(FoundText, GivesStatementsAndBothKindsOfConflict) {
  const Found found = Of({Say("TopK", Stage::kRejected, Provenance::kPublished),
                          Say("TopK", Stage::kCorrect, Provenance::kSilicon, Route::kNetlist)},
                         {"TopK"});
  EXPECT_EQ(FoundText(found),
            "evidence\n"
            "  TopK             correct     netlist, silicon [a test]\n"
            "  TopK             rejected    published [a test]\n"
            "  conflict: a test is stronger than a test (measured on silicon with proof, against "
            "stated or derived from tables)\n"
            "known conflicts between sources\n"
            "  TopK (h13): a measured band; but the specification says both\n"
            "    stronger: runs outside K of 3 and 4 [specification 004, arch-gated negatives; "
            "public guide, appendix B]\n"
            "    rejected whole [specification 004, table 26.1; public guide, appendix A]\n"
            "  netlist_layers top_k A13 (h13): a measured band; but the specification says both\n"
            "    rejected (spec table, validator table, app.A) [specification 004; app.A; app.B]\n"
            "    stronger: runs outside K 3, 4 (spec text, app.B) [specification 004; app.A; "
            "app.B]\n");
  EXPECT_EQ(FoundText(Of({}, {"relu"})), "evidence: none\n");
}

TEST(FoundText, GivesTheBasisAndTheConditionsOfAStatement) {
  Statement full = Say("relu", Stage::kCorrect, Provenance::kReported, Route::kMil);
  full.basis = "silicon";
  full.chip = "M1";
  full.os = "26.0";
  full.note = "mine";
  EXPECT_EQ(FoundText(Of({full}, {"relu"})),
            "evidence\n"
            "  relu             correct     mil, reported, rests on silicon, M1, 26.0, mine "
            "[a test]\n");
  full.basis = "reported";
  EXPECT_THAT(FoundText(Of({full}, {"relu"})), Not(HasSubstr("rests on")));
}

// Equally strong statements keep their order.
TEST(FoundText, ShowsBothSidesIfNothingDecides) {
  Statement first = Say("relu", Stage::kCorrect, Provenance::kReported);
  Statement second = Say("relu", Stage::kRejected, Provenance::kReported);
  first.source = "one";
  second.source = "another";
  const std::string text = FoundText(Of({first, second}, {"relu"}));
  EXPECT_THAT(text, HasSubstr("  conflict: one against another (both: reported without a proof"));
  EXPECT_LT(text.find("[one]"), text.find("[another]"));
  const Json json = FoundJson(Of({first, second}, {"relu"}));
  EXPECT_EQ(json["conflicts"][0]["decided"], false);
  EXPECT_TRUE(json["known_conflicts"].empty());
}

TEST(FoundText, NamesOnlyTheConflictsOfTheTarget) {
  const std::string subjects[] = {"MinMaxNorm"};
  EXPECT_THAT(FoundText(About({}, subjects, "h13", RouteSet::kBoth)),
              HasSubstr("Width and Height run"));
  EXPECT_THAT(FoundText(About({}, subjects, "h14", RouteSet::kBoth)), Not(HasSubstr("Width")));
  const std::string sdpa[] = {"SDPA"};
  EXPECT_THAT(FoundText(About({}, sdpa, "h16", RouteSet::kBoth)), HasSubstr("4 or 5 bottoms"));
}

TEST(FoundJson, HasStatementsAndConflictsByTheirIndices) {
  const auto json = FoundJson(Of({Say("TopK", Stage::kRejected, Provenance::kPublished),
                                  Say("TopK", Stage::kCorrect, Provenance::kSilicon)},
                                 {"TopK"}));
  EXPECT_EQ(json["evidence"][0]["stage"], "correct");
  EXPECT_EQ(json["conflicts"][0]["stronger"], 0);
  EXPECT_EQ(json["conflicts"][0]["weaker"], 1);
  EXPECT_EQ(json["known_conflicts"][0]["id"], "top_k_a13");
  const Json& known = json["known_conflicts"][0];
  EXPECT_EQ(known["subject"], "TopK");
  EXPECT_EQ(known["targets"], "h13");
  EXPECT_EQ(known["why"], "a measured band; but the specification says both");
  ASSERT_EQ(known["readings"].size(), 2u);
  EXPECT_EQ(known["readings"][0]["says"], "runs outside K of 3 and 4");
  EXPECT_EQ(known["readings"][0]["stronger"], true);
  EXPECT_EQ(known["readings"][1]["stronger"], false);
  EXPECT_EQ(json["conflicts"][0]["decided"], true);
}

}  // namespace
}  // namespace anecheck::evidence
