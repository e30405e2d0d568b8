// The shipped table has every row of the published lists of conflicts (facts/source_conflicts.csv
// and facts/m5_matrix_conflicts.csv, copied to testdata), with the reading of each source.
#include <gtest/gtest.h>
#include <string>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/evidence/conflicts.h"
#include "harness/evidence/csv.h"
#include "harness/evidence/evidence.h"
#include "harness/evidence/evidence_print.h"

namespace anecheck::evidence {
namespace {

std::vector<CsvRow> Rows(const std::string& name) {
  const auto text = ReadTextFile(testing::SourcePath("harness/evidence/testdata/" + name));
  EXPECT_TRUE(text.ok()) << name;
  if (!text.ok()) return {};
  auto rows = ParseCsv(*text, name);
  EXPECT_TRUE(rows.ok()) << name;
  return rows.ok() ? std::move(*rows) : std::vector<CsvRow>();
}

const KnownConflict* WithSubject(std::string_view prefix, const std::string& subject) {
  for (const KnownConflict& conflict : KnownConflicts()) {
    if (conflict.id.starts_with(prefix) && conflict.subject == subject) return &conflict;
  }
  return nullptr;
}

const Statement* PublishedOf(const std::string& subject, std::string_view source) {
  for (const Statement& statement : Published()) {
    const bool here = statement.target == "h17s" && statement.subject == subject;
    if (here && statement.source.find(source) != std::string::npos) return &statement;
  }
  return nullptr;
}

TEST(M5ConflictRows, EachIsShippedWithTheSweepAsTheStronger) {
  const std::vector<CsvRow> rows = Rows("m5_matrix_conflicts.csv");
  ASSERT_EQ(rows.size(), 20u);
  for (const CsvRow& row : rows) {
    const std::string& op = row.at("op");
    const KnownConflict* known = WithSubject("m5_", op);
    ASSERT_NE(known, nullptr) << op;
    EXPECT_EQ(known->targets, "h17s");
    ASSERT_EQ(known->readings.size(), 2u) << op;
    EXPECT_EQ(known->readings[0].says, row.at("sweep_m5")) << op;
    EXPECT_TRUE(known->readings[0].stronger) << op;
    EXPECT_EQ(known->readings[1].says, row.at("matrix_m4_m5")) << op;
    EXPECT_FALSE(known->readings[1].stronger) << op;
  }
}

// The published statements contain both sides of each row. If one side states that the operation
// was reached and the other one states that it was refused, FindConflicts must find the conflict.
TEST(M5ConflictRows, BothSidesOfEachAreAmongTheStatements) {
  const std::vector<Conflict> found = FindConflicts(Published());
  for (const CsvRow& row : Rows("m5_matrix_conflicts.csv")) {
    const std::string& op = row.at("op");
    const Statement* matrix = PublishedOf(op, "op_device_matrix");
    const Statement* sweep = PublishedOf(op, "silicon_sweep_m5");
    ASSERT_TRUE(matrix != nullptr && sweep != nullptr) << op;
    EXPECT_EQ(matrix->status, row.at("matrix_m4_m5")) << op;
    EXPECT_EQ(sweep->status, row.at("sweep_m5")) << op;
    bool conflict = false;
    for (const Conflict& pair : found) {
      const Statement* sides[] = {&Published()[pair.stronger], &Published()[pair.weaker]};
      conflict = conflict || (sides[0] == matrix && sides[1] == sweep) ||
                 (sides[0] == sweep && sides[1] == matrix);
    }
    const bool opposed = (Reached(matrix->stage) && Denied(sweep->stage)) ||
                         (Denied(matrix->stage) && Reached(sweep->stage));
    EXPECT_EQ(conflict, opposed) << op;
    const std::string subjects[] = {op};
    const std::string text = FoundText(About(Published(), subjects, "h17s", RouteSet::kBoth));
    EXPECT_NE(text.find("stronger: " + row.at("sweep_m5")), std::string::npos) << text;
  }
}

TEST(SourceConflictRows, EachIsShippedWithAllItsReadings) {
  const std::vector<CsvRow> rows = Rows("source_conflicts.csv");
  ASSERT_EQ(rows.size(), 31u);
  for (const CsvRow& row : rows) {
    std::string table = row.at("table");
    for (const char* ending : {".csv", ".md"}) {
      const size_t at = table.find(ending);
      if (at != std::string::npos) table.erase(at, std::string(ending).size());
    }
    const KnownConflict* known = WithSubject("source_", table + " " + row.at("item"));
    ASSERT_NE(known, nullptr) << table << " " << row.at("item");
    EXPECT_FALSE(known->why.empty()) << known->id;
    for (const KnownConflict::Reading& reading : known->readings) {
      EXPECT_NE(row.at("values").find(reading.says), std::string::npos)
          << known->id << ": " << reading.says << " is not in " << row.at("values");
      EXPECT_FALSE(reading.source.empty()) << known->id;
    }
    // Two rows have a single reading. One has a corrected note, and one refers to 20 rows above.
    const bool single = row.at("item") == "A14 value" || row.at("item") == "M5 column";
    EXPECT_EQ(known->readings.size() >= 2, !single) << known->id;
  }
}

// A published list of contradictions between newer notes and older tables, and its columns.
struct NewerList {
  const char* file;
  const char* prefix;  // the beginning of the ids of its conflicts
  const char* older;
  const char* newer;
};

const KnownConflict* WithReading(const NewerList& list, const CsvRow& row) {
  for (const KnownConflict& conflict : KnownConflicts()) {
    if (!conflict.id.starts_with(list.prefix)) continue;
    for (const KnownConflict::Reading& reading : conflict.readings) {
      if (reading.says == row.at(list.newer)) return &conflict;
    }
  }
  return nullptr;
}

TEST(NewerConflictRows, EachHasADeclaredWinnerOrSaysThatSourcesDisagree) {
  const NewerList lists[] = {{"silicon/conflicts.csv", "silicon_", "existing", "new"},
                             {"later_programs/conflicts_later.csv", "later_", "says", "found"}};
  for (const NewerList& list : lists) {
    const std::string path = testing::FactPath(list.file);
    ANECHECK_SKIP_WITHOUT(path);
    auto text = ReadTextFile(path);
    ASSERT_TRUE(text.ok());
    // One row of the published list has a surplus comma.
    const size_t surplus = text->find("0xc9 and 0x67 missing,,");
    if (surplus != std::string::npos) text->erase(surplus + 21, 1);
    const auto rows = ParseCsv(*text, list.file);
    ASSERT_TRUE(rows.ok());
    ASSERT_GT(rows->size(), 10u);
    for (const CsvRow& row : *rows) {
      const KnownConflict* known = WithReading(list, row);
      ASSERT_NE(known, nullptr) << list.file << ": " << row.at(list.newer);
      EXPECT_EQ(known->readings.size(), row.at(list.older).empty() ? 1u : 2u) << known->id;
      size_t winners = 0;
      for (const KnownConflict::Reading& reading : known->readings) {
        winners += reading.stronger ? 1 : 0;
      }
      EXPECT_EQ(winners, known->why.starts_with("sources disagree") ? 0u : 1u) << known->id;
    }
  }
}

}  // namespace
}  // namespace anecheck::evidence
