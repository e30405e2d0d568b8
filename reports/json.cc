#include "reports/json.h"

#include "harness/base/json.h"
#include "harness/base/version.h"
#include "harness/campaign/campaign.h"
#include "harness/judging/lean_watch.h"
#include "oracles/defect_words.h"

namespace anecheck::reports {
namespace {

Json CountsJson(const std::map<Verdict, int64_t, ByText>& verdicts) {
  Json json = Json::object();
  for (const auto& [verdict, cases] : verdicts) json[std::string(ToText(verdict))] = cases;
  return json;
}

Json RunJson(const RunInfo& run) {
  Json libraries = Json::object();
  for (const auto& [name, version] : run.libraries) libraries[name] = version;
  return {{"uuid", run.uuid},
          {"name", run.name},
          {"db", run.db},
          {"command", run.command},
          {"seed", std::to_string(run.seed)},
          {"state", ToText(run.state)},
          {"started", run.started},
          {"finished", run.finished.value_or("")},
          {"tool_version", run.tool_version},
          {"host", run.host},
          {"os", run.os},
          {"runner", run.runner},
          {"provenance", ToText(run.provenance)},
          {"engine", run.engine},
          {"chip", run.chip},
          {"compiler_version", run.compiler_version},
          {"libraries", std::move(libraries)},
          {"cases", run.cases},
          {"verdicts", CountsJson(run.verdicts)}};
}

Json SummaryJson(const ReportData& data) {
  Json verdicts = Json::object();
  for (const RunInfo& run : data.runs) {
    for (const auto& [verdict, cases] : run.verdicts) {
      const std::string text(ToText(verdict));
      verdicts[text] = verdicts.value(text, int64_t{0}) + cases;
    }
  }
  return {{"cases", data.Cases()},
          {"findings", data.NewFindings()},
          {"known_defects", data.KnownDefects()},
          {"unconfirmed", data.Unconfirmed()},
          {"verdict", data.VerdictWord()},
          {"verdicts", std::move(verdicts)}};
}

Json EvidenceJson(const CellEvidence& evidence) {
  const ReachCounts& counts = evidence.counts;
  return {{"route", ToText(evidence.key.route)},
          {"provenance", ToText(evidence.key.provenance)},
          {"chip", evidence.key.chip},
          {"os", evidence.key.os},
          {"compiler_version", evidence.key.compiler_version},
          {"state", ToText(evidence.stage)},
          {"cases", counts.cases},
          {"compiled", counts.compiled},
          {"planned", counts.planned},
          {"dispatched", counts.dispatched},
          {"correct", counts.correct},
          {"known_defect", counts.known_defect},
          {"wrong", counts.wrong},
          {"rejected", counts.rejected},
          {"inconclusive", counts.inconclusive},
          {"unconfirmed", counts.unconfirmed},
          {"new_findings", evidence.findings.wrong + evidence.findings.failed},
          {"known_findings", evidence.findings.known},
          {"unconfirmed_findings", evidence.findings.unconfirmed}};
}

Json TensorJson(const TensorDetail& tensor, bool output) {
  Json json = {{"name", tensor.name},
               {"dtype", tensor.dtype},
               {"shape", tensor.shape},
               {"elements", tensor.elements}};
  if (!output) {
    json["values"] = tensor.values;
    return json;
  }
  json["outside"] = tensor.outside;
  json["rows"] = Json::array();
  for (const ElementRow& row : tensor.rows) {
    json["rows"].push_back({{"index", row.index},
                            {"low", row.low},
                            {"high", row.high},
                            {"actual", row.actual},
                            {"outside", row.outside}});
  }
  return json;
}

}  // namespace

Json FindingJson(const FindingInfo& finding, const RunInfo& run) {
  Json json = {{"id", finding.id},
               {"run", run.uuid},
               {"op", finding.op},
               {"target", finding.target},
               {"route", ToText(finding.route)},
               {"provenance", ToText(run.provenance)},
               {"verdict", ToText(finding.verdict)},
               {"new", finding.is_new},
               {"known_defect", finding.defects.ToText()},
               {"known_defect_words", DefectWords(finding.defects, finding.op)},
               {"signature", finding.signature},
               {"case", finding.case_index},
               {"occurrences", finding.occurrences},
               {"summary", finding.summary},
               {"replay", finding.replay},
               {"page", finding.page},
               {"problem", finding.detail.problem},
               {"mil", finding.detail.mil},
               {"mil_cut", finding.detail.mil_cut},
               {"inputs", Json::array()},
               {"outputs", Json::array()}};
  for (const TensorDetail& tensor : finding.detail.inputs) {
    json["inputs"].push_back(TensorJson(tensor, false));
  }
  for (const TensorDetail& tensor : finding.detail.outputs) {
    json["outputs"].push_back(TensorJson(tensor, true));
  }
  return json;
}

namespace {

// Returns the operations whose errors lean. Leaves out other operations.
Json LeansJson(const LeansByKey& all) {
  Json json = Json::array();
  for (const auto& [key, leans] : all) {
    const auto leaning = LeaningOf(leans, key.target);
    if (!leaning) continue;
    json.push_back({{"op", key.op},
                    {"target", key.target},
                    {"route", ToText(key.route)},
                    {"provenance", ToText(key.provenance)},
                    {"chip", key.chip},
                    {"os", key.os},
                    {"compiler_version", key.compiler_version},
                    {"lean", ToText(leaning->lean)},
                    {"outputs", leaning->sums.outputs},
                    {"mean", leaning->sums.Mean()},
                    {"log2_odds", LogOdds(leaning->sums)}});
  }
  return json;
}

Json ProbesJson(const ReportData& data) {
  Json json = Json::array();
  for (const ProbeInfo& probe : data.probes) {
    json.push_back({{"run", data.runs[probe.run].uuid},
                    {"probe", probe.probe},
                    {"target", probe.target},
                    {"provenance", ToText(data.runs[probe.run].provenance)},
                    {"measured", probe.measured},
                    {"published", probe.published},
                    {"standing", ProbeStandingName(probe.standing)},
                    {"message", probe.message}});
  }
  return json;
}

// Returns the kind of evidence of a state. Empty if the rules decide the state.
std::string KindText(const evidence::Cell& cell) { return cell.kind == "rules" ? "" : cell.kind; }

// Whether the rules admit the operation by either route.
std::string_view AttestedText(const MatrixCell& cell) {
  bool unknown = false;
  for (const MatrixCell::ByRoute& side : cell.routes) {
    if (evidence::Admits(side.rules)) return "yes";
    unknown = unknown || side.rules == legality::Outcome::kUnknown;
  }
  return unknown ? "unknown" : "no";
}

}  // namespace

Json MatrixJson(const Matrix& matrix) {
  Json json = {{"ops", Json::array()}, {"targets", Json::array()}, {"cells", Json::array()}};
  for (const MatrixRow& row : matrix.rows) {
    json["ops"].push_back({{"name", row.op}, {"class", row.op_class}, {"in_table", row.in_table}});
  }
  for (const MatrixColumn& column : matrix.columns) {
    json["targets"].push_back({{"name", column.target},
                               {"family", column.family},
                               {"chips", column.chips},
                               {"in_table", column.in_table},
                               {"met", column.met}});
  }
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    for (size_t column = 0; column < matrix.columns.size(); ++column) {
      const MatrixCell& cell = matrix.cells[row][column];
      const evidence::Cell& shown = cell.folded();
      Json& entry = json["cells"].emplace_back();
      entry = {{"op", matrix.rows[row].op},
               {"target", matrix.columns[column].target},
               {"state", ToText(shown.stage)},
               {"attested", AttestedText(cell)},
               {"simulated", shown.kind == ToText(Provenance::kSimulated)},
               {"provenance", KindText(shown)},
               {"routes", Json::object()},
               {"evidence", Json::array()}};
      for (const Route route : AllWords<Route>()) {
        const MatrixCell::ByRoute& side = cell.by(route);
        entry["routes"][std::string(ToText(route))] = {
            {"state", ToText(side.cell.stage)},
            {"provenance", KindText(side.cell)},
            {"rules", legality::OutcomeName(side.rules)}};
      }
      for (const CellEvidence& evidence : cell.evidence) {
        entry["evidence"].push_back(EvidenceJson(evidence));
      }
    }
  }
  return json;
}

Json ReportJson(const ReportData& data, const Matrix& matrix) {
  Json json = {{"version", 1},
               {"tool_version", kToolVersion},
               {"simulated", data.AnySimulated()},
               {"summary", SummaryJson(data)},
               {"runs", Json::array()},
               {"matrix", MatrixJson(matrix)},
               {"histograms", Json::array()},
               {"leans", LeansJson(data.leans)},
               {"probes", ProbesJson(data)},
               {"findings", Json::array()}};
  for (const RunInfo& run : data.runs) json["runs"].push_back(RunJson(run));
  for (const auto& [key, counts] : data.histograms) {
    Json entry = {{"op", key.op},
                  {"target", key.target},
                  {"provenance", ToText(key.provenance)},
                  {"buckets", counts}};
    // Results files of earlier versions have no widths.
    const auto widths = data.widths.find(key);
    if (widths != data.widths.end()) entry["widths"] = widths->second;
    json["histograms"].push_back(std::move(entry));
  }
  for (const FindingInfo& finding : data.findings) {
    json["findings"].push_back(FindingJson(finding, data.runs[finding.run]));
  }
  return json;
}

}  // namespace anecheck::reports
