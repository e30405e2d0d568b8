// `anecheck matrix`: prints attested and reached operations and native layers by target.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/near_words.h"
#include "harness/base/terminal_text.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/evidence_flags.h"
#include "harness/cli/target_flags.h"
#include "reports/attestation.h"

namespace anecheck {
namespace {

struct MatrixFlags {
  TargetFlags target;
  EvidenceFlags evidence;
  bool json = false;
  std::string format = "text", targets = "all", ops = "all", route{ToText(RouteSet::kBoth)},
              baseline, os, compiler;
};

std::vector<Route> RoutesOf(RouteSet set) {
  std::vector<Route> routes;
  for (const Route route : AllWords<Route>()) {
    if (Has(set, route)) routes.push_back(route);
  }
  return routes;
}

// Keeps the rows that --ops names. Errors: kNotFound if the matrix lacks one of them.
Status KeepRows(const std::string& list, reports::Attestation& matrix) {
  if (list == "all") return {};
  std::vector<std::string> names;
  names.reserve(matrix.rows.size());
  for (const reports::AttestationRow& row : matrix.rows) names.push_back(row.name);
  std::vector<std::string> wanted;
  for (size_t at = 0; at <= list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    wanted.push_back(evidence::Canonical(std::string_view(list).substr(at, comma - at)));
    at = comma + 1;
    if (std::ranges::find(names, wanted.back()) != names.end()) continue;
    return MakeError(
        ErrorCode::kNotFound,
        fmt::format("--ops {}: no row has this name{}; `anecheck matrix --format csv` lists them",
                    wanted.back(), DidYouMean(wanted.back(), names)));
  }
  reports::KeepRows(wanted, matrix);
  return {};
}

Status PrintMatrix(const MatrixFlags& flags) {
  const std::string_view format = flags.json ? "json" : std::string_view(flags.format);
  if (format == "csv" && !flags.baseline.empty()) {
    return MakeError(ErrorCode::kInvalid,
                     "--baseline: csv has no column for changes; use --format text, md, json or "
                     "html");
  }
  ANECHECK_ASSIGN(const TargetCatalog catalog, LoadCatalog(flags.target));
  ANECHECK_ASSIGN(std::vector<const Target*> targets, catalog.FindList(flags.targets));
  ANECHECK_ASSIGN(std::vector<evidence::Statement> statements, GatherEvidence(flags.evidence));
  ANECHECK_ASSIGN(const RouteSet routes, FromText<RouteSet>(flags.route));
  const reports::AttestationOptions options = {RoutesOf(routes), Order(flags.target), flags.os,
                                               flags.compiler};
  ANECHECK_ASSIGN(reports::Attestation matrix,
                  reports::BuildAttestation(std::move(targets), std::move(statements), options));
  ANECHECK_RETURN_IF_ERROR(KeepRows(flags.ops, matrix));
  if (!flags.baseline.empty()) {
    ANECHECK_ASSIGN(const std::string before, ReadTextFile(flags.baseline));
    ANECHECK_RETURN_IF_ERROR(reports::CompareWithBaseline(before, flags.baseline, matrix));
  }
  if (format == "text") PrintText(reports::AttestationText(matrix, TerminalColumns()));
  if (format == "csv") Print(reports::AttestationCsv(matrix));
  if (format == "md") Print(reports::AttestationMarkdown(matrix));
  if (format == "json") Print(DumpJson(reports::AttestationJson(matrix)));
  if (format == "html") Print(reports::AttestationHtml(matrix));
  return {};
}

int Run(const MatrixFlags& flags) {
  const Status printed = PrintMatrix(flags);
  return printed.ok() ? kExitClean : Fail(printed.error());
}

}  // namespace

void AddMatrixCommand(CommandLine& app, Selected& selected) {
  CommandLine command =
      app.AddCommand("matrix", "Print a matrix of attested and reached operations by target");
  auto flags = std::make_shared<MatrixFlags>();
  AddEvidenceFlags(command, flags->evidence);
  CommandOption format = command.AddOption("--format", flags->format, "Format of the output")
                             .OneOf({"text", "html", "csv", "json", "md"})
                             .ShowDefault();
  command.AddFlag("--json", flags->json, "The same as --format json").Excludes(format);
  command.AddOption("--targets,--target", flags->targets, "Compiler targets: h13,h17s or all")
      .ShowDefault();
  command.AddOption("--ops", flags->ops, "Operations and native layers: conv,SDPA or all")
      .ShowDefault();
  command.AddOption("--route", flags->route, "Conversion, direct authoring, or both")
      .OneOf({RouteSet::kMil, RouteSet::kNetlist, RouteSet::kBoth})
      .ShowDefault();
  command.AddOption("--baseline", flags->baseline,
                    "An earlier matrix (--format json); the output then shows the changed cells");
  command.AddOption("--os", flags->os, "Only statements about this system, or without a system");
  command.AddOption("--compiler", flags->compiler,
                    "Only statements about this compiler version, or without a version");
  AddTargetFlags(command, flags->target);
  command.Footer("Example: anecheck matrix --db results.sqlite --format html > matrix.html");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
