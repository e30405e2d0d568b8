// What campaigns append to the results file.
#include <array>
#include <span>
#include <string_view>

#include "harness/results/batch_sums.h"
#include "harness/results/statement.h"

namespace anecheck {
namespace {

#define ANECHECK_ADD_REACH                                                                \
  " ON CONFLICT DO UPDATE SET "                                                           \
  "cases = cases + excluded.cases, compiled = compiled + excluded.compiled, "             \
  "dispatched = dispatched + excluded.dispatched, correct = correct + excluded.correct, " \
  "known_defect = known_defect + excluded.known_defect, wrong = wrong + excluded.wrong, " \
  "rejected = rejected + excluded.rejected, inconclusive = inconclusive + excluded.inconclusive"

constexpr std::string_view kKeptSql[kKeptStatements] = {
    "INSERT INTO cases VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    "INSERT INTO outputs VALUES (?,?,?,?,?,?,?,?,?,?)",
    "UPDATE findings SET occurrences = occurrences + ? WHERE run = ? AND signature = ?",
    "INSERT INTO findings VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
    // Runs that found the very same leave no choice to make. By way of the runs, because findings
    // are found by run and id.
    "UPDATE findings SET replay = replay || ' --run ' || (SELECT uuid FROM runs WHERE runs.id = "
    "findings.run) WHERE run IN (SELECT id FROM runs) AND id = ?1 AND instr(replay, ' --run ' || "
    "(SELECT uuid FROM runs WHERE runs.id = findings.run)) = 0 AND (SELECT count(DISTINCT "
    "r.provenance || char(10) || r.engine || char(10) || f.artifact) FROM runs r CROSS JOIN "
    "findings f ON f.run = r.id WHERE f.id = ?1) > 1",
    "INSERT INTO reach VALUES (?,?,?,?,?,?,?,?,?,?,?,?)" ANECHECK_ADD_REACH,
    "INSERT INTO proved_reach VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)" ANECHECK_ADD_REACH,
    "INSERT INTO unconfirmed_reach VALUES (?,?,?,?,?,?) ON CONFLICT DO UPDATE SET "
    "cases = cases + excluded.cases",
    "INSERT INTO ulp_histogram VALUES (?,?,?,?,?) ON CONFLICT DO UPDATE SET "
    "elements = elements + excluded.elements",
    "INSERT INTO magnitude_errors VALUES (?,?,?,?,?,?,?) ON CONFLICT DO UPDATE SET "
    "elements = elements + excluded.elements, sum_ulp = sum_ulp + excluded.sum_ulp, "
    "max_ulp = max(max_ulp, excluded.max_ulp)",
    "INSERT INTO coverage VALUES (?,?,?,?,?) ON CONFLICT DO UPDATE SET "
    "cases = cases + excluded.cases, first_case = min(first_case, excluded.first_case)",
    "INSERT INTO pace VALUES (?,?,?)",
    "INSERT INTO error_leans VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO UPDATE SET "
    "outputs = outputs + excluded.outputs, sum = sum + excluded.sum, "
    "capital_1 = capital_1 + excluded.capital_1, capital_2 = capital_2 + excluded.capital_2, "
    "capital_3 = capital_3 + excluded.capital_3, capital_4 = capital_4 + excluded.capital_4, "
    "extreme_case = CASE WHEN excluded.extreme > extreme THEN excluded.extreme_case "
    "WHEN excluded.extreme < extreme THEN extreme_case "
    "ELSE min(extreme_case, excluded.extreme_case) END, extreme = max(extreme, excluded.extreme)"};
#undef ANECHECK_ADD_REACH

}  // namespace

Result<Statement*> Store::Kept::Get(sqlite3* database, KeptStatement which) {
  std::optional<Statement>& statement = statements[which];
  if (!statement) {
    ANECHECK_ASSIGN(Statement prepared, Statement::Prepare(database, kKeptSql[which]));
    statement.emplace(std::move(prepared));
  }
  return &*statement;
}

Status Store::InsertCase(int64_t run, const CaseRecord& record) {
  ANECHECK_ASSIGN(Statement * insert, kept_->Get(database_, kInsertCase));
  insert->Bind(run).Bind(record.index).Bind(record.seed).Bind(record.target);
  insert->Bind(record.route).Bind(record.mode).Bind(record.fingerprint).Bind(record.nodes);
  insert->Bind(record.status).Bind(record.stage).Bind(record.backend).Bind(record.verdict);
  insert->Bind(record.message).Bind(record.compile_us).Bind(record.run_us);
  if (!insert->Run()) return Failed("cannot record a case");
  ANECHECK_ASSIGN(Statement * insert_output, kept_->Get(database_, kInsertOutput));
  for (size_t i = 0; i < record.outputs.size(); ++i) {
    const OutputRecord& output = record.outputs[i];
    insert_output->Bind(run).Bind(record.index).Bind(uint64_t{i}).Bind(output.op);
    insert_output->Bind(output.verdict).Bind(output.elements).Bind(output.outside);
    insert_output->Bind(output.worst_ulp).Bind(output.known_defect).Bind(output.reason);
    if (!insert_output->Run()) return Failed("cannot record an output");
  }
  return {};
}

Status Store::InsertFinding(int64_t run, const FindingRecord& record) {
  // The first case of a signature keeps the row; later ones are counted in it.
  ANECHECK_ASSIGN(Statement * count, kept_->Get(database_, kCountFinding));
  count->Bind(record.occurrences).Bind(run).Bind(record.signature);
  if (!count->Run()) return Failed("cannot count a finding");
  if (sqlite3_changes(database_) > 0) return {};
  ANECHECK_ASSIGN(Statement * insert, kept_->Get(database_, kInsertFinding));
  insert->Bind(run).Bind(record.id).Bind(record.case_index).Bind(record.op).Bind(record.target);
  insert->Bind(record.route).Bind(record.verdict).Bind(record.known_defect);
  insert->Bind(record.signature).Bind(record.occurrences).Bind(record.summary);
  insert->Bind(record.replay).Bind(record.artifact);
  if (!insert->Run()) return Failed("cannot record a finding");
  ANECHECK_ASSIGN(Statement * name, kept_->Get(database_, kNameRuns));
  name->Bind(record.id);
  return name->Run() ? Status() : Status(Failed("cannot name the runs of a finding"));
}

Status Store::ReadReplays(int64_t run, std::span<FindingRecord> findings) {
  for (FindingRecord& finding : findings) {
    const std::string key[] = {std::to_string(run), finding.id};
    ANECHECK_ASSIGN(
        const auto rows,
        Query("SELECT replay FROM findings WHERE run = CAST(? AS INTEGER) AND id = ?", key));
    if (!rows.empty()) finding.replay = rows[0][0];
  }
  return {};
}

// `key` is target, route, operation and provenance. Few operations have any.
Status Store::AddUnconfirmed(int64_t run, const std::array<std::string_view, 4>& key,
                             int64_t cases) {
  if (cases == 0) return {};
  ANECHECK_ASSIGN(Statement * add, kept_->Get(database_, kAddUnconfirmed));
  add->Bind(run);
  for (const std::string_view part : key) add->Bind(part);
  add->Bind(cases);
  return add->Run() ? Status() : Status(Failed("cannot count deviations"));
}

Status Store::AddReach(int64_t run, std::span<const BatchRecord> batches) {
  ANECHECK_ASSIGN(Statement * add, kept_->Get(database_, kAddReach));
  for (const auto& [key, counts] : SumOf(batches, &BatchRecord::reach)) {
    const auto& [target, route, op] = *key;
    add->Bind(run).Bind(target).Bind(route).Bind(op).Bind(counts.cases).Bind(counts.compiled);
    add->Bind(counts.dispatched).Bind(counts.correct).Bind(counts.known_defect);
    add->Bind(counts.wrong).Bind(counts.rejected).Bind(counts.inconclusive);
    if (!add->Run()) return Failed("cannot count an operation");
    ANECHECK_RETURN_IF_ERROR(AddUnconfirmed(run, {target, route, op, ""}, counts.unconfirmed));
  }
  return {};
}

Status Store::AddProvedReach(int64_t run, std::span<const BatchRecord> batches) {
  ANECHECK_ASSIGN(Statement * add, kept_->Get(database_, kAddProvedReach));
  for (const auto& [key, counts] : SumOf(batches, &BatchRecord::proved_reach)) {
    const auto& [target, route, op, provenance] = *key;
    add->Bind(run).Bind(target).Bind(route).Bind(op).Bind(provenance).Bind(counts.cases);
    add->Bind(counts.compiled).Bind(counts.dispatched).Bind(counts.correct);
    add->Bind(counts.known_defect).Bind(counts.wrong).Bind(counts.rejected);
    add->Bind(counts.inconclusive);
    if (!add->Run()) return Failed("cannot count what was proved");
    ANECHECK_RETURN_IF_ERROR(
        AddUnconfirmed(run, {target, route, op, provenance}, counts.unconfirmed));
  }
  return {};
}

Status Store::AddErrors(int64_t run, std::span<const BatchRecord> batches) {
  ANECHECK_ASSIGN(Statement * add, kept_->Get(database_, kAddErrors));
  for (const auto& [key, counts] : SumOf(batches, &BatchRecord::ulp)) {
    for (size_t bucket = 0; bucket < counts.size(); ++bucket) {
      if (counts[bucket] == 0) continue;
      add->Bind(run).Bind(key->first).Bind(key->second).Bind(uint64_t{bucket}).Bind(counts[bucket]);
      if (!add->Run()) return Failed("cannot count errors");
    }
  }
  return {};
}

Status Store::AddMagnitudes(int64_t run, std::span<const BatchRecord> batches) {
  ANECHECK_ASSIGN(Statement * add, kept_->Get(database_, kAddMagnitudes));
  for (const auto& [key, errors] : SumOf(batches, &BatchRecord::magnitudes)) {
    const auto& [target, op, exponent] = *key;
    add->Bind(run).Bind(target).Bind(op).Bind(int64_t{exponent}).Bind(errors.elements);
    add->Bind(errors.sum_ulp).Bind(errors.max_ulp);
    if (!add->Run()) return Failed("cannot count errors by magnitude");
  }
  return {};
}

Status Store::AddLeans(int64_t run, std::span<const BatchRecord> batches) {
  ANECHECK_ASSIGN(Statement * add, kept_->Get(database_, kAddLeans));
  for (const auto& [key, leans] : SumOf(batches, &BatchRecord::leans)) {
    const auto& [target, route, op] = *key;
    for (size_t i = 0; i < kLeanCount; ++i) {
      const LeanSums& sums = leans[i];
      if (sums.outputs == 0) continue;
      add->Bind(run).Bind(target).Bind(route).Bind(op).Bind(LeanName(static_cast<Lean>(i)));
      add->Bind(sums.outputs).Bind(sums.sum);
      for (const int64_t capital : sums.capitals) add->Bind(capital);
      add->Bind(sums.extreme_case).Bind(sums.extreme);
      if (!add->Run()) return Failed("cannot count which way errors lean");
    }
  }
  return {};
}

Status Store::AddCoverage(int64_t run, std::span<const BatchRecord> batches) {
  ANECHECK_ASSIGN(Statement * add, kept_->Get(database_, kAddCoverage));
  for (const auto& [key, counts] : SumOfCoverage(batches)) {
    add->Bind(run).Bind(key->first).Bind(key->second).Bind(counts.cases).Bind(counts.first_case);
    if (!add->Run()) return Failed("cannot record coverage");
  }
  return {};
}

Status Store::AddPace(int64_t run, const BatchRecord& batch) {
  if (!batch.seconds || batch.cases.empty()) return {};
  ANECHECK_ASSIGN(Statement * insert, kept_->Get(database_, kInsertPace));
  insert->Bind(run).Bind(batch.cases.back().index).Bind(*batch.seconds);
  return insert->Run() ? Status() : Status(Failed("cannot record the pace"));
}

Status Store::AppendRows(int64_t run, std::span<const BatchRecord> batches) {
  for (const BatchRecord& batch : batches) {
    for (const CaseRecord& record : batch.cases) {
      ANECHECK_RETURN_IF_ERROR(InsertCase(run, record));
    }
    for (const FindingRecord& record : batch.findings) {
      ANECHECK_RETURN_IF_ERROR(InsertFinding(run, record));
    }
    ANECHECK_RETURN_IF_ERROR(AddPace(run, batch));
  }
  ANECHECK_RETURN_IF_ERROR(AddReach(run, batches));
  ANECHECK_RETURN_IF_ERROR(AddProvedReach(run, batches));
  ANECHECK_RETURN_IF_ERROR(AddErrors(run, batches));
  ANECHECK_RETURN_IF_ERROR(AddMagnitudes(run, batches));
  ANECHECK_RETURN_IF_ERROR(AddLeans(run, batches));
  return AddCoverage(run, batches);
}

Status Store::Append(int64_t run, std::span<const BatchRecord> batches) {
  ANECHECK_RETURN_IF_ERROR(Execute("BEGIN IMMEDIATE"));
  Status status = AppendRows(run, batches);
  if (status.ok()) status = Execute("COMMIT");
  if (!status.ok()) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  return status;
}

}  // namespace anecheck
