#include "harness/check/analytics_file.h"

#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "harness/formats/mil/reader.h"

namespace anecheck {
namespace {

using mil::ValueKind;
using mil::ValueView;

// The list or dictionary, with its type, in an attribute.
std::optional<ValueView> AttributeOf(mil::StatementView statement, std::string_view name) {
  const auto value = mil::FindValue(statement.attributes(), name);
  if (!value || value->kind() != ValueKind::kTyped) return std::nullopt;
  return value->Inner();
}

std::string TextOf(mil::StatementView statement, std::string_view name) {
  const auto value = mil::FindValue(statement.attributes(), name);
  if (!value) return "";
  auto text = mil::ReadString(*value);
  return text.ok() ? std::move(*text) : "";
}

bool Lists(ValueView list, std::string_view backend) {
  for (const ValueView item : list.children()) {
    if (item.kind() == ValueKind::kString && item.text() == backend) return true;
  }
  return false;
}

// Returns the value for a key in {{key, value}, ...}.
std::optional<ValueView> ValueAt(ValueView dictionary, std::string_view key) {
  for (const ValueView pair : dictionary.children()) {
    std::optional<ValueView> first;
    for (const ValueView part : pair.children()) {
      if (!first) {
        first = part;
      } else if (first->text() == key) {
        return part;
      }
    }
  }
  return std::nullopt;
}

Error Missing(mil::StatementView statement, std::string_view what) {
  Error error =
      MakeError(ErrorCode::kInvalid,
                fmt::format("{}: has no {}, which Core ML's analytics have for each operation",
                            statement.op(), what));
  error.offset = statement.offset();
  return error;
}

Status ReadCosts(mil::StatementView statement, ValueView support, ValueView estimates,
                 AnalyticsRow& row) {
  for (size_t i = 0; i < kBackends; ++i) {
    const std::string_view name = BackendName(static_cast<Backend>(i));
    if (!Lists(support, name)) continue;
    const auto estimate = ValueAt(estimates, name);
    if (!estimate) return Missing(statement, fmt::format("estimate for {}", name));
    char* end = nullptr;
    const std::string text(estimate->text());
    row.costs[i] = std::strtod(text.c_str(), &end);
    if (end != text.c_str() + text.size()) return Missing(statement, "number as estimate");
  }
  return {};
}

bool MovesBuffers(std::string_view op) {
  return op == "tensor_buffer_to_tensor" || op == "tensor_to_tensor_buffer";
}

Status AddRow(mil::StatementView statement, std::vector<AnalyticsRow>& rows) {
  if (statement.op() == "const" || MovesBuffers(statement.op())) return {};
  const auto support = AttributeOf(statement, "BackendSupport");
  if (!support) return Missing(statement, "BackendSupport");
  const auto estimates = AttributeOf(statement, "EstimatedRuntime");
  if (!estimates) return {};
  AnalyticsRow row;
  row.op = statement.op();
  for (const mil::BindingView result : statement.results()) {
    if (row.name.empty()) row.name = result.name();
  }
  const auto selected = BackendFromName(TextOf(statement, "SelectedBackend"));
  if (!selected) return Missing(statement, "SelectedBackend of ane, bnns and classic_cpu");
  row.selected = *selected;
  ANECHECK_RETURN_IF_ERROR(ReadCosts(statement, *support, *estimates, row));
  row.on_engine = row.costs[static_cast<size_t>(Backend::kAne)].has_value();
  const auto messages = AttributeOf(statement, "ValidationMessage");
  const auto message = messages ? ValueAt(*messages, "ane") : std::nullopt;
  if (message && !row.on_engine) row.refusal = message->text();
  rows.push_back(std::move(row));
  return {};
}

}  // namespace

Result<std::vector<AnalyticsRow>> ReadAnalytics(const mil::Program& program) {
  std::vector<AnalyticsRow> rows;
  for (const mil::FunctionView function : mil::Functions(program)) {
    for (const mil::StatementView statement : function.block().statements()) {
      ANECHECK_RETURN_IF_ERROR(AddRow(statement, rows));
    }
  }
  return rows;
}

std::vector<evidence::Statement> EvidenceOf(const std::vector<AnalyticsRow>& rows,
                                            const std::string& target, const std::string& source) {
  std::vector<evidence::Statement> statements;
  for (const AnalyticsRow& row : rows) {
    evidence::Statement& statement = statements.emplace_back();
    statement.subject = row.op;
    statement.target = target;
    statement.route = Route::kMil;
    statement.provenance = Provenance::kReported;
    const Stage taken = row.selected == Backend::kAne ? Stage::kCompiled : Stage::kAttested;
    statement.stage = row.on_engine ? taken : Stage::kRejected;
    statement.status = fmt::format("selected {}", BackendName(row.selected));
    statement.basis = "Core ML's analytics";
    statement.source = source;
    statement.note = row.refusal;
  }
  return statements;
}

PlanPrediction PredictPlan(const std::vector<AnalyticsRow>& rows, const Graph& graph) {
  PlanPrediction prediction;
  std::vector<BackendCosts> costs;
  for (const AnalyticsRow& row : rows) {
    const auto value = graph.FindValue(row.name);
    std::optional<BackendCosts> estimate;
    if (value && graph.value(*value).kind == anecheck::ValueKind::kResult) {
      estimate = EstimateCosts(NodeView(graph, graph.value(*value).producer));
    }
    prediction.known.push_back(estimate.has_value());
    BackendCosts& cost = costs.emplace_back(estimate.value_or(BackendCosts{0.0, 0.0, 0.0}));
    if (!row.on_engine) cost[static_cast<size_t>(Backend::kAne)] = std::nullopt;
  }
  prediction.plan = CheapestPlan(costs);
  return prediction;
}

}  // namespace anecheck
