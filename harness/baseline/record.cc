// Recording of numeric baselines: one-operation cases, each from its own seed, run and measured.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <mutex>
#include <optional>

#include "harness/base/hash.h"
#include "harness/base/parallel_for.h"
#include "harness/baseline/baseline.h"
#include "harness/campaign/run_row.h"
#include "harness/graph/fingerprint.h"
#include "harness/judging/judge_case.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/runners/analytics.h"
#include "harness/targets/catalog.h"
#include "oracles/contract.h"

namespace anecheck {
namespace {

// Attempts to draw an operation before it counts as not drawn.
constexpr uint64_t kAttempts = 24;
// The route by which a baseline's cases are compiled.
constexpr Route kRoute = Route::kMil;
// Entries that go to a worker together.
constexpr uint64_t kEntriesTogether = 32;

class Digest {
 public:
  void Add(std::string_view text) { state_.Add(text).Add(0xff); }
  void Add(uint64_t number) { state_.AddWord(number); }
  void Add(const Tensor& tensor) {
    Add(DTypeName(tensor.type.dtype));
    for (const int64_t dim : tensor.type.shape.dims()) Add(static_cast<uint64_t>(dim));
    state_.Add(std::span<const uint8_t>(tensor.bytes));
  }
  uint64_t value() const { return state_.value(); }
  std::string Text() const { return fmt::format("{:016x}", value()); }

 private:
  Fnv1a state_;
};

struct EntryPlan {
  const OpSchema* op = nullptr;
  CaseMode mode = CaseMode::kFloat;
  const CampaignTarget* target = nullptr;
};

bool Holds(const Graph& graph, const OpSchema* op) {
  return std::ranges::any_of(graph.nodes(), [op](const Node& node) { return node.schema == op; });
}

std::optional<Case> DrawCase(const EntryPlan& plan, uint64_t seed, uint64_t index) {
  Digest names;
  names.Add(plan.op->name);
  names.Add(ToText(plan.mode));
  names.Add(plan.target->name);
  GeneratorOptions generator;
  generator.family = plan.target->family;
  generator.mode = plan.mode;
  generator.max_nodes = 1;
  generator.ops.reset();
  generator.ops.set(plan.op->id);
  for (uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
    Case item;
    item.index = index;
    item.seed = CaseSeed(seed ^ names.value(), index * kAttempts + attempt);
    item.target = *plan.target;
    item.mode = plan.mode;
    ChoiceStream choices = ChoiceStream::FromSeed(item.seed);
    GenerateGraph(choices, generator, item.graph);
    if (!Holds(item.graph, plan.op)) continue;
    item.inputs = GenerateInputs(choices, item.graph, item.mode);
    return item;
  }
  return std::nullopt;
}

std::vector<CaseMode> ModesOf(const CampaignOptions& options) {
  if (!options.modes.empty()) return options.modes;
  return {CaseMode::kInteger, CaseMode::kFloat};
}

std::vector<EntryPlan> PlansOf(const CampaignOptions& options, const CampaignTarget& target) {
  std::vector<EntryPlan> plans;
  for (const OpDefinition* op : AllOps()) {
    if (!options.ops.test(op->schema.id)) continue;
    for (const CaseMode mode : ModesOf(options)) plans.push_back({&op->schema, mode, &target});
  }
  return plans;
}

// Draws all cases of an entry, or none if one cannot be drawn.
std::vector<Case> DrawCases(const EntryPlan& plan, const CampaignOptions& options) {
  std::vector<Case> drawn;
  for (uint64_t i = 0; i < options.cases; ++i) {
    std::optional<Case> item = DrawCase(plan, options.seed, i);
    if (!item) return {};
    drawn.push_back(std::move(*item));
  }
  return drawn;
}

std::vector<Case> KeptCases(const EntryPlan& plan, std::span<const BaselineCase> stored) {
  std::vector<Case> kept;
  for (const BaselineCase& one : stored) {
    if (one.op != plan.op->name || one.configuration != ToText(plan.mode)) continue;
    Case item;
    item.index = kept.size();
    item.target = *plan.target;
    item.mode = plan.mode;
    item.graph = one.graph;
    item.inputs = one.inputs;
    kept.push_back(std::move(item));
  }
  return kept;
}

class Recorder {
 public:
  // Draws the cases if `stored` is empty.
  Recorder(std::span<const BaselineCase> stored, const CampaignOptions& options,
           const RunnerFactory& make_runner,
           const std::function<void(const CampaignProgress&)>& progress)
      : stored_(stored), options_(options), make_runner_(make_runner), progress_(progress) {}

  Result<Baseline> Run() {
    if (options_.targets.empty()) return MakeError(ErrorCode::kInvalid, "no target was given");
    ANECHECK_ASSIGN(const auto runner, make_runner_());
    ANECHECK_ASSIGN(const RunnerIdentity identity, runner->Identify());
    const RunRow run = DescribeRun(options_, identity);
    Baseline baseline;
    baseline.recorded = run.started;
    baseline.tool_version = run.tool_version;
    baseline.engine = run.engine;
    baseline.runner = run.runner;
    baseline.provenance = run.provenance;
    baseline.chip = run.chip;
    baseline.os = run.os;
    baseline.compiler_version = run.compiler_version;
    baseline.seed = options_.seed;
    baseline.cases = options_.cases;
    const std::vector<EntryPlan> plans = Plans();
    std::vector<std::optional<BaselineEntry>> entries(plans.size());
    const auto record = [&](uint64_t begin, uint64_t end) -> Status {
      const size_t count = end - begin;
      ANECHECK_RETURN_IF_ERROR(RecordChunk(std::span(plans).subspan(begin, count),
                                           std::span(entries).subspan(begin, count)));
      Report(count, plans.size());
      return {};
    };
    ANECHECK_RETURN_IF_ERROR(ParallelChunks(plans.size(), kEntriesTogether, options_.jobs, record));
    for (std::optional<BaselineEntry>& entry : entries) {
      if (entry) baseline.entries.push_back(std::move(*entry));
    }
    return baseline;
  }

 private:
  std::vector<EntryPlan> Plans() const {
    std::vector<EntryPlan> plans;
    for (const CampaignTarget& target : options_.targets) {
      const std::vector<EntryPlan> some = PlansOf(options_, target);
      plans.insert(plans.end(), some.begin(), some.end());
    }
    return plans;
  }

  // Runners are kept between chunks: starting an engine costs more than a chunk.
  Result<std::unique_ptr<Runner>> TakeRunner() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Runner> runner = std::move(idle_.back());
        idle_.pop_back();
        return runner;
      }
    }
    return make_runner_();
  }

  Status RecordChunk(std::span<const EntryPlan> plans,
                     std::span<std::optional<BaselineEntry>> entries) {
    std::vector<Case> items;
    std::vector<size_t> entry_of;
    for (size_t e = 0; e < plans.size(); ++e) {
      std::vector<Case> cases =
          stored_.empty() ? DrawCases(plans[e], options_) : KeptCases(plans[e], stored_);
      if (cases.empty()) continue;
      if (cases.size() != options_.cases) {
        return MakeError(
            ErrorCode::kInvalid,
            fmt::format("baseline: {} {} has {} cases, must have {}", plans[e].op->name,
                        ToText(plans[e].mode), cases.size(), options_.cases));
      }
      entries[e] = Describe(plans[e], cases);
      for (Case& item : cases) {
        ANECHECK_ASSIGN(item.mil, GraphToMil(item.graph));
        items.push_back(std::move(item));
        entry_of.push_back(e);
      }
    }
    std::vector<RunRequest> requests;
    requests.reserve(items.size());
    for (const Case& item : items) {
      requests.push_back({requests.size(), item.target.name, item.mil, &item.graph, item.inputs});
    }
    if (requests.empty()) return {};
    ANECHECK_ASSIGN(std::unique_ptr<Runner> runner, TakeRunner());
    ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner->Run(requests));
    Evaluation evaluation;
    for (size_t i = 0; i < items.size(); ++i) {
      AddCase(items[i], replies[i], evaluation, *entries[entry_of[i]]);
    }
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(runner));
    return {};
  }

  BaselineEntry Describe(const EntryPlan& plan, std::span<const Case> items) const {
    BaselineEntry entry;
    entry.op = plan.op->name;
    entry.configuration = ToText(plan.mode);
    entry.target = plan.target->name;
    entry.route = kRoute;
    Digest question;
    for (const Case& item : items) {
      question.Add(GraphFingerprint(item.graph));
      for (const Tensor& input : item.inputs) question.Add(input);
    }
    entry.question = question.Text();
    return entry;
  }

  void AddCase(const Case& item, const RunReply& reply, Evaluation& evaluation,
               BaselineEntry& entry) const {
    const CaseOutcome outcome = JudgeCase(item, reply, evaluation);
    if (reply.status != RunStatus::kOk) {
      entry.cases.push_back({.status = reply.status});
      return;
    }
    if (reply.verified) {
      entry.cases.push_back({.verified = true});
      return;
    }
    if (!reply.backend.empty() && reply.backend != kEngineBackend) {
      entry.cases.push_back({.misplaced = true});
      return;
    }
    Digest bits;
    for (const Tensor& output : reply.outputs) bits.Add(output);
    entry.cases.push_back({.bits = bits.value()});
    for (const OutputVerdict& output : outcome.outputs) entry.outside += output.outside;
    for (const UlpCounts& counts : outcome.histograms) {
      for (size_t i = 0; i < kUlpBuckets; ++i) entry.histogram[i] += counts[i];
    }
    for (const OutputErrors& errors : outcome.errors) entry.errors += errors;
  }

  void Report(size_t entries, size_t wanted) {
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    done_ += entries;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
    progress_({.done = done_ * options_.cases,
               .wanted = wanted * options_.cases,
               .seconds = seconds.count()});
  }

  std::span<const BaselineCase> stored_;
  const CampaignOptions& options_;
  const RunnerFactory& make_runner_;
  const std::function<void(const CampaignProgress&)>& progress_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::vector<std::unique_ptr<Runner>> idle_;
  uint64_t done_ = 0;
};

}  // namespace

const BaselineEntry* Baseline::Find(const BaselineEntry& like) const {
  const auto found = std::ranges::find_if(entries, [&](const BaselineEntry& entry) {
    return entry.op == like.op && entry.configuration == like.configuration &&
           entry.target == like.target && entry.route == like.route;
  });
  return found == entries.end() ? nullptr : &*found;
}

Result<Baseline> RecordBaseline(const CampaignOptions& options, const RunnerFactory& make_runner,
                                const std::function<void(const CampaignProgress&)>& progress) {
  return Recorder({}, options, make_runner, progress).Run();
}

Result<std::vector<BaselineCase>> DrawBaselineCases(const CampaignOptions& options) {
  if (options.targets.empty()) return MakeError(ErrorCode::kInvalid, "no target was given");
  std::vector<BaselineCase> stored;
  for (const EntryPlan& plan : PlansOf(options, options.targets[0])) {
    for (Case& item : DrawCases(plan, options)) {
      stored.push_back({std::string(plan.op->name), std::string(ToText(plan.mode)),
                        std::move(item.graph), std::move(item.inputs)});
    }
  }
  return stored;
}

Result<Baseline> RecordBaselineOf(std::vector<BaselineCase> stored, const CampaignOptions& options,
                                  const RunnerFactory& make_runner,
                                  const std::function<void(const CampaignProgress&)>& progress) {
  if (stored.empty()) return MakeError(ErrorCode::kInvalid, "baseline: there are no cases");
  ANECHECK_ASSIGN(Baseline baseline, Recorder(stored, options, make_runner, progress).Run());
  baseline.stored = std::move(stored);
  return baseline;
}

Result<CampaignOptions> OptionsOf(const Baseline& baseline) {
  CampaignOptions options;
  options.seed = baseline.seed;
  options.cases = baseline.cases;
  options.ops.reset();
  for (const BaselineEntry& entry : baseline.entries) {
    options.routes = SetOf(entry.route);
    // If a later table lacks the operation, the comparison reports it as missing.
    if (const OpDefinition* op = FindOp(entry.op)) options.ops.set(op->schema.id);
    const auto mode = FindWord<CaseMode>(entry.configuration);
    if (mode && std::ranges::find(options.modes, *mode) == options.modes.end()) {
      options.modes.push_back(*mode);
    }
    const bool listed = std::ranges::any_of(
        options.targets, [&](const CampaignTarget& target) { return target.name == entry.target; });
    if (listed) continue;
    const auto contract = ContractFromName(entry.target);
    if (contract.ok() && IsAnyEngine(contract->family)) {
      options.targets.push_back({entry.target, contract->family});
      continue;
    }
    ANECHECK_ASSIGN(const auto targets, TargetCatalog::Builtin().FindList(entry.target));
    const auto& family = targets[0]->family();
    if (!family.known()) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("target {}: no source gives its family", entry.target));
    }
    options.targets.push_back({entry.target, static_cast<int>(family.value())});
  }
  return options;
}

}  // namespace anecheck
