// Reads rows from a results file.
#include <fmt/format.h>
#include <sqlite3.h>

#include "harness/results/store_impl.h"

namespace anecheck {

// Descriptions of rows of queries. A query's columns have the order of the description.
template <>
inline constexpr auto kTable<VerdictCount> = Describe<VerdictCount>(
    {.name = "cases"}, Key("case_index", &VerdictCount::first_case),
    Value("verdict", &VerdictCount::verdict), Value("cases", &VerdictCount::cases));

namespace {

struct CaseIndex {
  uint64_t index = 0;
};

}  // namespace

template <>
inline constexpr auto kTable<CaseIndex> =
    Describe<CaseIndex>({.name = "cases"}, Key("case_index", &CaseIndex::index));

namespace {

// Appends the rows that are left.
template <typename Row>
Status ReadAll(RowReader<Row>& reader, std::vector<Row>& rows) {
  Row row;
  for (;;) {
    ANECHECK_ASSIGN(const bool more, reader.Next(row));
    if (!more) return {};
    rows.push_back(row);
  }
}

}  // namespace

template <typename Row>
Result<std::vector<Row>> Store::Rows(int64_t run) {
  ANECHECK_ASSIGN(auto reader, RowReader<Row>::Open(impl_->file, run, Columns::kSmall));
  std::vector<Row> rows;
  ANECHECK_RETURN_IF_ERROR(ReadAll(reader, rows));
  return rows;
}

template Result<std::vector<CaseRow>> Store::Rows(int64_t);
template Result<std::vector<OutputRow>> Store::Rows(int64_t);
template Result<std::vector<ReachRow>> Store::Rows(int64_t);
template Result<std::vector<ProvedReachRow>> Store::Rows(int64_t);
template Result<std::vector<UnconfirmedRow>> Store::Rows(int64_t);
template Result<std::vector<PlannedRow>> Store::Rows(int64_t);
template Result<std::vector<UlpRow>> Store::Rows(int64_t);
template Result<std::vector<WidthRow>> Store::Rows(int64_t);
template Result<std::vector<FindingRow>> Store::Rows(int64_t);
template Result<std::vector<FindingCaseRow>> Store::Rows(int64_t);
template Result<std::vector<ProbeRow>> Store::Rows(int64_t);
template Result<std::vector<CoverageRow>> Store::Rows(int64_t);
template Result<std::vector<MagnitudeRow>> Store::Rows(int64_t);
template Result<std::vector<LibraryRow>> Store::Rows(int64_t);
template Result<std::vector<ProofRow>> Store::Rows(int64_t);
template Result<std::vector<PaceRow>> Store::Rows(int64_t);
template Result<std::vector<LeanRow>> Store::Rows(int64_t);

// SQLite finds the next run of a table in the index of its key, so the time is proportional to the
// number of runs instead of rows.
Status Store::CheckRunsOfRows() {
  for (const TableShape& table : AllTables()) {
    if (!table.rule.of_run) continue;
    const std::string sql = fmt::format(
        "WITH RECURSIVE met(run) AS (SELECT min(run) FROM {0} UNION ALL SELECT (SELECT min(run) "
        "FROM {0} WHERE run > met.run) FROM met WHERE met.run IS NOT NULL) SELECT run FROM met "
        "WHERE run IS NOT NULL AND run NOT IN (SELECT id FROM runs) LIMIT 1",
        table.rule.name);
    Result<Statement> statement = Statement::Prepare(impl_->file.database, sql);
    if (!statement.ok()) return impl_->file.Failed("cannot read");
    const int code = statement->Step();
    if (code == SQLITE_DONE) continue;
    if (code != SQLITE_ROW) return impl_->file.Failed("cannot read");
    const int key[] = {0};
    return DamagedRow(path(), table.rule.name, statement->raw(), key, kRunColumn.name,
                      "names no run of the file");
  }
  return {};
}

Result<std::vector<RunRow>> Store::Runs() {
  ANECHECK_RETURN_IF_ERROR(CheckRunsOfRows());
  ANECHECK_ASSIGN(auto reader, RowReader<RunRow>::Open(impl_->file, {}));
  std::vector<RunRow> runs;
  ANECHECK_RETURN_IF_ERROR(ReadAll(reader, runs));
  for (RunRow& run : runs) {
    ANECHECK_ASSIGN(const std::vector<LibraryRow> libraries, Rows<LibraryRow>(run.id));
    for (const auto& [name, version] : libraries) run.libraries.emplace(name, version);
  }
  return runs;
}

Result<RunRow> Store::Run(int64_t id) {
  ANECHECK_ASSIGN(auto reader, RowReader<RunRow>::Open(impl_->file, id));
  RunRow run;
  ANECHECK_ASSIGN(const bool found, reader.Next(run));
  if (!found) return MakeError(ErrorCode::kIo, fmt::format("{}: lost run {}", path(), id));
  return run;
}

Status Store::EachCase(int64_t run, const std::function<void(const CaseRow&)>& visit) {
  ANECHECK_ASSIGN(auto reader, RowReader<CaseRow>::Open(impl_->file, run));
  CaseRow record;
  for (;;) {
    ANECHECK_ASSIGN(const bool more, reader.Next(record));
    if (!more) return {};
    visit(record);
  }
}

Status Store::EachWholeCase(int64_t run, const std::function<void(const CaseRow&)>& visit) {
  ANECHECK_ASSIGN(auto outputs, RowReader<OutputRow>::Open(impl_->file, run));
  OutputRow output;
  ANECHECK_ASSIGN(bool more, outputs.Next(output));
  Status read;
  const Status visited = EachCase(run, [&](const CaseRow& record) {
    CaseRow whole = record;
    while (more && read.ok() && output.case_index <= record.index) {
      if (output.case_index == record.index) whole.outputs.push_back(output);
      const Result<bool> next = outputs.Next(output);
      if (!next.ok()) read = next.error();
      more = next.ok() && *next;
    }
    if (read.ok()) visit(whole);
  });
  return visited.ok() ? read : visited;
}

Result<std::vector<VerdictCount>> Store::CountVerdicts(int64_t run) {
  ANECHECK_ASSIGN(auto reader, RowReader<VerdictCount>::Select(
                                   impl_->file,
                                   "SELECT run, min(case_index), verdict, count(*) FROM "
                                   "cases WHERE run = ? GROUP BY verdict",
                                   run));
  std::vector<VerdictCount> counts;
  ANECHECK_RETURN_IF_ERROR(ReadAll(reader, counts));
  return counts;
}

Result<std::optional<uint64_t>> Store::LastCase(int64_t run) {
  ANECHECK_ASSIGN(auto reader, RowReader<CaseIndex>::Select(
                                   impl_->file,
                                   "SELECT run, case_index FROM cases WHERE run = ? ORDER "
                                   "BY case_index DESC LIMIT 1",
                                   run));
  CaseIndex last;
  ANECHECK_ASSIGN(const bool found, reader.Next(last));
  return found ? std::optional(last.index) : std::nullopt;
}

Result<std::optional<FindingRow>> Store::Finding(int64_t run, std::string_view id) {
  ANECHECK_ASSIGN(auto reader, RowReader<FindingRow>::Open(impl_->file, run, Columns::kAll, id));
  FindingRow finding;
  ANECHECK_ASSIGN(const bool found, reader.Next(finding));
  return found ? std::optional(std::move(finding)) : std::nullopt;
}

Status Store::HoldSnapshot() {
  ANECHECK_RETURN_IF_ERROR(impl_->file.Execute("BEGIN"));
  // The snapshot begins at the first read of the transaction, so this reads one row.
  ANECHECK_ASSIGN(auto reader, RowReader<RunRow>::Open(impl_->file, {}));
  RunRow run;
  const Result<bool> read = reader.Next(run);
  return read.ok() ? Status() : read.error();
}

namespace {

StoreValue ValueOf(sqlite3_stmt* statement, int column) {
  StoreValue value;
  // The type is read before the text, because reading the text may change it.
  const int type = sqlite3_column_type(statement, column);
  if (type == SQLITE_NULL) return value;
  value.kind = type == SQLITE_INTEGER ? StoreValue::Kind::kInteger
               : type == SQLITE_FLOAT ? StoreValue::Kind::kReal
               : type == SQLITE_BLOB  ? StoreValue::Kind::kBlob
                                      : StoreValue::Kind::kText;
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  // A text or a BLOB may contain zero bytes, which do not end the value.
  const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, column));
  if (text != nullptr) value.text.assign(text, size);
  return value;
}

}  // namespace

Result<std::vector<std::vector<StoreValue>>> Store::Query(std::string_view sql,
                                                          std::vector<std::string>* columns) {
  ANECHECK_ASSIGN(Statement statement, Statement::PrepareOnly(impl_->file.database, sql));
  if (sqlite3_stmt_readonly(statement.raw()) == 0) {
    return MakeError(ErrorCode::kInvalid,
                     "the query would change the file; only SELECT is allowed");
  }
  const int width = sqlite3_column_count(statement.raw());
  if (width == 0) {
    return MakeError(ErrorCode::kInvalid, "the query has no rows; only SELECT is allowed");
  }
  if (columns != nullptr) {
    for (int i = 0; i < width; ++i) columns->emplace_back(sqlite3_column_name(statement.raw(), i));
  }
  std::vector<std::vector<StoreValue>> rows;
  int code = SQLITE_ROW;
  while ((code = statement.Step()) == SQLITE_ROW) {
    std::vector<StoreValue>& row = rows.emplace_back();
    for (int i = 0; i < width; ++i) row.push_back(ValueOf(statement.raw(), i));
  }
  if (code != SQLITE_DONE) return impl_->file.Failed("cannot read");
  return rows;
}

}  // namespace anecheck
