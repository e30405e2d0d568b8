// Describes the tables of the results file, each by the struct of its rows and the content of its
// columns. The schema, the reader, the writer and the joining of files use these descriptions.
#pragma once

#include <tuple>

#include "harness/results/column.h"
#include "harness/results/row_values.h"

namespace anecheck {

template <typename Row>
inline constexpr std::nullptr_t kTable = nullptr;

template <>
inline constexpr auto kTable<RunRow> = Describe<RunRow>(
    {.name = "runs",
     .note = "One campaign. `options` is the JSON from which it can be started again.",
     .of_run = false,
     .end = "UNIQUE (uuid)"},
    Key("id", &RunRow::id).Within(1, kMostCount),
    Value("uuid", &RunRow::uuid, "the same run in two files is the same row"),
    Value("command", &RunRow::command, "the command that runs the campaign again"),
    Value("options", &RunRow::options).Json(), Value("seed", &RunRow::seed).Bits(),
    Value("state", &RunRow::state, "'running', 'finished', 'interrupted'"),
    Value("started", &RunRow::started, "UTC, ISO 8601"), Value("finished", &RunRow::finished),
    Value("tool_version", &RunRow::tool_version), Value("host", &RunRow::host),
    Value("os", &RunRow::os), Value("runner", &RunRow::runner, "'e5rt', 'roundtrip', 'exec:...'"),
    Value("provenance", &RunRow::provenance, "'silicon', 'simulated', 'roundtrip', ..."),
    Value("engine", &RunRow::engine, "the engine's own version text"), Value("chip", &RunRow::chip),
    Value("compiler_version", &RunRow::compiler_version));

template <>
inline constexpr auto kTable<CaseRow> = Describe<CaseRow>(
    {.name = "cases",
     .note = "One graph on one target. All but the times follows from the run's options and the "
             "index.",
     .index = "CREATE INDEX cases_by_verdict ON cases (run, verdict)"},
    Key("case_index", &CaseRow::index),
    Value("seed", &CaseRow::seed, "of this case's random choices").Bits(),
    Value("target", &CaseRow::target), Value("route", &CaseRow::route, "'mil', 'netlist'"),
    Value("mode", &CaseRow::mode, "the aim of the generator"),
    Value("fingerprint", &CaseRow::fingerprint, "of the graph").Bits(),
    Value("nodes", &CaseRow::nodes),
    Value("status", &CaseRow::status,
          "the status that the runner gave: 'ok', 'rejected', 'crashed', ..."),
    Value("stage", &CaseRow::step,
          "the step at which the run stopped; '' if it did not stop or the step is not known; for "
          "a metamorphic case that ran, the step at which the rewritten graph stopped"),
    Value("backend", &CaseRow::backend, "proved by analytics: 'ane', ''"),
    Value("verdict", &CaseRow::verdict, "'pass', 'known-defect', 'wrong', 'rejected', ..."),
    Value("message", &CaseRow::message), Value("compile_us", &CaseRow::compile_us),
    Value("run_us", &CaseRow::run_us));

template <>
inline constexpr auto kTable<OutputRow> = Describe<OutputRow>(
    {.name = "outputs",
     .note = "One judged output of a case. A case that was refused for one operation has one row, "
             "with that operation, the reason of the refusal, and no elements."},
    Key("case_index", &OutputRow::case_index), Key("output_index", &OutputRow::output_index),
    Value("op", &OutputRow::op, "the operation that produced it"),
    Value("verdict", &OutputRow::verdict), Value("elements", &OutputRow::elements),
    Value("outside", &OutputRow::outside), Value("worst_ulp", &OutputRow::worst_ulp),
    Value("known_defect", &OutputRow::defects, "'D01', '' for none"),
    Value("reason", &OutputRow::reason));

template <>
inline constexpr auto kTable<ReachRow> = Describe<ReachRow>(
    {.name = "reach",
     .note =
         "How far each operation got, counted over the cases of a run. The rewritten graph of "
         "a metamorphic case counts, by its own route, for the operations that rewriting "
         "added, or for all its operations if rewriting added none. By that route, the original "
         "graph counts for its other operations only."},
    Key("target", &ReachRow::target), Key("route", &ReachRow::route), Key("op", &ReachRow::op),
    Sum("cases", &ReachRow::cases, "cases that contain the operation"),
    Sum("compiled", &ReachRow::compiled),
    Sum("dispatched", &ReachRow::dispatched, "ran, and the engine's analytics name the engine"),
    Sum("correct", &ReachRow::correct, "all outputs that depend on it lie inside their intervals"),
    Sum("known_defect", &ReachRow::known_defect,
        "explained by a documented defect of any operation of the case"),
    Sum("wrong", &ReachRow::wrong), Sum("rejected", &ReachRow::rejected),
    Sum("inconclusive", &ReachRow::inconclusive));

template <>
inline constexpr auto kTable<ProvedReachRow> = Describe<ProvedReachRow>(
    {.name = "proved_reach",
     .note = "The part of `reach` whose answers came with a proof that was checked, in a run whose "
             "other answers have no proof. This part counts with `provenance`, the "
             "rest of `reach` with the provenance of the run.",
     .since = 6},
    Key("target", &ProvedReachRow::target), Key("route", &ProvedReachRow::route),
    Key("op", &ProvedReachRow::op), Key("provenance", &ProvedReachRow::provenance, "'silicon'"),
    Sum("cases", &ProvedReachRow::cases), Sum("compiled", &ProvedReachRow::compiled),
    Sum("dispatched", &ProvedReachRow::dispatched), Sum("correct", &ProvedReachRow::correct),
    Sum("known_defect", &ProvedReachRow::known_defect), Sum("wrong", &ProvedReachRow::wrong),
    Sum("rejected", &ProvedReachRow::rejected), Sum("inconclusive", &ProvedReachRow::inconclusive));

template <>
inline constexpr auto kTable<UnconfirmedRow> = Describe<UnconfirmedRow>(
    {.name = "unconfirmed_reach",
     .note = "The cases of `reach` whose deviations are forbidden only by terms that were never "
             "measured on the family. Further rows count the cases of this kind in `proved_reach`.",
     .since = 7},
    Key("target", &UnconfirmedRow::target), Key("route", &UnconfirmedRow::route),
    Key("op", &UnconfirmedRow::op),
    Key("provenance", &UnconfirmedRow::provenance,
        "'' for all cases, else the provenance of the proved part"),
    Sum("cases", &UnconfirmedRow::cases));

template <>
inline constexpr auto kTable<PlannedRow> = Describe<PlannedRow>(
    {.name = "planned_reach",
     .note = "The cases of `reach` whose plan, as an external program reports it, "
             "puts the operation on the engine and nowhere else.",
     .since = 12},
    Key("target", &PlannedRow::target), Key("route", &PlannedRow::route),
    Key("op", &PlannedRow::op), Sum("cases", &PlannedRow::cases));

template <>
inline constexpr auto kTable<ProofRow> = Describe<ProofRow>(
    {.name = "proofs",
     .note =
         "Analytics of the engine that ran a case. A run has at least one row for each operation, "
         "target and route for which the engine left analytics. Reports check the analytics again.",
     .since = 10},
    Key("case_index", &ProofRow::case_index), Value("target", &ProofRow::target),
    Value("route", &ProofRow::route), Value("ports", &ProofRow::ports, "names, a line each"),
    Value("operations", &ProofRow::operations, "names, a line each"),
    Value("text", &ProofRow::text, "analytics.mil"));

template <>
inline constexpr auto kTable<UlpRow> = Describe<UlpRow>(
    {.name = "ulp_histogram",
     .note = "Errors in ulp of the outputs that an operation produced: bucket 0 is exact, then 1, "
             "2, 3-4, 5-8 ..."},
    Key("target", &UlpRow::target), Key("op", &UlpRow::op),
    Key("bucket", &UlpRow::bucket).Within(0, kUlpBuckets - 1), Sum("elements", &UlpRow::elements));

template <>
inline constexpr auto kTable<WidthRow> = Describe<WidthRow>(
    {.name = "bound_widths",
     .note = "Widths in ulp of the bounds of the elements that `ulp_histogram` counts, in the same "
             "buckets. Bucket 0 has the elements with only one right value.",
     .since = 13},
    Key("target", &WidthRow::target), Key("op", &WidthRow::op),
    Key("bucket", &WidthRow::bucket).Within(0, kUlpBuckets - 1),
    Sum("elements", &WidthRow::elements));

template <>
inline constexpr auto kTable<FindingRow> = Describe<FindingRow>(
    {.name = "findings",
     .note = "Findings for a person to look at. `artifact` is the finding as JSON: graph, inputs, "
             "expectation, answer.",
     .index = "CREATE INDEX findings_by_signature ON findings (signature)"},
    Key("id", &FindingRow::id, "'f3a1c09d2be4', from run seed, case and signature"),
    Value("case_index", &FindingRow::case_index),
    Value("op", &FindingRow::op, "for a known defect, the operation that has it in this case"),
    Value("target", &FindingRow::target), Value("route", &FindingRow::route),
    Value("verdict", &FindingRow::verdict, "'wrong', 'crashed', 'flaky', 'unconfirmed', ..."),
    Value("known_defect", &FindingRow::defects),
    Value("signature", &FindingRow::signature, "findings with one signature are one defect"),
    Value("occurrences", &FindingRow::occurrences, "cases of this run with that signature"),
    Value("summary", &FindingRow::summary, "one line"),
    Value("replay", &FindingRow::replay,
          "the command that runs it again; it names the run if the id means another finding in "
          "other runs")
        .Local(),
    Value("artifact", &FindingRow::artifact).Json().Large());

template <>
inline constexpr auto kTable<FindingCaseRow> = Describe<FindingCaseRow>(
    {.name = "finding_cases",
     .note = "The cases that show a finding; `anecheck replay case:INDEX` runs each again.",
     .since = 11},
    Key("signature", &FindingCaseRow::signature, "the finding's"),
    Key("case_index", &FindingCaseRow::case_index), Sum("times", &FindingCaseRow::times));

template <>
inline constexpr auto kTable<ProbeRow> = Describe<ProbeRow>(
    {.name = "probes",
     .note = "Numeric cliffs: one measurement of one probe on one target.",
     .since = 2},
    Key("probe", &ProbeRow::probe, "'accumulator_port'"), Key("target", &ProbeRow::target),
    Value("state", &ProbeRow::state, "'no cliff', 'at value', 'unmeasured'"),
    Value("value", &ProbeRow::value,
          "for 'at value': a decimal, 'Infinity' or 'NaN'; otherwise ''"),
    Value("published", &ProbeRow::published,
          "the published value for the family, or 'no cliff'; '' if nothing is known"),
    Value("agrees", &ProbeRow::agrees, "'yes', 'no'; '' if there is nothing to compare"),
    Value("message", &ProbeRow::message, "why it is unmeasured"));

template <>
inline constexpr auto kTable<CoverageRow> = Describe<CoverageRow>(
    {.name = "coverage",
     .note = "Cells of the space of cases that a run met (harness/campaign/coverage.h).",
     .since = 3},
    Key("kind", &CoverageRow::kind, "'op_attribute', 'op_pair', ..."),
    Key("cell", &CoverageRow::cell, "'conv.groups=given', 'conv>relu'"),
    Sum("cases", &CoverageRow::cases),
    Value("first_case", &CoverageRow::first_case, "", Growth::kLeast));

template <>
inline constexpr auto kTable<MagnitudeRow> = Describe<MagnitudeRow>(
    {.name = "magnitude_errors",
     .note = "Errors in ulp of the outputs that an operation produced, by the magnitude of the "
             "expected value, over elements whose expected value and answer are finite.",
     .since = 4},
    Key("target", &MagnitudeRow::target), Key("op", &MagnitudeRow::op),
    Key("exponent", &MagnitudeRow::exponent,
        "the even number at or below log2 |value|; -26: 0 and below 2^-24")
        .Within(-26, 128),
    Sum("elements", &MagnitudeRow::elements),
    Sum("sum_ulp", &MagnitudeRow::sum_ulp, "an error of more than 65536 counts as 65536")
        .Within(0, int64_t{1} << 60),
    Value("max_ulp", &MagnitudeRow::max_ulp, "", Growth::kMost));

template <>
inline constexpr auto kTable<LibraryRow> = Describe<LibraryRow>(
    {.name = "libraries",
     .note = "The libraries, the C library and the compiler that the run was made with, and a "
             "checksum of the engine's file, if it has one.",
     .since = 5},
    Key("name", &LibraryRow::name, "'sqlite', 'compiler', 'engine'"),
    Value("version", &LibraryRow::version));

template <>
inline constexpr auto kTable<PaceRow> = Describe<PaceRow>(
    {.name = "pace",
     .note = "The working time of the run when a case and all cases before it were recorded. Time "
             "between a stop and a resumption does not count. There is a row for the batch of "
             "every finding.",
     .since = 5},
    Key("case_index", &PaceRow::case_index), Value("seconds", &PaceRow::seconds));

// Upper limits of the number of outputs of one operation in any campaign, and of the change of a
// sum by one output. One output changes a sum by at most 2.2 units, which is the greatest loss of
// the player with the largest bet (oracles/lean_sums.h).
inline constexpr int64_t kMostOutputs = int64_t{1} << 32;
inline constexpr int64_t kMostLean = 4 * static_cast<int64_t>(LeanSums::kUnit);
inline constexpr int64_t kMostLeanSum = kMostOutputs * kMostLean;

template <size_t bet>
inline constexpr auto kCapital = [](auto& row) -> auto& { return row.capitals[bet]; };

template <>
inline constexpr auto kTable<LeanRow> = Describe<LeanRow>(
    {.name = "error_leans",
     .note = "The side to which errors of an operation lean inside their bounds: the sums of the "
             "sequential test of oracles/lean_sums.h, over outputs that passed. Parts of a bound "
             "and binary logarithms are stored in units of 1 / 1048576.",
     .since = 8},
    Key("target", &LeanRow::target), Key("route", &LeanRow::route), Key("op", &LeanRow::op),
    Key("lean", &LeanRow::lean, "'up', 'down', 'away', 'toward' (zero), 'fills'"),
    Sum("outputs", &LeanRow::outputs).Within(0, kMostOutputs),
    Sum("sum", &LeanRow::sum,
        "the sum of the outputs' mean errors in that direction, in parts of the bound")
        .Within(-kMostLeanSum, kMostLeanSum),
    Sum("capital_1", kCapital<0>, "log2 of the capital of a player who bets 1/8 on each output")
        .Within(-kMostLeanSum, kMostLeanSum),
    Sum("capital_2", kCapital<1>, "1/4").Within(-kMostLeanSum, kMostLeanSum),
    Sum("capital_3", kCapital<2>, "1/2").Within(-kMostLeanSum, kMostLeanSum),
    Sum("capital_4", kCapital<3>, "3/4").Within(-kMostLeanSum, kMostLeanSum),
    Value("extreme_case", &LeanRow::extreme_case, "the case whose output leans most",
          Growth::kOfMost),
    Value("extreme", &LeanRow::extreme, "how much that output leans", Growth::kMost)
        .Within(-kMostLean, kMostLean));

// The tables in the order in which they are made and copied: runs first.
using TableRows = std::tuple<RunRow, CaseRow, OutputRow, ReachRow, ProvedReachRow, UnconfirmedRow,
                             PlannedRow, ProofRow, UlpRow, WidthRow, FindingRow, FindingCaseRow,
                             ProbeRow, CoverageRow, MagnitudeRow, LibraryRow, PaceRow, LeanRow>;

}  // namespace anecheck
