// Tests which row of evidence each field of a document has, and how the rows are printed.
#include "harness/formats/fieldsources/field_sources.h"

#include <gtest/gtest.h>
#include <map>

#include "harness/base/json.h"

namespace anecheck {
namespace {

const std::vector<FieldFact> kFacts = {
    {"header.magic", FactEvidence::kRealFile, "real files"},
    {"header.rest", FactEvidence::kOpaque, "no source"},
    {"header", FactEvidence::kSpecification, "table 1"},
    {"units.*.Type", FactEvidence::kSpecification, "table 1"},
    {"units.*", FactEvidence::kPublicNotes, "notes"},
    {"rows[].words[]", FactEvidence::kAssumed, "nothing"},
    {"never", FactEvidence::kAssumed, "nothing"},
};

// Returns the source of the evidence for each field of the document.
std::map<std::string, std::string> SourcesOf(const Json& json) {
  const FieldSources found = SourcesOf(kFacts, json);
  std::map<std::string, std::string> sources;
  for (const SourcedField& field : found.fields) {
    const bool added =
        sources.emplace(field.path, field.fact == nullptr ? "none" : field.fact->source).second;
    EXPECT_TRUE(added) << field.path << " is listed twice";
  }
  return sources;
}

TEST(FieldSources, AreThoseOfTheFirstRowThatMatches) {
  const Json json = {{"header", {{"magic", 1}, {"rest", {{"word", 2}}}, {"count", 3}}},
                     {"units", {{"a.b", {{"Type", "x"}, {"Name", "y"}}}}}};
  EXPECT_EQ(SourcesOf(json), (std::map<std::string, std::string>{{"header.magic", "real files"},
                                                                 {"header.rest.word", "no source"},
                                                                 {"header.count", "table 1"},
                                                                 {"units.a.b.Type", "table 1"},
                                                                 {"units.a.b.Name", "notes"}}));
}

TEST(FieldSources, ElementsOfOneArrayAreOneField) {
  const Json words = Json::array({1, 2, 3});
  const Json json = {{"rows", Json::array({Json{{"words", words}}, Json{{"words", words}}})}};
  EXPECT_EQ(SourcesOf(json), (std::map<std::string, std::string>{{"rows[].words[]", "nothing"}}));
  // A star matches a name. It does not match an array element.
  const Json list = {{"units", Json::array({7})}};
  EXPECT_EQ(SourcesOf(list), (std::map<std::string, std::string>{{"units[]", "none"}}));
}

TEST(FieldSources, EmptyObjectsAndArraysHaveNoFields) {
  const Json json = {{"units", Json::object()}, {"rows", Json::array()}, {"header", nullptr}};
  EXPECT_EQ(SourcesOf(json), (std::map<std::string, std::string>{{"header", "table 1"}}));
}

TEST(FieldSources, TheFormatNameAndDerivedMembersAreNotation) {
  const Json json = {{"format", "x"}, {"rows", Json::array({Json{{"derived", {{"a", 1}}}}})}};
  const FieldSources found = SourcesOf(kFacts, json);
  ASSERT_EQ(found.fields.size(), 2u);
  for (const SourcedField& field : found.fields) {
    ASSERT_NE(field.fact, nullptr) << field.path;
    EXPECT_EQ(field.fact->evidence, FactEvidence::kNotation) << field.path;
  }
  ASSERT_EQ(found.rows.size(), 2u);
  EXPECT_EQ(found.rows[0]->path, "format");
}

TEST(FieldSources, TextAndJsonListTheRowsThatOccurAndTheFieldsWithoutOne) {
  const Json json = {{"header", {{"count", 3}, {"magic", 1}}},
                     {"units", {{"a", {{"Type", "x"}}}}},
                     {"stray", true}};
  const FieldSources found = SourcesOf(kFacts, json);
  EXPECT_EQ(FieldSourcesText(found),
            "evidence of the fields (a row also covers the fields below it; if several rows fit a "
            "field, the first counts):\n"
            "  real file [real files]: header.magic\n"
            "  specification [table 1]: header, units.*.Type\n"
            "  unknown: stray\n");
  EXPECT_EQ(FieldSourcesToJson(found).dump(),
            R"([{"fields":"header.magic","evidence":"real file","source":"real files"},)"
            R"({"fields":"header","evidence":"specification","source":"table 1"},)"
            R"({"fields":"units.*.Type","evidence":"specification","source":"table 1"},)"
            R"({"fields":"stray","evidence":"unknown"}])");
}

}  // namespace
}  // namespace anecheck
