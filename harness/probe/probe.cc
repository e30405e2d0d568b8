#include "harness/probe/probe.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/half.h"
#include "harness/base/json.h"
#include "harness/campaign/run_row.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/probe/mac_probes.h"
#include "harness/probe/runtime_probe.h"
#include "harness/runners/analytics.h"

namespace anecheck {
namespace {

// The engine's result for one argument, or the reason why there is none.
struct Answer {
  bool measured = false;
  double value = 0;
  std::string message;
};

class Prober {
 public:
  Prober(const Probe& probe, const CampaignTarget& target, Runner& runner)
      : probe_(probe), target_(target), runner_(runner) {}

  Result<ProbeDatum> Run() {
    datum_.probe = probe_.name;
    datum_.target = target_.name;
    datum_.published = FindPublished(probe_.name, target_.family);
    ANECHECK_RETURN_IF_ERROR(probe_.kind == ProbeKind::kValueAt ? MeasureValue() : Bisect());
    datum_.agrees = Agreement();
    return datum_;
  }

 private:
  Result<Answer> Ask(double argument) {
    Answer answer;
    Result<ProbeGraph> built = probe_.build(probe_.op, argument);
    if (!built.ok()) {
      answer.message = built.error().message;
      return answer;
    }
    ANECHECK_ASSIGN(const std::string mil, GraphToMil(built->graph));
    const RunRequest request = {next_++, target_.name, mil, &built->graph, built->inputs};
    ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner_.Run({&request, 1}));
    const RunReply& reply = replies.front();
    if (reply.status != RunStatus::kOk) {
      answer.message = fmt::format("{}: {}", ToText(reply.status), reply.message);
      return answer;
    }
    ANECHECK_ASSIGN(answer.message, WhyNotOfTheEngine(reply));
    if (!answer.message.empty()) return answer;
    if (reply.outputs.empty() || reply.outputs[0].bytes.size() < 2) {
      answer.message = "the runner gives no values";
      return answer;
    }
    const std::vector<uint8_t>& bytes = reply.outputs[0].bytes;
    answer.measured = true;
    answer.value = HalfToDouble(Half{static_cast<uint16_t>(bytes[0] | bytes[1] << 8)});
    return answer;
  }

  // Returns the reason why the engine did not run the program, or an empty text if it did. Numbers
  // from another backend say nothing about the engine (specification 001, section 3). An external
  // program need not prove its backend.
  Result<std::string> WhyNotOfTheEngine(const RunReply& reply) {
    if (reply.backend == kEngineBackend) return std::string();
    if (!reply.backend.empty()) return fmt::format("ran on {}", reply.backend);
    ANECHECK_ASSIGN(const RunnerIdentity identity, runner_.Identify());
    return identity.provenance == Provenance::kReported
               ? std::string()
               : "nothing proves that the engine ran it: the analytics name no backend";
  }

  Status MeasureValue() {
    ANECHECK_ASSIGN(const Answer answer, Ask(probe_.low));
    if (!answer.measured) return Unmeasured(answer);
    datum_.state = ProbeState::kAtValue;
    datum_.value = answer.value;
    return {};
  }

  Status Unmeasured(const Answer& answer) {
    datum_.state = ProbeState::kUnmeasured;
    datum_.message = answer.message;
    return {};
  }

  // Position and Argument convert between arguments and positions on the probe's grid.
  int64_t Position(double argument) const {
    return probe_.grid == ProbeGrid::kInteger ? static_cast<int64_t>(argument)
                                              : HalfOrdinal(DoubleToHalf(argument));
  }
  double Argument(int64_t position) const {
    return probe_.grid == ProbeGrid::kInteger
               ? static_cast<double>(position)
               : HalfToDouble(HalfFromOrdinal(static_cast<int32_t>(position)));
  }

  // Bisects: keeps a good argument below a bad one and halves the range between them.
  Status Bisect() {
    int64_t good = Position(probe_.low);
    int64_t bad = Position(probe_.high);
    ANECHECK_ASSIGN(const Answer at_high, Ask(probe_.high));
    if (!at_high.measured) return Unmeasured(at_high);
    if (!probe_.bad(probe_.high, at_high.value)) {
      datum_.state = ProbeState::kNoCliff;
      return {};
    }
    ANECHECK_ASSIGN(const Answer at_low, Ask(probe_.low));
    if (!at_low.measured) return Unmeasured(at_low);
    if (probe_.bad(probe_.low, at_low.value)) bad = good;
    while (bad - good > 1) {
      const int64_t middle = good + (bad - good) / 2;
      const double argument = Argument(middle);
      ANECHECK_ASSIGN(const Answer answer, Ask(argument));
      if (!answer.measured) return Unmeasured(answer);
      (probe_.bad(argument, answer.value) ? bad : good) = middle;
    }
    datum_.state = ProbeState::kAtValue;
    datum_.value = Argument(bad);
    return {};
  }

  std::optional<bool> Agreement() const {
    const PublishedCliff* published = datum_.published;
    if (published == nullptr || datum_.state == ProbeState::kUnmeasured) return std::nullopt;
    if (published->no_cliff) return datum_.state == ProbeState::kNoCliff;
    if (datum_.state == ProbeState::kNoCliff) return false;
    const double value = datum_.value;
    if (probe_.kind == ProbeKind::kValueAt) return value == published->first_bad;
    const double below = Argument(Position(value) - 1);
    return value > published->last_good && below < published->first_bad;
  }

  const Probe& probe_;
  const CampaignTarget& target_;
  Runner& runner_;
  ProbeDatum datum_;
  uint64_t next_ = 0;
};

std::string MeasuredText(const ProbeDatum& datum) {
  return datum.state == ProbeState::kAtValue ? CliffText(datum.value)
                                             : std::string(ToText(datum.state));
}

std::string PublishedText(const ProbeDatum& datum) {
  if (datum.published == nullptr) return {};
  return datum.published->no_cliff ? std::string(ToText(ProbeState::kNoCliff))
                                   : CliffText(datum.published->first_bad);
}

Json NumberOrText(const std::string& text, double value) {
  if (text == CliffText(value) && std::isfinite(value)) return value;
  return text;
}

Status Record(const CampaignOptions& options, const RunnerIdentity& identity,
              std::span<const ProbeDatum> data, RunState state) {
  ANECHECK_ASSIGN(Store store, Store::Open(options.db));
  ANECHECK_ASSIGN(const int64_t run, store.BeginRun(DescribeRun(options, identity)));
  std::vector<ProbeRow> records;
  for (const ProbeDatum& datum : data) {
    ProbeRow& record = records.emplace_back();
    record.probe = datum.probe;
    record.target = datum.target;
    record.state = datum.state;
    record.value = datum.state == ProbeState::kAtValue ? CliffText(datum.value) : "";
    record.published = PublishedText(datum);
    if (datum.agrees) record.agrees = *datum.agrees ? Agreement::kAgrees : Agreement::kDiffers;
    record.message = datum.message;
  }
  ANECHECK_RETURN_IF_ERROR(store.AppendProbes(run, records));
  return store.FinishRun(run, state, UtcNow());
}

bool Named(std::string_view probe, std::span<const std::string> names) {
  return std::find(names.begin(), names.end(), probe) != names.end();
}

// Returns the sources of a defect's value: the list of defects, and the probe's own source, which
// may state another value. The text lives as long as the process.
std::string_view DefectSource(const RuntimeProbe& probe) {
  constexpr std::string_view kDefects = "facts known_defects.csv";
  static std::deque<std::string> texts;
  if (probe.source == kDefects) return kDefects;
  return texts.emplace_back(fmt::format("{}; {}", kDefects, probe.source));
}

// Makes two entries for each runtime probe. The first has the expected answer of families with the
// probe's documented defect. The second has the expected answer of all other families.
std::span<const PublishedCliff> RuntimePublished() {
  static const std::vector<PublishedCliff> published = [] {
    std::vector<PublishedCliff> list;
    for (const RuntimeProbe& probe : MacProbes()) {
      list.push_back({probe.name, ~0u, false, probe.conforming, probe.conforming, probe.source});
    }
    for (const RuntimeProbe& probe : RuntimeProbes()) {
      list.push_back({probe.name, probe.families, false, probe.documented, probe.documented,
                      DefectSource(probe)});
      list.push_back(
          {probe.name, ~probe.families, false, probe.conforming, probe.conforming, probe.source});
    }
    return list;
  }();
  return published;
}

Result<ProbeDatum> RunRuntimeProbe(const RuntimeProbe& probe, const CampaignTarget& target,
                                   const WorkerOptions& worker, const std::atomic<bool>* stop) {
  ANECHECK_ASSIGN(const RuntimeAnswer answer, MeasureRuntime(probe, target.name, worker, stop));
  ProbeDatum datum;
  datum.probe = probe.name;
  datum.target = target.name;
  datum.message = answer.message;
  for (const PublishedCliff& published : RuntimePublished()) {
    const bool of_family = (published.families >> target.family & 1) != 0;
    if (published.probe == probe.name && of_family) datum.published = &published;
  }
  if (!answer.value) return datum;
  datum.state = ProbeState::kAtValue;
  datum.value = *answer.value;
  if (datum.published != nullptr) datum.agrees = datum.value == datum.published->first_bad;
  return datum;
}

}  // namespace

const PublishedCliff* FindPublished(std::string_view probe, int family) {
  for (const PublishedCliff& published : PublishedCliffs()) {
    if (published.probe == probe && (published.families >> family & 1) != 0) return &published;
  }
  return nullptr;
}

std::string CliffText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return fmt::format("{}", value);
}

namespace {

bool IsSet(const std::atomic<bool>* stop) { return stop != nullptr && stop->load(); }

// The probes to run on every target.
struct ChosenProbes {
  std::vector<const Probe*> numeric;
  std::vector<const RuntimeProbe*> runtime;
};

ChosenProbes Chosen(std::span<const std::string> names, bool runtime) {
  ChosenProbes chosen;
  for (const Probe& probe : Probes()) {
    if (names.empty() ? !runtime : Named(probe.name, names)) chosen.numeric.push_back(&probe);
  }
  for (const auto probes : {RuntimeProbes(), MacProbes()}) {
    for (const RuntimeProbe& probe : probes) {
      if (names.empty() ? runtime : Named(probe.name, names)) chosen.runtime.push_back(&probe);
    }
  }
  return chosen;
}

// Runs the probes until `*stop` is set. It leaves out the measurement during which that happens,
// because Ctrl-C may also end the engine's process, and that is no answer of the engine.
Result<std::vector<ProbeDatum>> Measure(const CampaignOptions& options, const ChosenProbes& chosen,
                                        Runner& runner, const std::atomic<bool>* stop) {
  std::vector<ProbeDatum> data;
  // Records a measurement. Returns false if no further probe may run.
  const auto take = [&](Result<ProbeDatum> datum) -> Result<bool> {
    if (IsSet(stop)) return false;
    if (!datum.ok()) return datum.error();
    data.push_back(std::move(*datum));
    return true;
  };
  for (const CampaignTarget& target : options.targets) {
    for (const Probe* probe : chosen.numeric) {
      ANECHECK_ASSIGN(const bool goes_on, take(RunProbe(*probe, target, runner)));
      if (!goes_on) return data;
    }
    for (const RuntimeProbe* probe : chosen.runtime) {
      ANECHECK_ASSIGN(const bool goes_on,
                      take(RunRuntimeProbe(*probe, target, options.worker, stop)));
      if (!goes_on) return data;
    }
  }
  return data;
}

std::string ProbeNames() {
  std::vector<std::string_view> names;
  for (const Probe& probe : Probes()) names.push_back(probe.name);
  for (const RuntimeProbe& probe : RuntimeProbes()) names.push_back(probe.name);
  for (const RuntimeProbe& probe : MacProbes()) names.push_back(probe.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Result<ProbeDatum> RunProbe(const Probe& probe, const CampaignTarget& target, Runner& runner) {
  return Prober(probe, target, runner).Run();
}

Result<std::vector<ProbeDatum>> RunProbes(const CampaignOptions& options,
                                          std::span<const std::string> names, bool runtime,
                                          const std::atomic<bool>* stop) {
  for (const std::string& name : names) {
    const bool known = std::any_of(Probes().begin(), Probes().end(),
                                   [&](const Probe& probe) { return probe.name == name; });
    if (!known && FindRuntimeProbe(name) == nullptr) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("--probe {}: must be one of {}", name, ProbeNames()));
    }
  }
  const bool of_calls =
      names.empty() ? runtime : std::ranges::any_of(names, [](const std::string& name) {
        return FindRuntimeProbe(name) != nullptr;
      });
  if (of_calls && options.runner != "e5rt") {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("--runner {}: calls are probed on an engine of the e5rt interface; "
                    "leave --runner out, and name an engine with --espresso-lib",
                    options.runner));
  }
  ANECHECK_ASSIGN(const auto runner, MakeRunner(options));
  ANECHECK_ASSIGN(const RunnerIdentity identity, runner->Identify());
  ANECHECK_RETURN_IF_ERROR(CheckTargets(options, identity));
  ANECHECK_ASSIGN(std::vector<ProbeDatum> data,
                  Measure(options, Chosen(names, runtime), *runner, stop));
  for (ProbeDatum& datum : data) {
    datum.provenance = identity.provenance;
    datum.engine = identity.engine;
  }
  // A run without a probe is not recorded, because `run --resume` would take it for a campaign.
  if (data.empty() || options.db.empty()) return data;
  ANECHECK_RETURN_IF_ERROR(
      Record(options, identity, data, IsSet(stop) ? RunState::kInterrupted : RunState::kFinished));
  return data;
}

Json ProbesToJson(std::span<const ProbeDatum> data) {
  Json list = Json::array();
  for (const ProbeDatum& datum : data) {
    Json& json = list.emplace_back();
    json["probe"] = datum.probe;
    json["target"] = datum.target;
    json["measured"] = NumberOrText(MeasuredText(datum), datum.value);
    json["published"] = nullptr;
    if (datum.published != nullptr) {
      json["published"] = NumberOrText(PublishedText(datum), datum.published->first_bad);
    }
    json["agrees"] = nullptr;
    if (datum.agrees) json["agrees"] = *datum.agrees;
    json["message"] = datum.message;
    json["source"] = datum.published == nullptr ? "" : std::string(datum.published->source);
    json["provenance"] = ToText(datum.provenance);
    json["engine"] = datum.engine;
  }
  return list;
}

}  // namespace anecheck
