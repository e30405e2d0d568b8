// A fixture and example rows for tests of results files.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "harness/base/file.h"
#include "harness/results/store.h"
#include "harness/results/testing/query_text.h"

namespace anecheck::testing {

class StoreTest : public ::testing::Test {
 protected:
  std::string Path(std::string_view name) const { return folder_->File(name); }
  // Returns the first value of the query's first row; "none" if there is no row.
  std::string One(Store& store, std::string_view sql) {
    const auto rows = QueryText(store, sql);
    EXPECT_TRUE(rows.ok()) << rows.error().message;
    return rows.ok() && !rows->empty() ? (*rows)[0][0] : "none";
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-store-");
};

inline RunRow ExampleRun(const std::string& uuid) {
  RunRow run;
  run.uuid = uuid;
  run.command = "anecheck run";
  run.options = "{}";
  run.seed = 7;
  run.provenance = Provenance::kSimulated;
  run.libraries = {{"sqlite", "3"}, {"fmt", "9"}};
  return run;
}

// Returns a batch of one case, with a finding and an entry in every map of counts.
inline RowBatch ExampleBatch(uint64_t index) {
  RowBatch batch;
  CaseRow record;
  record.index = index;
  record.seed = 0xfffffffffffffff0;
  record.target = "h13";
  record.route = Route::kMil;
  record.mode = CaseMode::kFloat;
  record.verdict = Verdict::kWrong;
  record.message = "it's \"odd\"";
  record.outputs.push_back({"conv", Verdict::kWrong, 10, 2, 5, {}, "outside"});
  batch.cases.push_back(record);
  FindingRow finding;
  finding.id = "f" + std::to_string(index);
  finding.case_index = index;
  finding.signature = "wrong|conv|h13";
  finding.artifact = "{}";
  batch.findings.push_back(finding);
  batch.reach[{"h13", Route::kMil, "conv"}] = {
      .cases = 1, .compiled = 1, .dispatched = 1, .wrong = 1};
  batch.ulp[{"h13", "conv"}][0] = 8;
  batch.ulp[{"h13", "conv"}][3] = 2;
  batch.magnitudes[{"h13", "conv", -4}] = {10, 6, 3 + index};
  if (index % 2 == 0) batch.seconds = 0.5 + static_cast<double>(index);
  return batch;
}

}  // namespace anecheck::testing
