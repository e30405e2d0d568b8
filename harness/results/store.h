// The results file: one SQLite database that campaigns append to and reports read. One writer;
// readers may look on meanwhile (write-ahead log).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "oracles/lean_sums.h"

struct sqlite3;

namespace anecheck {

inline constexpr int kSchemaVersion = 8;

struct RunRecord {
  std::string uuid, command, options;
  uint64_t seed = 0;
  std::string started, tool_version, host, os, runner, provenance, engine, chip, compiler_version;
  std::map<std::string, std::string> libraries;  // name, version
};

struct OutputRecord {
  std::string op;
  std::string verdict;
  uint64_t elements = 0;
  uint64_t outside = 0;
  uint64_t worst_ulp = 0;
  std::string known_defect, reason;
};

struct CaseRecord {
  uint64_t index = 0;
  uint64_t seed = 0;
  std::string target, route, mode;
  uint64_t fingerprint = 0;
  int64_t nodes = 0;
  std::string status, stage, backend, verdict, message;
  uint64_t compile_us = 0, run_us = 0;
  std::vector<OutputRecord> outputs;
};

struct FindingRecord {
  std::string id;
  uint64_t case_index = 0;
  std::string op, target, route, verdict, known_defect, signature, summary, replay, artifact;
  int64_t occurrences = 1;
};

// Counts of one operation on one target by one route; columns of the table `reach`, and the rows of
// `unconfirmed_reach`.
struct ReachCounts {
  int64_t cases = 0, compiled = 0, dispatched = 0, correct = 0, known_defect = 0, wrong = 0,
          rejected = 0, inconclusive = 0, unconfirmed = 0;
  ReachCounts& operator+=(const ReachCounts& other);
};

inline constexpr size_t kUlpBuckets = 17;
using UlpCounts = std::array<uint64_t, kUlpBuckets>;

// Kind and name of a cell of coverage.h. The texts live as long as the process.
using CoverageKey = std::pair<std::string_view, std::string_view>;
struct CoverageKeyHash {
  size_t operator()(const CoverageKey& key) const {
    const std::hash<std::string_view> hash;
    return hash(key.second) + 31 * key.first.size();
  }
};

// Cases that met one cell of coverage.h; columns of the table `coverage`.
struct CoverageCounts {
  int64_t cases = 0;
  uint64_t first_case = 0;
  CoverageCounts& operator+=(const CoverageCounts& other);
};

// The cells that a batch met. A list: most are made at once and read in turn, and looked up by
// tests and counters of single cases alone.
class CoverageCells {
 public:
  using Entry = std::pair<CoverageKey, CoverageCounts>;

  // Makes an entry where there is none.
  CoverageCounts& operator[](const CoverageKey& key);
  // Precondition: the cell has no entry yet.
  void Append(const CoverageKey& key, const CoverageCounts& counts) {
    entries_.emplace_back(key, counts);
  }
  void reserve(size_t count) { entries_.reserve(count); }
  // Linear in their number.
  auto find(const CoverageKey& key) const {
    return std::ranges::find(entries_, key, &Entry::first);
  }
  bool contains(const CoverageKey& key) const { return find(key) != entries_.end(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

 private:
  std::vector<Entry> entries_;
  std::unordered_map<CoverageKey, size_t, CoverageKeyHash> index_;  // of the first entries
};

// Elements whose expected values have one magnitude; columns of the table `magnitude_errors`.
struct MagnitudeErrors {
  uint64_t elements = 0;
  uint64_t sum_ulp = 0;  // of the errors without their signs
  uint64_t max_ulp = 0;
  MagnitudeErrors& operator+=(const MagnitudeErrors& other);
  bool operator==(const MagnitudeErrors&) const = default;
};

// What a batch of cases adds to the file, in one transaction.
struct BatchRecord {
  std::vector<CaseRecord> cases;
  std::vector<FindingRecord> findings;
  std::map<std::tuple<std::string, std::string, std::string>, ReachCounts>
      reach;  // target, route, op
  // The part of `reach` that was proved: target, route, op, provenance.
  std::map<std::tuple<std::string, std::string, std::string, std::string>, ReachCounts>
      proved_reach;
  std::map<std::pair<std::string, std::string>, UlpCounts> ulp;  // target, op
  CoverageCells coverage;
  std::map<std::tuple<std::string, std::string, int>, MagnitudeErrors>
      magnitudes;  // target, op, exponent
  std::map<std::tuple<std::string, std::string, std::string>, OperationLeans>
      leans;  // target, route, op
  // How long the run has worked with these cases recorded; a row of `pace` where it is given.
  std::optional<double> seconds;
};

// One row of `probes`; the columns of schema.sql.
struct ProbeRecord {
  std::string probe, target, state, value, published, agrees, message;
};

// One value of a row, as text and what it is in the file.
struct StoreValue {
  enum class Kind : uint8_t { kNull, kInteger, kReal, kText, kBlob };
  Kind kind = Kind::kNull;
  std::string text;  // empty for NULL; of a BLOB its bytes
};

// An open results file. Not thread-safe: one thread writes.
class Store {
 public:
  // Opens or makes `path` for writing; a file of an older version is brought up to this one. A file
  // that is no results file, is damaged, or comes from a newer tool is an error and is left
  // untouched.
  static Result<Store> Open(const std::string& path);
  // Opens an existing file for reading only. What a file of an older version lacks reads as empty.
  static Result<Store> OpenReadOnly(const std::string& path);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // Adds a run in state 'running' and returns its id.
  Result<int64_t> BeginRun(const RunRecord& run);
  Status FinishRun(int64_t run, std::string_view state, std::string_view finished);
  // All of the batches, in their order, or on an error nothing of them. Several at once cost less:
  // what they count under one key is written once.
  Status Append(int64_t run, std::span<const BatchRecord> batches);
  Status Append(int64_t run, const BatchRecord& batch) { return Append(run, {&batch, 1}); }

  // Gives findings that were appended the commands that run them again: with the run where others
  // of the file have the id for something else.
  Status ReadReplays(int64_t run, std::span<FindingRecord> findings);

  // All of `probes` or, on an error, none.
  Status AppendProbes(int64_t run, std::span<const ProbeRecord> probes);

  // All that is read from here on is what the file holds now, whatever a writer adds meanwhile.
  Status HoldSnapshot();

  // Rows of an SQL query as text, for reports and `query`; NULL becomes an empty string. The query
  // may not write. `columns` receives the column names where it is not null.
  Result<std::vector<std::vector<std::string>>> Query(std::string_view sql,
                                                      std::span<const std::string> parameters = {},
                                                      std::vector<std::string>* columns = nullptr);

  // As Query, with the type of each value. The query must be one statement.
  Result<std::vector<std::vector<StoreValue>>> QueryValues(
      std::string_view sql, std::span<const std::string> parameters = {},
      std::vector<std::string>* columns = nullptr);

  const std::string& path() const { return path_; }
  // How another connection names the file that this one reads, for ATTACH
  // (https://www.sqlite.org/uri.html): without locks where this one has none.
  const std::string& read_uri() const { return read_uri_; }

 private:
  Store(std::string path, sqlite3* database);
  // A connection that cannot write.
  static Result<Store> Connect(const std::string& path);
  Result<int64_t> InsertRun(const RunRecord& run);
  Status Execute(const char* sql);
  Status MakeSchema();
  Status Migrate(int version);
  Error Failed(std::string_view what) const;
  Status AppendRows(int64_t run, std::span<const BatchRecord> batches);
  Status InsertCase(int64_t run, const CaseRecord& record);
  Status InsertFinding(int64_t run, const FindingRecord& record);
  Status AddReach(int64_t run, std::span<const BatchRecord> batches);
  Status AddProvedReach(int64_t run, std::span<const BatchRecord> batches);
  Status AddUnconfirmed(int64_t run, const std::array<std::string_view, 4>& key, int64_t cases);
  Status AddErrors(int64_t run, std::span<const BatchRecord> batches);
  Status AddMagnitudes(int64_t run, std::span<const BatchRecord> batches);
  Status AddLeans(int64_t run, std::span<const BatchRecord> batches);
  Status AddCoverage(int64_t run, std::span<const BatchRecord> batches);
  Status AddPace(int64_t run, const BatchRecord& batch);

  // Statements that every batch needs, prepared once.
  struct Kept;

  std::string path_, read_uri_;
  sqlite3* database_ = nullptr;
  std::unique_ptr<Kept> kept_;
};

}  // namespace anecheck
