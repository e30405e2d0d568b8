// Checks the properties that every generator must have (GeneratorLaws) on the netlist format, with
// generated and damaged files, and compares the text of one file with a golden file.
#include "generators/formats/netlist/netlist_generator.h"

#include <algorithm>
#include <set>
#include <string>

#include "generators/formats/common/testing/generator_laws_suite.h"
#include "harness/base/json.h"
#include "harness/base/json_pointer.h"
#include "harness/formats/netlist/gates.h"
#include "harness/formats/netlist/netlist_format.h"

namespace anecheck::testing {

INSTANTIATE_TEST_SUITE_P(Netlist, GeneratorLaws,
                         ::testing::Values(LawSubject{
                             .format = &kFormat_netlist,
                             .generator = &kGenerator_netlist,
                             .golden = "generators/formats/netlist/golden_seed_7.txt"}),
                         SubjectName);

// Some generated binary files have the layout of other writers, sometimes with objects that the
// document does not refer to.
TEST(NetlistGenerator, WritesTablesOfOtherWriters) {
  int others = 0;
  int orphans = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const auto document = plist::Parse(kGenerator_netlist.generate(choices));
    ASSERT_TRUE(document.ok()) << document.error().message;
    if (!document->table) continue;
    ++others;
    const size_t needed = plist::TableFromValue(document->root).objects.size();
    orphans += document->table->objects.size() > needed ? 1 : 0;
  }
  EXPECT_GT(others, 3);
  EXPECT_GT(orphans, 0);
  EXPECT_LT(orphans, others);
}

Json OtherValue(const Json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_string()) return value.get<std::string>() + "x";
  if (value.is_number_float()) return value.get<double>() + 0.5;
  return value.get<int64_t>() + 255;
}

void CollectScalars(const Json& json, const JsonPointer& at, std::vector<JsonPointer>& places) {
  if (json.is_object()) {
    for (const auto& [key, member] : json.items()) CollectScalars(member, at / key, places);
  } else if (json.is_array()) {
    for (size_t i = 0; i < json.size(); ++i) CollectScalars(json[i], at / i, places);
  } else if (!json.is_null()) {
    places.push_back(at);
  }
}

// In any layout, an edit changes only one value, even if other values refer to the same object.
TEST(NetlistGenerator, AnEditInATableOfAnotherWriterChangesOneValue) {
  int edits = 0;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const Bytes bytes = kGenerator_netlist.generate(choices);
    const Json json = kFormat_netlist.to_json(bytes).value();
    if (json["encoding"] != "binary" || !json.contains("layout")) continue;
    ASSERT_EQ(kFormat_netlist.from_json(json).value(), bytes) << "seed " << seed;
    std::vector<JsonPointer> places;
    CollectScalars(json["document"], JsonPointer(), places);
    for (const JsonPointer& place : places) {
      const std::string path = place.to_string();
      Json edited = json;
      edited["document"][place] = OtherValue(json["document"][place]);
      const Result<Bytes> written = kFormat_netlist.from_json(edited);
      ASSERT_TRUE(written.ok()) << path << ": " << written.error().message;
      const Json again = kFormat_netlist.to_json(*written).value();
      ASSERT_EQ(again["document"], edited["document"]) << "seed " << seed << ", " << path;
      const size_t count = json["layout"]["objects"].size();
      EXPECT_LE(again["layout"]["objects"].size(), count + 1) << "seed " << seed << ", " << path;
      ++edits;
    }
  }
  EXPECT_GT(edits, 100);
}

bool IsGate(const Rule& rule) {
  return std::ranges::any_of(netlist::GateRules(),
                             [&](const Rule& gate) { return gate.id == rule.id; });
}

// Returns the ids of the broken rules that are errors or gates. Leaves out other warnings.
std::set<std::string> BrokenRules(const Bytes& bytes) {
  std::set<std::string> ids;
  const auto violations = kFormat_netlist.verify(bytes);
  EXPECT_TRUE(violations.ok());
  for (const Violation& violation : *violations) {
    if (!violation.IsWarning() || IsGate(*violation.rule)) ids.emplace(violation.rule->id);
  }
  return ids;
}

TEST(NetlistGenerator, NoFileBreaksARule) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    EXPECT_EQ(BrokenRules(kGenerator_netlist.generate(choices)), std::set<std::string>())
        << "seed " << seed;
  }
}

// For each gate of a validator there is a mutation whose unit breaks this gate and no other rule.
TEST(GateBreakers, EachBreaksOnlyItsGate) {
  std::set<std::string> gates;
  for (const Rule& rule : netlist::GateRules()) gates.emplace(rule.id);
  for (const MutationKind& kind : kGenerator_netlist.mutations) {
    if (!gates.contains(std::string(kind.breaks_rule))) continue;
    for (uint64_t seed = 0; seed < 6; ++seed) {
      ChoiceStream choices = ChoiceStream::FromSeed(seed);
      const Bytes bytes = kGenerator_netlist.generate(choices);
      const auto mutation = kind.propose(bytes, choices);
      ASSERT_TRUE(mutation.has_value()) << kind.id;
      const auto broken = kind.apply(bytes, *mutation);
      ASSERT_TRUE(broken.ok()) << kind.id;
      EXPECT_EQ(BrokenRules(*broken), std::set<std::string>{std::string(kind.breaks_rule)});
    }
    gates.erase(std::string(kind.breaks_rule));
  }
  EXPECT_TRUE(gates.empty()) << "no mutation breaks " << *gates.begin();
}

// A network without units, inputs and outputs parses, and most edits find nothing to change in it.
TEST(NetlistMutations, TakeANetworkWithoutUnits) {
  ChoiceStream choices = ChoiceStream::FromSeed(7);
  Json json = kFormat_netlist.to_json(kGenerator_netlist.generate(choices)).value();
  Json& document = json.at("document");
  Json& net = document.at(document.at("Networks").at(0).get<std::string>());
  for (const char* list : {"Units", "Inputs", "Outputs"}) net[list] = Json::array();
  const Result<Bytes> file = kFormat_netlist.from_json(json);
  ASSERT_TRUE(file.ok()) << file.error().message;
  int refused = 0;
  for (const MutationKind& kind : kGenerator_netlist.mutations) {
    refused += kind.propose(*file, choices).has_value() ? 0 : 1;
  }
  EXPECT_GT(refused, 5);
}

}  // namespace anecheck::testing
