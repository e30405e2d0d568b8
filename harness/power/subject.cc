#include "harness/power/subject.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "generators/drawer.h"
#include "harness/base/json_fields.h"
#include "harness/encoder/fault.h"
#include "harness/runners/emulator_runner.h"
#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

constexpr std::string_view kListName = "the engine's list";

// A word for an operation class in the engine's list, and the project's class.
struct ClassWord {
  std::string_view word;
  OpClass op_class;
};
constexpr ClassWord kClassWords[] = {
    {"convolution", OpClass::kConvolution},  {"normalization", OpClass::kNormalization},
    {"elementwise", OpClass::kElementwise},  {"activation", OpClass::kActivation},
    {"reduction", OpClass::kReduction},      {"movement", OpClass::kMovement},
    {"quantization", OpClass::kQuantization}};

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const bool part = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (part) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

// Returns the operations that a text names, or all if it names none.
std::bitset<kOpCount> OpsNamedIn(std::string_view text) {
  std::bitset<kOpCount> ops;
  for (const std::string& word : Words(text)) {
    if (const OpDefinition* op = FindOp(word)) ops.set(op->schema.id);
  }
  return ops.none() ? ops.set() : ops;
}

std::bitset<kOpCount> OpsOfClass(std::string_view word) {
  const auto* found = std::ranges::find(kClassWords, word, &ClassWord::word);
  std::bitset<kOpCount> ops;
  if (found == std::end(kClassWords)) return ops.set();
  for (const OpDefinition* op : AllOps()) {
    if (op->op_class == found->op_class && IsDrawn(*op)) ops.set(op->schema.id);
  }
  return ops;
}

Result<Subject> ReadFault(const Json& row, const std::vector<CampaignTarget>& targets) {
  Subject subject;
  ANECHECK_ASSIGN(subject.id, json_fields::String(row, "id", kListName));
  ANECHECK_ASSIGN(subject.kind, json_fields::String(row, "kind", kListName));
  ANECHECK_ASSIGN(subject.op, json_fields::String(row, "op", kListName));
  ANECHECK_ASSIGN(subject.op_class, json_fields::String(row, "class", kListName));
  subject.description = json_fields::StringOr(row, "description", "");
  subject.ulps = row.value("ulps", 0.0);
  subject.share = row.value("share", 1.0);
  subject.admitted = json_fields::StringOr(row, "admitted", "");
  subject.ops =
      FindOp(subject.op) != nullptr ? OpsNamedIn(subject.op) : OpsOfClass(subject.op_class);
  // The default mix has no cases with states.
  if (subject.op_class == "state") subject.modes = {CaseMode::kState};
  // Graphs that must be refused show a fault by which the compiler accepts too much.
  if (subject.op_class == "compiler" && subject.kind == "gating") {
    subject.modes = {CaseMode::kFloat, CaseMode::kMustReject};
  }
  subject.targets = targets;
  subject.faults = {subject.id};
  return subject;
}

// Returns the first target of `preferred` whose family is in `families`, or else a target of the
// lowest such family in the catalogue. If there is none, returns the first target of `preferred`.
std::vector<CampaignTarget> TargetWith(const Json& families,
                                       const std::vector<CampaignTarget>& preferred) {
  const auto has = [&](int family) {
    return std::ranges::any_of(
        families, [&](const Json& name) { return name == fmt::format("A{}", family + 11); });
  };
  for (const CampaignTarget& target : preferred) {
    if (has(target.family)) return {target};
  }
  // Families before A13 take no MIL, so the hunt switches on their defects on a target of a later
  // family.
  if (!families.empty() && std::ranges::all_of(families, [](const Json& name) {
        return name == "A11" || name == "A12";
      })) {
    return {preferred.front()};
  }
  const Target* best = nullptr;
  for (const Target& target : TargetCatalog::Builtin().targets()) {
    if (!target.family().known() || !has(static_cast<int>(target.family().value()))) continue;
    if (best == nullptr || target.family().value() < best->family().value()) best = &target;
  }
  if (best == nullptr) return {preferred.front()};
  std::string name = best->name;
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return {{name, static_cast<int>(best->family().value())}};
}

Result<Subject> ReadQuirk(const Json& row, const std::vector<CampaignTarget>& targets) {
  Subject subject;
  subject.group = SubjectGroup::kKnownDefect;
  ANECHECK_ASSIGN(subject.id, json_fields::String(row, "id", kListName));
  ANECHECK_ASSIGN(subject.kind, json_fields::String(row, "kind", kListName));
  const std::string area = json_fields::StringOr(row, "area", "");
  subject.op = area;
  subject.op_class = subject.kind;
  subject.description = fmt::format("{}, {}: {}", area, json_fields::StringOr(row, "trigger", ""),
                                    json_fields::StringOr(row, "symptom", ""));
  subject.ops = OpsNamedIn(area);
  subject.targets = TargetWith(row.value("default_families", Json::array()), targets);
  subject.quirks = {{"all", false}, {subject.id, true}};
  subject.labels = {subject.id};
  return subject;
}

// Returns the faults of the encoder. The emulator runs the encoder's containers for the only target
// of these faults.
std::vector<Subject> EncoderSubjects() {
  std::vector<Subject> subjects;
  for (const encoder::FaultName& fault : encoder::FaultNames()) {
    Subject& subject = subjects.emplace_back();
    subject.id = fault.name;
    subject.kind = "encoder";
    subject.op = fault.op;
    subject.description = fault.meaning;
    subject.ops = OpsNamedIn(fault.op);
    subject.op_class = OpClassName(FindOp(fault.op)->op_class);
    subject.targets = {{"h13", static_cast<int>(Family::kA13)}};
    subject.runner = kExactEmulatorRunner;
    subject.faults = {subject.id};
  }
  return subjects;
}

Result<Json> ReadList(const char* text) {
  ANECHECK_ASSIGN(Json list, ParseJson(text == nullptr ? "" : text, kListName));
  if (!list.is_array()) return json_fields::Bad(kListName, "is no array");
  return list;
}

}  // namespace

std::string_view SubjectGroupName(SubjectGroup group) {
  return group == SubjectGroup::kPlanted ? "planted" : ToText(Verdict::kKnownDefect);
}

bool ActsBy(const Subject& subject, Way way) {
  if (way == Way::kMarked) return true;
  if (subject.runner != "e5rt" || subject.kind == "encoding") return false;
  return way == Way::kUnmarked || !IsOfCalls(subject);
}

bool IsOfCalls(const Subject& subject) {
  if (subject.group == SubjectGroup::kPlanted) return subject.op_class == "calls";
  return subject.kind == "runtime" || subject.kind == "gating";
}

bool IsDrawn(const OpDefinition& op) {
  const OpGenerator& generator = *AllOpGenerators()[op.schema.id];
  return generator.draw != nullptr && generator.weight > 0 && op.family_floor != kNoFamily;
}

bool GivesHalves(const OpDefinition& op, const CampaignTarget& target) {
  CampaignOptions options;
  options.targets = {target};
  options.ops.reset();
  options.ops.set(op.schema.id);
  constexpr uint64_t kCases = 64;
  for (uint64_t index = 0; index < kCases; ++index) {
    const Result<Case> item = MakeCase(options, index);
    if (!item.ok()) continue;
    const Graph& graph = item->graph;
    for (const Node& node : graph.nodes()) {
      if (node.schema->id != op.schema.id) continue;
      for (uint32_t i = 0; i < node.result_count; ++i) {
        if (graph.type(node.first_result + i).dtype == DType::kFp16) return true;
      }
    }
  }
  return false;
}

Result<std::vector<Subject>> ReadSubjects(const E5rtLibrary& engine,
                                          const std::vector<CampaignTarget>& targets) {
  if (targets.empty()) return MakeError(ErrorCode::kInvalid, "no target was given");
  if (!engine.simulated()) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{} is not the simulated engine: only there can defects be "
                                 "planted and switched",
                                 engine.path));
  }
  std::vector<Subject> subjects;
  ANECHECK_ASSIGN(const Json faults, ReadList(engine.simulator.faults_json()));
  for (const Json& row : faults) {
    ANECHECK_ASSIGN(Subject subject, ReadFault(row, targets));
    subjects.push_back(std::move(subject));
  }
  ANECHECK_ASSIGN(const Json quirks, ReadList(engine.simulator.quirks_json()));
  for (const Json& row : quirks) {
    if (!row.value("implemented", false)) continue;
    ANECHECK_ASSIGN(Subject subject, ReadQuirk(row, targets));
    subjects.push_back(std::move(subject));
  }
  std::ranges::move(EncoderSubjects(), std::back_inserter(subjects));
  return subjects;
}

Subject UlpSubject(const OpDefinition& op, int ulps, int permille,
                   const std::vector<CampaignTarget>& targets) {
  Subject subject;
  subject.id = fmt::format("ulp-error:{}:{}:{}", op.schema.name, ulps, permille);
  subject.description = fmt::format("{} of 1000 results are {} units too large", permille, ulps);
  subject.kind = "numeric";
  subject.op = op.schema.name;
  subject.op_class = OpClassName(op.op_class);
  subject.ulps = ulps;
  subject.share = permille / 1000.0;
  subject.ops.reset();
  subject.ops.set(op.schema.id);
  subject.targets = targets;
  subject.faults = {subject.id};
  return subject;
}

}  // namespace anecheck
