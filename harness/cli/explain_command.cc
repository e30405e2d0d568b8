// `anecheck explain`: prints each compiler layer's answer to an operation, its reason, and the
// evidence about it. Also explains a documented defect, a term or a rule.
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/near_words.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/evidence_flags.h"
#include "harness/cli/explain_defect.h"
#include "harness/cli/explain_term.h"
#include "harness/cli/target_flags.h"
#include "harness/evidence/cell.h"
#include "harness/evidence/evidence_print.h"
#include "harness/ops/op.h"
#include "oracles/legality/attribute_values.h"
#include "oracles/legality/explain.h"
#include "oracles/legality/rules.h"

namespace anecheck {
namespace {

struct ExplainFlags {
  TargetFlags target;
  EvidenceFlags evidence;
  std::string op, target_name, route{ToText(RouteSet::kBoth)};
  std::vector<std::string> attributes, shapes, dtypes, constants;
  bool json = false;
};

Result<legality::Instance> MakeInstance(const ExplainFlags& flags) {
  legality::Instance instance;
  instance.op = flags.op;
  for (const auto& text : flags.attributes) {
    ANECHECK_RETURN_IF_ERROR(legality::AddAttribute(text, instance));
  }
  for (const auto& text : flags.shapes) {
    ANECHECK_RETURN_IF_ERROR(legality::AddShape(text, instance));
  }
  for (const auto& text : flags.dtypes) {
    ANECHECK_RETURN_IF_ERROR(legality::AddDtype(text, instance));
  }
  for (const auto& name : flags.constants) {
    ANECHECK_RETURN_IF_ERROR(legality::AddConstant(name, instance));
  }
  const OpDefinition* op = FindOp(instance.op);
  if (op != nullptr) ANECHECK_RETURN_IF_ERROR(legality::CheckSaid(instance, op->schema));
  ANECHECK_RETURN_IF_ERROR(legality::CheckValues(instance, op == nullptr ? nullptr : &op->schema));
  if (op != nullptr) legality::MakeLists(op->schema, instance);
  if (op != nullptr) legality::InferResults(op->schema, instance);
  return instance;
}

// Native layers have attributes that no table lists. Returns an error if a rule cannot read the
// value of such an attribute. Without the error, the command would wrongly answer that nothing is
// known of the layer.
Status CheckReadable(const legality::Verdict& verdict) {
  for (const legality::LayerVerdict& layer : verdict.layers) {
    if (!layer.reason.starts_with("expression:")) continue;
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("--attr: the rule {} cannot read the value ({}); give numbers "
                                 "as 3, lists as 3,3",
                                 layer.rule, layer.reason));
  }
  return {};
}

Status Explain(const ExplainFlags& flags) {
  ANECHECK_ASSIGN(const TargetCatalog catalog, LoadCatalog(flags.target));
  ANECHECK_ASSIGN(const Target* target, catalog.Find(flags.target_name));
  ANECHECK_ASSIGN(const legality::Instance instance, MakeInstance(flags));
  ANECHECK_ASSIGN(const std::vector<evidence::Statement> statements,
                  GatherEvidence(flags.evidence));
  Json verdicts = Json::array(), cells = Json::array();
  std::string text;
  std::vector<std::string> subjects;
  ANECHECK_ASSIGN(const RouteSet routes, FromText<RouteSet>(flags.route));
  for (const Route route : AllWords<Route>()) {
    if (!Has(routes, route)) continue;
    ANECHECK_ASSIGN(const evidence::Answer answer,
                    evidence::AnswerOf(instance, *target, route, statements, Order(flags.target)));
    const legality::Verdict& verdict = answer.verdict;
    ANECHECK_RETURN_IF_ERROR(CheckReadable(verdict));
    verdicts.push_back(legality::VerdictJson(verdict));
    text += legality::VerdictText(verdict, *target);
    text += fmt::format("known by {}: {}\n", route, evidence::CellText(answer.cell));
    cells.push_back({{"route", ToText(route)},
                     {"state", evidence::StageText(answer.cell.stage)},
                     {"kind", answer.cell.kind},
                     {"admitted", answer.cell.admitted},
                     {"reached", answer.cell.reached}});
    subjects = {verdict.op, verdict.native_layer};
  }
  const evidence::Found found =
      evidence::About(statements, subjects, target->compiler_name, routes);
  Json json = {{"verdicts", std::move(verdicts)}, {"cells", std::move(cells)}};
  json.update(evidence::FoundJson(found));
  flags.json ? Print(DumpJson(json, 2)) : PrintText(text + evidence::FoundText(found));
  return {};
}

// Prints a documented defect. The id may be in upper or lower case.
Status ExplainDefect(const ExplainFlags& flags) {
  std::string id = flags.op;
  id[0] = static_cast<char>(id[0] & ~0x20);
  const Json defect = DefectJson(id);
  if (defect.is_null()) {
    return MakeError(
        ErrorCode::kNotFound,
        fmt::format("{}: no such documented defect{}; `anecheck power --list` lists them", flags.op,
                    DidYouMean(id, DefectIds())));
  }
  flags.json ? Print(DumpJson(defect, 2)) : PrintText(DefectText(defect));
  return {};
}

// Returns the error for a question without a target. Only operations need a target.
Error NoTarget(const std::string& asked) {
  if (legality::Rules::Builtin().Find(asked) != nullptr) {
    return MakeError(ErrorCode::kInvalid,
                     "--target: name the target of the operation; `anecheck targets` lists them");
  }
  std::vector<std::string> names = ContractTermNames();
  for (const legality::Rule& rule : legality::Rules::Builtin().rules()) names.push_back(rule.id);
  for (const auto& row : legality::Rules::Builtin().operations()) names.push_back(row.name);
  return MakeError(
      ErrorCode::kNotFound,
      fmt::format("{}: no operation, native layer, rule, term or defect has this name{}; "
                  "`anecheck ops` lists the operations",
                  asked, DidYouMean(asked, names)));
}

int Run(const ExplainFlags& flags) {
  if (LooksLikeDefect(flags.op)) {
    const Status told = ExplainDefect(flags);
    return told.ok() ? kExitClean : Fail(told.error());
  }
  if (const Json term = ContractTermJson(flags.op); !term.is_null()) {
    flags.json ? Print(DumpJson(term, 2)) : PrintText(ContractTermText(term));
    return kExitClean;
  }
  const bool operation = legality::Rules::Builtin().Find(flags.op) != nullptr;
  const legality::Rule* const rule = legality::FindRule(flags.op);
  if (rule != nullptr && (!operation || flags.target_name.empty())) {
    flags.json ? Print(DumpJson(legality::RuleJson(*rule), 2))
               : PrintText(legality::RuleText(*rule));
    return kExitClean;
  }
  if (flags.target_name.empty()) return Fail(NoTarget(flags.op));
  const Status done = Explain(flags);
  return done.ok() ? kExitClean : Fail(done.error());
}

}  // namespace

void AddExplainCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand(
      "explain", "Show each compiler layer's answer to an operation, and the evidence");
  auto flags = std::make_shared<ExplainFlags>();
  command
      .AddOption(
          "op", flags->op,
          "An operation (conv), a native layer (SDPA), a documented defect (D03), a term that "
          "findings name (earlier_tables), or a rule that check --why names "
          "(conv_kernel_width_15)")
      .Required();
  command.AddOption("--target", flags->target_name,
                    "Target or chip: h13, M1, ... (a defect, a term or a rule needs none)");
  command.AddOption("--route", flags->route, "Conversion or direct authoring")
      .OneOf({RouteSet::kMil, RouteSet::kNetlist, RouteSet::kBoth})
      .ShowDefault();
  command.AddOption("--attr", flags->attributes, "An attribute: kernel=16, Dimension=Channel");
  command.AddOption("--shape", flags->shapes, "An operand's shape: x=1,64,56,56");
  command.AddOption("--dtype", flags->dtypes, "An operand's element type: x=uint8");
  command.AddOption("--const", flags->constants, "Name of a constant operand: weight");
  command.AddFlag("--json", flags->json, "Print JSON");
  AddEvidenceFlags(command, flags->evidence);
  AddTargetFlags(command, flags->target);
  command.Footer(
      "Example: anecheck explain conv --target h13 --attr kernel=16 --shape x=1,64,56,56\n"
      "Example: anecheck explain D03\n"
      "Example: anecheck explain earlier_tables\n"
      "Example: anecheck explain conv_kernel_width_15");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
