// The results file: one SQLite database that campaigns append to and reports read. There is one
// writer; others may read at the same time (write-ahead log). README.md of this room describes its
// content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/results/row_values.h"

namespace anecheck {

// Version 9 has STRICT tables. Version 10 adds proofs, version 11 adds the cases of findings,
// version 12 adds planned operations, and version 13 adds the widths of bounds.
inline constexpr int kSchemaVersion = 13;

// One value of a query, as text and with its type in the file.
struct StoreValue {
  enum class Kind : uint8_t { kNull, kInteger, kReal, kText, kBlob };
  Kind kind = Kind::kNull;
  std::string text;  // empty for NULL; the bytes of a BLOB
};

// An open results file. Not thread-safe; only one thread may write. Every function that reads rows
// checks them. A value of a type that differs from the column's, or a value that no campaign
// writes, is an error of kMalformed that names file, table, row and column.
class Store {
 public:
  // Opens or makes `path` for writing; a file of an older version is upgraded to this version. If
  // the file is no results file, is damaged, or comes from a newer tool, returns an error and
  // leaves the file unchanged.
  static Result<Store> Open(const std::string& path);
  // Opens an existing file for reading only. Tables that an older version lacks are read as empty.
  static Result<Store> OpenReadOnly(const std::string& path);
  // Makes a file without a log, for MergeResults. No process may read it before it is complete.
  static Result<Store> MakeUnlogged(const std::string& path);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // Adds a run in state kRunning and returns its id.
  Result<int64_t> BeginRun(const RunRow& run);
  Status FinishRun(int64_t run, RunState state, std::string_view finished);
  // Appends all batches in their order or, on an error, none. Appending several batches at once
  // costs less, because counts with the same key are added up and written once.
  Status Append(int64_t run, std::span<const RowBatch> batches);
  Status Append(int64_t run, const RowBatch& batch) { return Append(run, {&batch, 1}); }
  // Appends all of `probes` or, on an error, none.
  Status AppendProbes(int64_t run, std::span<const ProbeRow> probes);
  // Sets the replay commands of appended findings. A command names the run if the file has another
  // finding with the same id.
  Status ReadReplays(int64_t run, std::span<FindingRow> findings);
  // Copies runs of another file, each with its new id. NameFile sets the file name in the replay
  // commands of findings to `name`, the later name of this file.
  Status CopyRuns(Store& from, std::span<const std::pair<int64_t, int64_t>> runs);
  Status NameFile(std::string_view name);

  // Makes all later reads see the file's present content, even if a writer adds to it.
  Status HoldSnapshot();

  // Returns the runs of the file in the order of their ids. Rows of no run are also an error.
  Result<std::vector<RunRow>> Runs();
  Result<RunRow> Run(int64_t id);
  // Returns the rows of a run, of any struct of tables.h, in the order of their keys.
  // CaseRow::outputs and artifacts of findings stay empty.
  template <typename Row>
  Result<std::vector<Row>> Rows(int64_t run);
  // Visits the cases of a run one at a time. EachWholeCase also reads CaseRow::outputs.
  Status EachCase(int64_t run, const std::function<void(const CaseRow&)>& visit);
  Status EachWholeCase(int64_t run, const std::function<void(const CaseRow&)>& visit);
  // Counts the cases of a run with each verdict. Uses an index, so it does not read every case.
  Result<std::vector<VerdictCount>> CountVerdicts(int64_t run);
  // Returns the index of the last recorded case.
  Result<std::optional<uint64_t>> LastCase(int64_t run);
  // Returns one finding, with its artifact; empty if the run has no finding with that id.
  Result<std::optional<FindingRow>> Finding(int64_t run, std::string_view id);
  // Returns a digest of the content about a run, which does not depend on the file's path.
  Result<uint64_t> Digest(int64_t run);

  // Returns the rows of a user's query, which must be one statement that only reads. `columns`
  // receives the names of the columns, unless it is null.
  Result<std::vector<std::vector<StoreValue>>> Query(std::string_view sql,
                                                     std::vector<std::string>* columns = nullptr);

  const std::string& path() const;

 private:
  // The connection, and the statements that every batch needs, prepared once.
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  // Opens a connection that cannot write.
  static Result<Store> Connect(const std::string& path);
  Status MakeSchema();
  Status Upgrade();
  Status CheckRunsOfRows();
  Status AddCases(int64_t run, const RowBatch& batch);
  Status AddFinding(int64_t run, const FindingRow& record);
  template <typename Row, typename Map, typename ToRows>
  Status AddSums(int64_t run, std::span<const RowBatch> batches, Map RowBatch::* member,
                 const ToRows& to_rows);
  Status AddReach(int64_t run, std::span<const RowBatch> batches);
  Status AddErrors(int64_t run, std::span<const RowBatch> batches);
  Status AddCoverage(int64_t run, std::span<const RowBatch> batches);

  std::unique_ptr<Impl> impl_;
};

}  // namespace anecheck
