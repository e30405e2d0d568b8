// `anecheck explain`: prints each compiler layer's answer to an operation, its reason, and the
// evidence about it.
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

// Native layers have attributes that no table lists. If a rule cannot read such an attribute, the
// command reports an error; the answer that nothing is known of the layer would be wrong.
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

// A documented defect by its id, in upper or lower case.
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

// A wrong name is reported before a missing target, since the user must mend the name first.
Status CheckName(const std::string& op) {
  const legality::Rules& rules = legality::Rules::Builtin();
  if (rules.Find(op) != nullptr) return {};
  std::vector<std::string> names = ContractTermNames();
  for (const legality::CatalogueRow& row : rules.operations()) names.push_back(row.name);
  for (const legality::CatalogueRow& row : rules.layers()) names.push_back(row.name);
  return MakeError(ErrorCode::kNotFound,
                   fmt::format("no operation or native layer \"{}\"{}; `anecheck ops` lists them",
                               op, DidYouMean(op, names)));
}

int ExplainTerm(const ExplainFlags& flags, const Json& term) {
  flags.json ? Print(DumpJson(term, 2)) : PrintText(ContractTermText(term));
  return kExitClean;
}

int Run(const ExplainFlags& flags) {
  if (LooksLikeDefect(flags.op)) {
    const Status told = ExplainDefect(flags);
    return told.ok() ? kExitClean : Fail(told.error());
  }
  const Json term = ContractTermJson(flags.op);
  if (!term.is_null()) return ExplainTerm(flags, term);
  const Status known = CheckName(flags.op);
  if (!known.ok()) return Fail(known.error());
  if (flags.target_name.empty()) {
    return Fail(MakeError(ErrorCode::kInvalid,
                          "--target: name the target of the operation; `anecheck targets` lists "
                          "them"));
  }
  const Status done = Explain(flags);
  return done.ok() ? kExitClean : Fail(done.error());
}

}  // namespace

void AddExplainCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand(
      "explain", "Show each compiler layer's answer to an operation, and the evidence");
  auto flags = std::make_shared<ExplainFlags>();
  command
      .AddOption("op", flags->op,
                 "An operation (conv), a native layer (SDPA), a documented defect (D03), or a "
                 "term that bounds or findings name (root_ulp)")
      .Required();
  command.AddOption("--target", flags->target_name,
                    "Compiler target: h13, h17s, ... (a documented defect or a term needs none)");
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
      "Example: anecheck explain D03\nExample: anecheck explain earlier_tables");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
