// `anecheck eval` and `anecheck judge`: run only the oracle, on a graph or on a user's model.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <optional>

#include "harness/base/counted.h"
#include "harness/base/half.h"
#include "harness/base/json.h"
#include "harness/base/log.h"
#include "harness/base/parallel_for.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/contract_flag.h"
#include "harness/cli/defects_flag.h"
#include "harness/cli/file_name.h"
#include "harness/cli/model_arrays.h"
#include "harness/cli/model_flags.h"
#include "harness/formats/npz/npz.h"
#include "harness/judging/locate.h"
#include "harness/lowering/state_edges.h"
#include "harness/models/made_up.h"
#include "harness/targets/catalog.h"
#include "oracles/catalogue.h"
#include "oracles/judge.h"
#include "oracles/judge_pairs.h"
#include "oracles/laws.h"
#include "oracles/statistics.h"

namespace anecheck {
namespace {

struct EvalFlags {
  ModelFlags model;
  std::string inputs;
  std::string out;
  std::string actual;
  std::string contract = "h13";
  std::vector<std::string> defects;  // texts of catalogues (defects_flag.h)
  bool bounds = false;
  bool json = false;
};

// Returns the contract that --contract names: "ieee", "float", "family:A13", the name of a target,
// or a file. Lets judging also try the departures that the catalogues list.
Result<Contract> ContractOf(const std::string& name, std::vector<std::string> catalogues = {}) {
  if (IsContractFile(name)) {
    ANECHECK_ASSIGN(const CampaignTarget own, ReadContractFlag(name, catalogues));
    ANECHECK_RETURN_IF_ERROR(TryDefects(catalogues));
    return ConformingContract(own.family);
  }
  ANECHECK_RETURN_IF_ERROR(TryDefects(catalogues));
  auto other = ContractFromName(name);
  if (other.ok() && IsAnyEngine(other->family)) return other;
  ANECHECK_ASSIGN(const Target* const target, FindTarget(name));
  return ContractFromName(target->compiler_name);
}

using Arrays = std::vector<npz::NamedArray>;

struct Subject {
  ModelGraph model;  // with exposed states (ExposeStates)
  std::vector<Tensor> inputs;
  std::vector<std::string> state_outputs;  // the states whose final contents are the last outputs
};

// Sets each state to the array of its name in `arrays`. Also makes the final content of states an
// output: of all states if `actual` is null, else of the states that have an array in `actual`.
void ExposeStatesOf(Subject& subject, Arrays& arrays, Arrays* actual) {
  const Graph graph = std::move(subject.model.graph);
  const std::vector<ValueId> given = StatesAmong(graph, arrays);
  const std::vector<ValueId> asked =
      actual == nullptr ? graph.ValuesOfKind(ValueKind::kState) : StatesAmong(graph, *actual);
  StateEdges edges = ExposeStates(graph, given, asked);
  RenameArrays(graph, given, edges.inputs, arrays);
  if (actual != nullptr) RenameArrays(graph, asked, edges.outputs, *actual);
  for (const ValueId state : asked) subject.state_outputs.push_back(graph.value(state).name);
  subject.model.graph = std::move(edges.graph);
}

// Reads the model and its inputs. The inputs set the extents of its open axes.
Result<Subject> ReadSubject(const EvalFlags& flags, Arrays* actual = nullptr) {
  Arrays arrays;
  if (!flags.inputs.empty()) {
    ANECHECK_ASSIGN(arrays, npz::ReadNpzFile(flags.inputs));
  }
  Subject subject;
  ANECHECK_ASSIGN(subject.model, ReadModel(flags.model, ShapesOfArrays(arrays)));
  ExposeStatesOf(subject, arrays, actual);
  if (flags.inputs.empty()) {
    LogWarning("no --inputs: every input is filled with made-up numbers between -1 and 1");
    subject.inputs = MadeUpInputs(subject.model.graph);
    return subject;
  }
  WarnOfUnusedInputs(subject.model.graph, arrays);
  ANECHECK_ASSIGN(subject.inputs, InputsFromArrays(subject.model.graph, arrays, flags.inputs));
  return subject;
}

// Returns the name of an output or, if it is the final content of a state, the name of the state.
const std::string& NameOf(const Subject& subject, size_t output) {
  const std::span<const ValueId> outputs = subject.model.graph.outputs();
  const size_t states = outputs.size() - subject.state_outputs.size();
  return output < states ? subject.model.graph.value(outputs[output]).name
                         : subject.state_outputs[output - states];
}

// Returns the laws of arithmetic on which the bounds rest, and the cases that they leave open.
Json LawsFor(const Contract& contract) {
  Json laws = Json::array();
  for (const LawFact& fact : LawFacts()) {
    if (!(LawsOf(contract).*fact.law)) continue;
    laws.push_back({{"name", fact.name},
                    {"measured_on", fact.targets},
                    {"open", fact.open},
                    {"source", fact.source}});
  }
  return laws;
}

std::string LawText(const Json& law) {
  return fmt::format("  law {}, measured on {} and inferred elsewhere; open: {}\n",
                     law["name"].get<std::string>(), law["measured_on"].get<std::string>(),
                     law["open"].get<std::string>());
}

// Returns a number of an output. JSON has no infinities and no NaN, so they become strings.
Json NumberJson(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  return number;
}

// Returns {"name", "type", "elements", "least", "greatest", "not_numbers"}. With `bounds` also has
// "most_error", the largest error of a conforming engine, and "exact", the number of elements for
// which only one value is admitted.
Json OutputLine(const std::string& name, const Estimate& estimate, bool bounds) {
  double least = std::numeric_limits<double>::infinity(), greatest = -least, error = 0;
  uint64_t none = 0, exact = 0;
  for (size_t i = 0; i < estimate.value.size(); ++i) {
    const double value = estimate.value[i];
    if (std::isnan(value)) {
      ++none;
      continue;
    }
    least = std::min(least, value);
    greatest = std::max(greatest, value);
    if (!bounds) continue;
    exact += estimate.low[i] == estimate.high[i] ? 1 : 0;
    if (estimate.low[i] == value && estimate.high[i] == value) continue;
    error = std::max({error, estimate.high[i] - value, value - estimate.low[i]});
  }
  const bool any = none < estimate.value.size();
  Json line = {{"name", name},
               {"type", estimate.type.ToString()},
               {"elements", estimate.value.size()},
               {"least", any ? NumberJson(least) : Json()},
               {"greatest", any ? NumberJson(greatest) : Json()},
               {"not_numbers", none}};
  if (bounds) {
    line["most_error"] = NumberJson(error);
    line["exact"] = exact;
  }
  return line;
}

std::string NumberText(const Json& number) {
  if (number.is_null()) return "none";
  return number.is_string() ? number.get<std::string>()
                            : fmt::format("{:.6g}", number.get<double>());
}

std::string OutputText(const Json& output) {
  std::string text = fmt::format("{}: {}, from {} to {}", output["name"].get<std::string>(),
                                 output["type"].get<std::string>(), NumberText(output["least"]),
                                 NumberText(output["greatest"]));
  const uint64_t none = output["not_numbers"].get<uint64_t>();
  if (none > 0) text += fmt::format(", {} NaN", none);
  if (!output.contains("most_error")) return text + "\n";
  return text + fmt::format("; an engine may err by {}, {} of {} exact\n",
                            NumberText(output["most_error"]), output["exact"].get<uint64_t>(),
                            Counted(output["elements"].get<uint64_t>(), "element"));
}

Result<Json> Evaluate(const EvalFlags& flags) {
  ANECHECK_ASSIGN(const Contract contract, ContractOf(flags.contract));
  ANECHECK_ASSIGN(const Subject subject, ReadSubject(flags));
  const ModelGraph& model = subject.model;
  const std::vector<Tensor>& inputs = subject.inputs;
  Evaluation evaluation;
  evaluation.UseThreads(DefaultJobs());
  ANECHECK_RETURN_IF_ERROR(flags.bounds
                               ? evaluation.RunForOutputs(model.graph, inputs, contract)
                               : evaluation.RunValuesForOutputs(model.graph, inputs, contract));
  Arrays arrays;
  Json outputs = Json::array();
  Estimate estimate;
  for (size_t i = 0; i < model.graph.outputs().size(); ++i) {
    const std::string& name = NameOf(subject, i);
    evaluation.Stored(model.graph.outputs()[i], estimate);
    arrays.push_back(ToArray(name, estimate.type, estimate.value));
    if (flags.bounds) {
      arrays.push_back(ToArray(name + ".lo", estimate.type, estimate.low));
      arrays.push_back(ToArray(name + ".hi", estimate.type, estimate.high));
    }
    outputs.push_back(OutputLine(name, estimate, flags.bounds));
  }
  if (!flags.out.empty()) ANECHECK_RETURN_IF_ERROR(npz::WriteNpzFile(flags.out, arrays));
  Json result = {{"out", flags.out.empty() ? Json() : Json(flags.out)},
                 {"contract", flags.contract},
                 {"made_up_constants", model.made_up},
                 {"outputs", outputs}};
  if (flags.bounds) result["laws"] = LawsFor(contract);
  return result;
}

int RunEval(const EvalFlags& flags) {
  const auto json = Evaluate(flags);
  if (!json.ok()) return Fail(json.error());
  if (flags.json) {
    Print(json->dump(2));
  } else {
    std::string text;
    for (const Json& output : (*json)["outputs"]) text += OutputText(output);
    if (!flags.out.empty()) text += fmt::format("wrote {}\n", flags.out);
    if (flags.bounds) {
      for (const Json& law : (*json)["laws"]) text += LawText(law);
    }
    PrintText(text);
  }
  return kExitClean;
}

// Published measurements are often printed with three significant digits. Returns whether every
// number outside its bound is the fp16 number nearest to such a decimal number.
bool DeviatesByPrints(const Estimate& expected, const Tensor& tensor) {
  if (tensor.type.dtype != DType::kFp16) return false;
  for (size_t i = 0; i + 1 < tensor.bytes.size(); i += 2) {
    const Half half{static_cast<uint16_t>(tensor.bytes[i] | tensor.bytes[i + 1] << 8)};
    if (Admits(expected, i / 2, HalfToDouble(half))) continue;
    const double printed = std::strtod(fmt::format("{:.3g}", HalfToDouble(half)).c_str(), nullptr);
    if (DoubleToHalf(printed).bits != half.bits) return false;
  }
  return true;
}

// If only terms that were never measured on the family forbid the output, changes the verdict to
// unconfirmed. Changes it to pass if the numbers have three printed digits and the table's values
// print as the same digits.
void ConfirmWrong(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                  const Estimate& expected, const Tensor& actual, const Contract& contract,
                  OutputJudgement& judged) {
  const bool same_type = actual.type == graph.type(graph.outputs()[output]);
  if (judged.verdict != Verdict::kWrong || contract.ideal || !same_type) return;
  const std::string never = NeverMeasured(graph, inputs, output, actual, contract.family);
  if (never.empty()) return;
  if (never == "printed_digits" && DeviatesByPrints(expected, actual)) {
    judged.verdict = Verdict::kPass;
    judged.reason +=
        "; these numbers have three printed digits, and the table's values print as the same "
        "digits";
    return;
  }
  judged.verdict = Verdict::kUnconfirmed;
  judged.reason += fmt::format("; only rules that were never measured on {} forbid it: {}",
                               contract.name, never);
}

Json StatisticsOf(const Estimate& expected, const Tensor& actual) {
  if (!(actual.type == expected.type)) return nullptr;
  const ErrorStatistics errors = MeasureErrors(expected, actual);
  return {{"count", errors.count},
          {"mean", errors.mean},
          {"mean_square", errors.mean_square},
          {"z", errors.z},
          {"on_end", errors.on_end},
          {"leans", Leans(errors)},
          {"wide", errors.wide},
          {"wide_mean_square", errors.wide_mean_square},
          {"fills", Fills(errors)}};
}

// Returns one line about the errors of an output that lies inside its bound.
std::string ErrorsText(const Json& errors) {
  if (errors.is_null()) return "";
  std::string text;
  if (errors["fills"].get<bool>()) {
    text = fmt::format(
        "  errors fill their bound: their mean square is {:.3f} of the permitted one, over {} "
        "(0.333 if they are spread evenly)\n",
        errors["wide_mean_square"].get<double>(),
        Counted(errors["wide"].get<uint64_t>(), "element"));
  }
  if (!errors["leans"].get<bool>()) return text;
  return text + fmt::format(
                    "  errors lean to one side: their mean is {:+.3f} of the permitted error, over "
                    "{} ({:.0f} standard errors from 0)\n",
                    errors["mean"].get<double>(),
                    Counted(errors["count"].get<uint64_t>(), "element"),
                    std::fabs(errors["z"].get<double>()));
}

// Only engines have documented defects, so no defect explains a deviation from an ideal contract.
std::span<const Departure> DeparturesFor(const Contract& contract) {
  return contract.ideal ? std::span<const Departure>() : DeparturesInForce();
}

// Restores the verdict "wrong" if the defect that explains the output admits almost any number.
void DistrustVague(OutputJudgement& judged) {
  if (judged.verdict != Verdict::kKnownDefect || !judged.vague) return;
  judged.verdict = Verdict::kWrong;
  judged.reason += fmt::format(
      " ({} may explain it, but admits almost any number here; to find out, declare the results of "
      "inner operations as outputs)",
      judged.defects.ToText());
  judged.defects.clear();
}

// Checks the values of a topk together with their positions. Returns nothing if the graph's values
// are too large to keep, so each output is then judged only by itself.
std::optional<UnpairedResult> Unpaired(const Subject& subject, std::span<const Tensor> actual,
                                       const Contract& contract) {
  Evaluation evaluation;
  evaluation.UseThreads(DefaultJobs());
  const Graph& graph = subject.model.graph;
  if (!HasPairs(graph) || !evaluation.Run(graph, subject.inputs, contract).ok()) {
    return std::nullopt;
  }
  return FindUnpaired(graph, actual, contract, evaluation);
}

Result<Json> JudgeOutputs(const EvalFlags& flags, bool& wrong) {
  ANECHECK_ASSIGN(const Contract contract, ContractOf(flags.contract, flags.defects));
  ANECHECK_ASSIGN(Arrays arrays, npz::ReadNpzFile(flags.actual));
  ANECHECK_ASSIGN(const Subject subject, ReadSubject(flags, &arrays));
  const ModelGraph& model = subject.model;
  const std::vector<Tensor>& inputs = subject.inputs;
  ANECHECK_ASSIGN(const std::vector<Tensor> actual,
                  OutputsFromArrays(model.graph, arrays, flags.actual));
  Evaluation evaluation;
  evaluation.UseThreads(DefaultJobs());
  ANECHECK_RETURN_IF_ERROR(evaluation.RunForOutputs(model.graph, inputs, contract));
  Json outputs = Json::array();
  const auto unpaired = Unpaired(subject, actual, contract);
  Estimate expected;
  for (size_t i = 0; i < actual.size(); ++i) {
    evaluation.Stored(model.graph.outputs()[i], expected);
    OutputJudgement judged = Judge(model.graph, inputs, i, expected, actual[i], contract.family,
                                   DeparturesFor(contract), evaluation.threads());
    DistrustVague(judged);
    ConfirmWrong(model.graph, inputs, i, expected, actual[i], contract, judged);
    if (unpaired && unpaired->output == i && judged.verdict == Verdict::kPass) {
      judged.verdict = Verdict::kWrong;
      judged.reason = unpaired->reason;
      judged.first_bad = unpaired->element;
    }
    wrong |= judged.verdict == Verdict::kWrong;
    outputs.push_back({{"name", NameOf(subject, i)},
                       {"verdict", ToText(judged.verdict)},
                       {"elements", judged.elements},
                       {"outside", judged.outside},
                       {"worst_ulp", judged.worst_ulp},
                       {"first_bad", judged.first_bad},
                       {"known_defect", judged.defects.ToText()},
                       {"errors", StatisticsOf(expected, actual[i])},
                       {"reason", judged.reason}});
  }
  return Json{{"contract", flags.contract}, {"outputs", outputs}};
}

int RunJudge(const EvalFlags& flags) {
  bool wrong = false;
  const auto json = JudgeOutputs(flags, wrong);
  if (!json.ok()) return Fail(json.error());
  if (flags.json) {
    Print(json->dump(2));
  } else {
    std::string text;
    for (const auto& output : (*json)["outputs"]) {
      text += fmt::format("{}: {}{} {}\n", output["name"].get<std::string>(),
                          output["verdict"].get<std::string>(),
                          output["known_defect"].get<std::string>().empty()
                              ? ""
                              : " " + output["known_defect"].get<std::string>(),
                          output["reason"].get<std::string>());
      text += ErrorsText(output["errors"]);
    }
    PrintText(text);
  }
  return wrong ? kExitFindings : kExitClean;
}

void AddModelOptions(CommandLine& command, EvalFlags& flags) {
  AddModelFlags(command, flags.model);
  command
      .AddOption(
          "--contract,--target", flags.contract,
          "ieee, float (any sound fp16 engine), a file of chosen terms and defects, or the engine "
          "of a target (h13), chip (M1) or family (family:A13)")
      .ShowDefault();
  command.AddFlag("--json", flags.json, "Print JSON");
}

}  // namespace

void AddEvalCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("eval", "Evaluate a model with the oracle");
  auto flags = std::make_shared<EvalFlags>();
  AddModelOptions(command, *flags);
  command.AddOption(
      "--inputs", flags->inputs,
      "Inputs and initial states by name, .npz (default: made-up numbers, and zeros for states)");
  command
      .AddOption(
          "--out", flags->out,
          "Write outputs and final states by name to this .npz (default: print their ranges)")
      .Check(FileName());
  command.AddFlag(
      "--bounds", flags->bounds,
      "Also print how far a conforming engine may err, and write the bounds as <name>.lo "
      "and <name>.hi (`judge` also checks which numbers between are admitted)");
  command.Footer("Example: anecheck eval model.mil --inputs in.npz --out out.npz --bounds");
  command.WhenChosen([flags, &selected] { selected = [flags] { return RunEval(*flags); }; });
}

void AddJudgeCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("judge", "Judge outputs of another program");
  auto flags = std::make_shared<EvalFlags>();
  AddModelOptions(command, *flags);
  command
      .AddOption("--inputs", flags->inputs,
                 "Inputs and initial states by name, .npz (default: zeros for states)")
      .Required();
  command.AddOption("--actual", flags->actual, "Outputs and final states by name, .npz").Required();
  AddDefectsFlag(command, flags->defects);
  command.Footer("Example: anecheck judge graph.json --inputs in.npz --actual theirs.npz");
  command.WhenChosen([flags, &selected] { selected = [flags] { return RunJudge(*flags); }; });
}

}  // namespace anecheck
