#include "harness/cli/evidence_flags.h"

#include "harness/base/file.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/report_progress.h"
#include "reports/campaign_evidence.h"
#include "reports/query.h"

namespace anecheck {

void AddEvidenceFlags(CommandLine& command, EvidenceFlags& flags) {
  command.AddOption("--db", flags.db, "Results files of campaigns").Check(FileName());
  command.AddOption("--evidence", flags.files,
                    "Further evidence as CSV or JSON (reports/schemas/evidence.schema.json)");
  command.AddFlag("--no-published", flags.without_published, "Leave out the published tables");
}

Result<std::vector<evidence::Statement>> GatherEvidence(const EvidenceFlags& flags) {
  std::vector<evidence::Statement> statements;
  if (!flags.without_published) statements = evidence::Published();
  const auto add = [&](std::vector<evidence::Statement> more) {
    statements.insert(statements.end(), more.begin(), more.end());
  };
  for (const std::string& path : flags.files) {
    ANECHECK_ASSIGN(const std::string text, ReadTextFile(path));
    ANECHECK_ASSIGN(std::vector<evidence::Statement> read, evidence::ParseStatements(text, path));
    add(std::move(read));
  }
  if (flags.db.empty()) return statements;
  ANECHECK_ASSIGN(const reports::ReportData data,
                  reports::ReadReportData(flags.db, ReportProgressLine()));
  add(reports::StatementsOf(data));
  return statements;
}

}  // namespace anecheck
