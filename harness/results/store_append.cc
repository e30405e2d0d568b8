// Appends rows to the results file.
#include <span>
#include <sqlite3.h>
#include <string_view>

#include "harness/results/batch_sums.h"
#include "harness/results/store_impl.h"

namespace anecheck {
namespace {

constexpr std::string_view kCountFinding =
    "UPDATE findings SET occurrences = occurrences + ? WHERE run = ? AND signature = ?";
// Adds --run to the replay commands of an id, unless all runs have exactly the same artifact,
// engine and provenance. Goes through the runs because findings are indexed by run and id.
constexpr std::string_view kNameRuns =
    "UPDATE findings SET replay = replay || ' --run ' || (SELECT uuid FROM runs WHERE runs.id = "
    "findings.run) WHERE run IN (SELECT id FROM runs) AND id = ?1 AND instr(replay, ' --run ' || "
    "(SELECT uuid FROM runs WHERE runs.id = findings.run)) = 0 AND (SELECT count(DISTINCT "
    "r.provenance || char(10) || r.engine || char(10) || f.artifact) FROM runs r CROSS JOIN "
    "findings f ON f.run = r.id WHERE f.id = ?1) > 1";

Result<Statement*> Kept(std::optional<Statement>& statement, const Connection& file,
                        std::string_view sql) {
  if (!statement) {
    Result<Statement> prepared = Statement::Prepare(file.database, sql);
    if (!prepared.ok()) return file.Failed("cannot write");
    statement.emplace(*std::move(prepared));
  }
  return &*statement;
}

}  // namespace

Result<int64_t> Store::BeginRun(const RunRow& run) {
  const Connection& file = impl_->file;
  ANECHECK_ASSIGN(Transaction transaction, Transaction::Begin(file));
  ANECHECK_ASSIGN(const std::vector<RunRow> runs, Runs());
  RunRow row = run;
  row.id = runs.empty() ? 1 : runs.back().id + 1;
  row.state = RunState::kRunning;
  row.finished.reset();
  ANECHECK_ASSIGN(RowWriter<RunRow>* const writer, impl_->Writer<RunRow>());
  ANECHECK_RETURN_IF_ERROR(writer->Add(row.id, row));
  ANECHECK_ASSIGN(RowWriter<LibraryRow>* const libraries, impl_->Writer<LibraryRow>());
  for (const auto& [name, version] : run.libraries) {
    ANECHECK_RETURN_IF_ERROR(libraries->Add(row.id, {name, version}));
  }
  ANECHECK_RETURN_IF_ERROR(transaction.Commit());
  return row.id;
}

Status Store::FinishRun(int64_t run, RunState state, std::string_view finished) {
  std::optional<Statement> update;
  ANECHECK_ASSIGN(
      Statement* const statement,
      Kept(update, impl_->file, "UPDATE runs SET state = ?, finished = ? WHERE id = ?"));
  statement->Bind(state).Bind(finished).Bind(run);
  return statement->Run() ? Status() : impl_->file.Failed("cannot record the end of the run");
}

Status Store::AppendProbes(int64_t run, std::span<const ProbeRow> probes) {
  ANECHECK_ASSIGN(Transaction transaction, Transaction::Begin(impl_->file));
  ANECHECK_ASSIGN(RowWriter<ProbeRow>* const writer, impl_->Writer<ProbeRow>());
  for (const ProbeRow& probe : probes) ANECHECK_RETURN_IF_ERROR(writer->Add(run, probe));
  return transaction.Commit();
}

// The first case of a signature makes the row. Later cases increase the row's count.
Status Store::AddFinding(int64_t run, const FindingRow& record) {
  const Connection& file = impl_->file;
  ANECHECK_ASSIGN(Statement* const count, Kept(impl_->count_finding, file, kCountFinding));
  count->Bind(record.occurrences).Bind(run).Bind(record.signature);
  if (!count->Run()) return file.Failed("cannot count a finding");
  if (sqlite3_changes(file.database) > 0) return {};
  ANECHECK_ASSIGN(RowWriter<FindingRow>* const writer, impl_->Writer<FindingRow>());
  ANECHECK_RETURN_IF_ERROR(writer->Add(run, record));
  ANECHECK_ASSIGN(Statement* const name, Kept(impl_->name_runs, file, kNameRuns));
  name->Bind(record.id);
  return name->Run() ? Status() : file.Failed("cannot name the runs of a finding");
}

Status Store::ReadReplays(int64_t run, std::span<FindingRow> findings) {
  for (FindingRow& finding : findings) {
    ANECHECK_ASSIGN(auto found, Finding(run, finding.id));
    if (found) finding.replay = std::move(found->replay);
  }
  return {};
}

// Adds up `member` over the batches, and writes the rows that `to_rows` makes of the sums.
template <typename Row, typename Map, typename ToRows>
Status Store::AddSums(int64_t run, std::span<const RowBatch> batches, Map RowBatch::* member,
                      const ToRows& to_rows) {
  ANECHECK_ASSIGN(RowWriter<Row>* const writer, impl_->Writer<Row>());
  Status status;
  const auto add = [&](const Row& row) {
    if (status.ok()) status = writer->Add(run, row);
  };
  for (const auto& [key, sum] : SumOf(batches, member)) to_rows(*key, sum, add);
  return status;
}

Status Store::AddReach(int64_t run, std::span<const RowBatch> batches) {
  std::vector<UnconfirmedRow> unconfirmed;
  std::vector<PlannedRow> planned;
  const auto note = [&](const ReachRow& row, std::optional<Provenance> provenance) {
    // Few operations have unconfirmed cases.
    if (row.unconfirmed == 0) return;
    unconfirmed.push_back({row.target, row.route, row.op, provenance, row.unconfirmed});
  };
  ANECHECK_RETURN_IF_ERROR(AddSums<ReachRow>(
      run, batches, &RowBatch::reach, [&](const auto& key, const auto& sum, const auto& add) {
        ReachRow row{sum, {}, {}, {}};
        std::tie(row.target, row.route, row.op) = key;
        add(row);
        note(row, {});
        if (row.planned > 0) planned.push_back({row.target, row.route, row.op, row.planned});
      }));
  ANECHECK_RETURN_IF_ERROR(
      AddSums<ProvedReachRow>(run, batches, &RowBatch::proved_reach,
                              [&](const auto& key, const auto& sum, const auto& add) {
                                ProvedReachRow row{{sum, {}, {}, {}}, {}};
                                std::tie(row.target, row.route, row.op, row.provenance) = key;
                                add(row);
                                note(row, row.provenance);
                              }));
  ANECHECK_ASSIGN(RowWriter<UnconfirmedRow>* const writer, impl_->Writer<UnconfirmedRow>());
  for (const UnconfirmedRow& row : unconfirmed) ANECHECK_RETURN_IF_ERROR(writer->Add(run, row));
  ANECHECK_ASSIGN(RowWriter<PlannedRow>* const plans, impl_->Writer<PlannedRow>());
  for (const PlannedRow& row : planned) ANECHECK_RETURN_IF_ERROR(plans->Add(run, row));
  return {};
}

Status Store::AddErrors(int64_t run, std::span<const RowBatch> batches) {
  const auto add_buckets = [](const auto& key, const auto& counts, const auto& add) {
    for (size_t bucket = 0; bucket < counts.size(); ++bucket) {
      if (counts[bucket] > 0) add({key.first, key.second, bucket, counts[bucket]});
    }
  };
  ANECHECK_RETURN_IF_ERROR(AddSums<UlpRow>(run, batches, &RowBatch::ulp, add_buckets));
  ANECHECK_RETURN_IF_ERROR(AddSums<WidthRow>(run, batches, &RowBatch::widths, add_buckets));
  ANECHECK_RETURN_IF_ERROR(
      AddSums<MagnitudeRow>(run, batches, &RowBatch::magnitudes,
                            [](const auto& key, const auto& errors, const auto& add) {
                              const auto& [target, op, exponent] = key;
                              add({errors, target, op, exponent});
                            }));
  return AddSums<LeanRow>(run, batches, &RowBatch::leans,
                          [](const auto& key, const OperationLeans& leans, const auto& add) {
                            const auto& [target, route, op] = key;
                            for (const Lean lean : AllWords<Lean>()) {
                              const LeanSums& sums = leans[static_cast<size_t>(lean)];
                              if (sums.outputs > 0) add({sums, target, route, op, lean});
                            }
                          });
}

Status Store::AddCoverage(int64_t run, std::span<const RowBatch> batches) {
  ANECHECK_ASSIGN(RowWriter<CoverageRow>* const writer, impl_->Writer<CoverageRow>());
  CoverageRow row;
  for (const auto& [key, counts] : SumOfCoverage(batches)) {
    static_cast<CoverageCounts&>(row) = counts;
    row.kind = key->first;
    row.cell = key->second;
    ANECHECK_RETURN_IF_ERROR(writer->Add(run, row));
  }
  return {};
}

Status Store::AddCases(int64_t run, const RowBatch& batch) {
  ANECHECK_ASSIGN(RowWriter<CaseRow>* const cases, impl_->Writer<CaseRow>());
  ANECHECK_ASSIGN(RowWriter<OutputRow>* const outputs, impl_->Writer<OutputRow>());
  OutputRow row;
  for (const CaseRow& record : batch.cases) {
    ANECHECK_RETURN_IF_ERROR(cases->Add(run, record));
    row.case_index = record.index;
    for (row.output_index = 0; row.output_index < record.outputs.size(); ++row.output_index) {
      static_cast<OutputVerdict&>(row) = record.outputs[row.output_index];
      ANECHECK_RETURN_IF_ERROR(outputs->Add(run, row));
    }
  }
  for (const ProofRow& proof : batch.proofs) {
    ANECHECK_ASSIGN(RowWriter<ProofRow>* const proofs, impl_->Writer<ProofRow>());
    ANECHECK_RETURN_IF_ERROR(proofs->Add(run, proof));
  }
  for (const FindingCaseRow& shown : batch.finding_cases) {
    ANECHECK_ASSIGN(RowWriter<FindingCaseRow>* const cases_of, impl_->Writer<FindingCaseRow>());
    ANECHECK_RETURN_IF_ERROR(cases_of->Add(run, shown));
  }
  if (!batch.seconds || batch.cases.empty()) return {};
  ANECHECK_ASSIGN(RowWriter<PaceRow>* const pace, impl_->Writer<PaceRow>());
  return pace->Add(run, {batch.cases.back().index, *batch.seconds});
}

Status Store::Append(int64_t run, std::span<const RowBatch> batches) {
  ANECHECK_ASSIGN(Transaction transaction, Transaction::Begin(impl_->file));
  for (const RowBatch& batch : batches) {
    ANECHECK_RETURN_IF_ERROR(AddCases(run, batch));
    for (const FindingRow& finding : batch.findings) {
      ANECHECK_RETURN_IF_ERROR(AddFinding(run, finding));
    }
  }
  ANECHECK_RETURN_IF_ERROR(AddReach(run, batches));
  ANECHECK_RETURN_IF_ERROR(AddErrors(run, batches));
  ANECHECK_RETURN_IF_ERROR(AddCoverage(run, batches));
  return transaction.Commit();
}

}  // namespace anecheck
