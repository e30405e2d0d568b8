// `anecheck activation`: prints, measures, plots and composes the curves of the activation unit.
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/with_file.h"
#include "harness/curves/compose.h"
#include "harness/curves/plot.h"
#include "harness/curves/study.h"
#include "harness/graph/json.h"
#include "harness/targets/catalog.h"
#include "oracles/contract.h"

namespace anecheck {
namespace {

using curves::Admission;
using curves::Curve;
using curves::Point;
using curves::Study;

struct ActivationFlags {
  std::string curve, plot, compose;
  std::vector<std::string> targets;
  std::vector<double> at;
  uint64_t points = 512;
  bool json = false;
};

Result<Curve> ReadCurve(const std::string& name) {
  if (!std::filesystem::exists(name)) return curves::NamedCurve(name);
  ANECHECK_ASSIGN(const Bytes bytes, ReadFile(name));
  return curves::CurveOfBytes(bytes, name);
}

// JSON has no infinities and no NaN, so they become strings.
Json Number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

Json ToJson(const Point& point) {
  Json json = {{"x", Number(point.x)}, {"value", Number(HalfToDouble(point.stored))}};
  if (!std::isnan(point.exact)) json["exact"] = Number(point.exact);
  if (point.ulp) json["ulp"] = *point.ulp;
  return json;
}

Json ToJson(const Study& study) {
  return {{"inputs", study.inputs},
          {"nearest", study.nearest},
          {"mean_ulp", study.mean_ulp},
          {"farthest", ToJson(study.farthest)},
          {"largest_error", study.largest_error},
          {"largest_error_at", ToJson(study.largest)}};
}

Json ToJson(const Admission& admission) {
  return {{"contract", admission.contract},
          {"inputs", admission.inputs},
          {"outside", admission.outside},
          {"first_outside", admission.first ? Json(*admission.first) : Json()},
          {"widest", admission.widest},
          {"widest_at", admission.widest_at}};
}

Json ToJson(const Curve& curve) {
  Json knots = Json::array();
  for (const curves::Knot& knot : curve.knots) {
    knots.push_back({{"x", knot.x},
                     {"y", Number(knot.y)},
                     {"word", fmt::format("{:#06x}", DoubleToHalf(knot.y).bits)}});
  }
  return {{"name", curve.name},           {"source", curve.source},
          {"argument", curve.argument},   {"low", Number(curve.low)},
          {"high", Number(curve.high)},   {"below", Number(curve.below)},
          {"above", Number(curve.above)}, {"knots", knots}};
}

std::string KnotLines(const Curve& curve) {
  std::string text;
  for (const curves::Knot& knot : curve.knots) {
    text +=
        fmt::format("  {:>10.6g}  {:#06x}  {:.9g}\n", knot.x, DoubleToHalf(knot.y).bits, knot.y);
  }
  return text;
}

std::string PointLine(const Point& point) {
  std::string text = fmt::format("  x = {:.9g}: {:.9g}", point.x, HalfToDouble(point.stored));
  if (!std::isnan(point.exact)) text += fmt::format(", exact {:.9g}", point.exact);
  if (point.ulp) text += fmt::format(", {} ulp", *point.ulp);
  return text + "\n";
}

std::string StudyText(const Study& study) {
  return fmt::format(
      "over the {} finite fp16 arguments with a finite result: {} results are correctly rounded, "
      "the mean error is {:.4g} ulp\nlargest error in ulp:\n{}largest error, {:.4g}:\n{}",
      study.inputs, study.nearest, study.mean_ulp, PointLine(study.farthest), study.largest_error,
      PointLine(study.largest));
}

std::string AdmissionLine(const Admission& admission) {
  std::string text = fmt::format("contract {}: {} of {} outside of its bounds", admission.contract,
                                 admission.outside, Counted(admission.inputs, "stored value"));
  if (admission.first) text += fmt::format(", the first at x = {:.9g}", *admission.first);
  return text + fmt::format("; the widest bound is {:.4g}, at x = {:.9g}\n", admission.widest,
                            admission.widest_at);
}

Result<std::vector<Admission>> Admissions(const ActivationFlags& flags, const Curve& curve) {
  std::vector<Admission> admissions;
  if (flags.targets.empty()) return admissions;
  if (!curve.exact) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("--target: {} names no function to compare with a contract", curve.name));
  }
  for (const std::string& name : flags.targets) {
    ANECHECK_ASSIGN(const Target* const target, FindTarget(name));
    ANECHECK_ASSIGN(const Contract contract, ContractFromName(target->compiler_name));
    ANECHECK_ASSIGN(const Admission admission, curves::AdmittedBy(curve, contract));
    admissions.push_back(admission);
  }
  return admissions;
}

// The plot spans the knots or, for a mode that reduces its argument, the arguments from -8 to 8.
Status WritePlot(const std::string& file, const Curve& curve) {
  double from = -8;
  double to = 8;
  if (curve.argument == "x" && curve.knots.size() > 1) {
    const double margin = (curve.knots.back().x - curve.knots.front().x) / 16;
    from = curve.knots.front().x - margin;
    to = curve.knots.back().x + margin;
  }
  return WriteFileAtomic(file, curves::PlotOf(curve, from, to));
}

Result<Json> Describe(const ActivationFlags& flags, std::string& text) {
  ANECHECK_ASSIGN(const Curve curve, ReadCurve(flags.curve));
  ANECHECK_ASSIGN(const std::vector<Admission> admissions, Admissions(flags, curve));
  Json json = ToJson(curve);
  text =
      fmt::format("{}: {}, argument {}{}{}\n{}", curve.name, Counted(curve.knots.size(), "knot"),
                  curve.argument, curve.source.empty() ? "" : "; ", curve.source, KnotLines(curve));
  text += fmt::format("up to {:.9g}: {:.9g}; from {:.9g} on: {:.9g}\n", curve.low, curve.below,
                      curve.high, curve.above);
  if (curve.exact) {
    const Study study = StudyOf(curve);
    json["study"] = ToJson(study);
    text += StudyText(study);
  }
  json["points"] = Json::array();
  for (const double x : flags.at) {
    // The engine's argument is fp16.
    const Point point = PointAt(curve, HalfToDouble(DoubleToHalf(x)));
    json["points"].push_back(ToJson(point));
    text += PointLine(point);
  }
  json["contracts"] = Json::array();
  for (const Admission& admission : admissions) {
    json["contracts"].push_back(ToJson(admission));
    text += AdmissionLine(admission);
  }
  if (!flags.plot.empty()) {
    ANECHECK_RETURN_IF_ERROR(WritePlot(flags.plot, curve));
    json["plot"] = flags.plot;
    text += fmt::format("wrote {}\n", flags.plot);
  }
  return json;
}

Result<Json> ComposeFile(const ActivationFlags& flags, std::string& text) {
  ANECHECK_ASSIGN(const std::string knots_text, ReadTextFile(flags.curve));
  ANECHECK_ASSIGN(const auto knots, curves::ReadKnots(knots_text, flags.curve));
  auto made = curves::Compose(knots, static_cast<int64_t>(flags.points));
  if (!made.ok()) return WithFile(flags.curve, made.error());
  ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(flags.compose, DumpJson(GraphToJson(made->graph), 2)));
  text = fmt::format("wrote {}: linear, relu, linear over {} for {}; {}\n", flags.compose,
                     Counted(knots.size(), "knot"), Counted(flags.points, "point"),
                     made->rounded == 0
                         ? std::string("fp16 holds every constant")
                         : "constants rounded to fp16: " + std::to_string(made->rounded));
  return Json{{"out", flags.compose},
              {"knots", knots.size()},
              {"points", flags.points},
              {"rounded", made->rounded}};
}

int RunActivation(const ActivationFlags& flags) {
  std::string text;
  const auto json = flags.compose.empty() ? Describe(flags, text) : ComposeFile(flags, text);
  if (!json.ok()) return Fail(json.error());
  flags.json ? Print(json->dump(2)) : PrintText(text);
  return kExitClean;
}

}  // namespace

void AddActivationCommand(CommandLine& app, Selected& selected) {
  CommandLine command =
      app.AddCommand("activation", "Print, measure or plot a curve of the activation unit");
  auto flags = std::make_shared<ActivationFlags>();
  command
      .AddOption("curve", flags->curve,
                 "sigmoid, silu, gelu, exp2, tanh, sqrt, rsqrt, inverse, or a file: a task's table "
                 "of 128 bytes, an activation record of 84 or 86, or for --compose knots as CSV")
      .Required();
  command
      .AddOption("--at", flags->at, "Arguments at which to evaluate the curve, separated by commas")
      .Delimiter(',');
  command
      .AddOption(
          "--target", flags->targets,
          "Compare the curve's values with the contracts of these targets, separated by commas")
      .Delimiter(',');
  CommandOption plot =
      command.AddOption("--plot", flags->plot, "Write a picture of the curve (SVG)")
          .Check(FileName());
  command
      .AddOption(
          "--compose", flags->compose,
          "Write a graph that computes the curve over the knots of a CSV file: linear, relu, "
          "linear")
      .Check(FileName())
      .Excludes(plot);
  command
      .AddOption("--points", flags->points,
                 "Number of arguments of the graph that --compose writes")
      .ShowDefault();
  command.AddFlag("--json", flags->json, "Print JSON");
  command.Footer(
      "A table cannot be authored: the parser of network descriptions requires a saturation set "
      "and "
      "a set of the version together, and its check refuses the two together (specification 004). "
      "Use --compose instead.\nExample: anecheck activation gelu --target h13,h14,h16g --plot "
      "gelu.svg\nExample: anecheck activation knots.csv --compose graph.json");
  command.WhenChosen([flags, &selected] { selected = [flags] { return RunActivation(*flags); }; });
}

}  // namespace anecheck
