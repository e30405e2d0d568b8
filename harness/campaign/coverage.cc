#include "harness/campaign/coverage.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "harness/base/half.h"
#include "harness/base/hash.h"
#include "harness/campaign/attribute_class.h"
#include "harness/judging/judge_case.h"
#include "harness/targets/catalog.h"
#include "oracles/legality/legality.h"

namespace anecheck {
namespace {

// Indices of kCoverageKinds.
enum Kind : uint8_t { kOpAttribute, kAttributeValue, kOpPair, kShape, kDtype, kValue, kRule };

// The operation number of cells that concern all operations ("all.input=nan").
constexpr uint64_t kAllOps = 0xfff;

// Returns a number that identifies a cell without its name. `more` is a parameter or another
// operation, and `what` is the class.
uint64_t Code(Kind kind, uint64_t op, uint64_t more, uint64_t what) {
  return uint64_t{kind + 1u} << 56 | op << 44 | more << 32 | what;
}

// A hash table from codes of cells to numbers of cells. A code is never 0.
class CodeTable {
 public:
  static constexpr uint32_t kAbsent = ~uint32_t{0};

  CodeTable() : entries_(kFirstSize) {}

  // Returns the number of the cell with this code; kAbsent if the code is new.
  uint32_t& operator[](uint64_t code) {
    if (2 * used_ >= entries_.size()) Grow();
    Entry& entry = Place(code);
    if (entry.code == 0) {
      entry.code = code;
      ++used_;
    }
    return entry.number;
  }

 private:
  static constexpr size_t kFirstSize = 4096;  // a power of two
  struct Entry {
    uint64_t code = 0;
    uint32_t number = kAbsent;
  };

  // Returns the entry of the code, or the empty entry in which to store it.
  Entry& Place(uint64_t code) {
    size_t at = code * kGoldenRatio64 >> 32;
    for (;; ++at) {
      Entry& entry = entries_[at & (entries_.size() - 1)];
      if (entry.code == code || entry.code == 0) return entry;
    }
  }
  void Grow() {
    std::vector<Entry> before(2 * entries_.size());
    before.swap(entries_);
    for (const Entry& entry : before) {
      if (entry.code != 0) Place(entry.code) = entry;
    }
  }

  std::vector<Entry> entries_;
  size_t used_ = 0;
};

// Returns the one copy of a text, which lives as long as the process.
std::string_view Intern(std::string text) {
  static std::mutex mutex;
  static auto* texts = new std::unordered_set<std::string>;
  const std::lock_guard lock(mutex);
  return *texts->insert(std::move(text)).first;
}

}  // namespace

// The cells met so far, and the counts of the current batch.
class CoverageCounter::Cells {
 public:
  void BeginCase(uint64_t index) {
    ++case_;
    index_ = index;
  }

  // `name` is called only when the cell is met for the first time.
  template <typename Name>
  void Meet(uint64_t code, const Name& name) {
    uint32_t& number = by_code_[code];
    if (number == CodeTable::kAbsent) {
      number = static_cast<uint32_t>(cells_.size());
      Add(static_cast<Kind>((code >> 56) - 1), name());
    }
    Count(number);
  }
  // As Meet, for a cell that is identified by its name instead of a code.
  void MeetNamed(Kind kind, std::string_view name) {
    const auto found = by_name_.find({kCoverageKinds[kind], name});
    if (found != by_name_.end()) return Count(found->second);
    const auto number = static_cast<uint32_t>(cells_.size());
    Add(kind, std::string(name));
    by_name_[cells_.back().key] = number;
    Count(number);
  }

  void Flush(RowBatch& batch) {
    const bool first = batch.coverage.empty();
    if (first) batch.coverage.reserve(met_.size());
    for (const uint32_t number : met_) {
      Cell& cell = cells_[number];
      if (first) {
        batch.coverage.Append(cell.key, cell.counts);
      } else {
        batch.coverage[cell.key] += cell.counts;
      }
      cell.counts = {};
    }
    met_.clear();
  }

 private:
  struct Cell {
    CoverageKey key;
    CoverageCounts counts;   // in the current batch
    uint64_t last_case = 0;  // the last case that met it
  };

  void Add(Kind kind, std::string name) {
    cells_.push_back({{kCoverageKinds[kind], Intern(std::move(name))}, {}, 0});
  }

  void Count(uint32_t number) {
    Cell& cell = cells_[number];
    if (cell.last_case == case_) return;
    cell.last_case = case_;
    if (cell.counts.cases == 0) met_.push_back(number);
    cell.counts += {1, index_};
  }

  std::vector<Cell> cells_;
  CodeTable by_code_;
  std::map<CoverageKey, uint32_t> by_name_;
  std::vector<uint32_t> met_;  // the cells met in the current batch
  uint64_t case_ = 0;
  uint64_t index_ = 0;
};

namespace {

// Classes of attributes and operands.
enum What : uint32_t { kAbsent, kConstant, kState, kComputed, kFalse, kTrue, kGiven };
constexpr uint32_t kFirstChoice = 16;

constexpr std::string_view kExtentClasses[] = {"one", "power of two", "next to a power",
                                               "odd", "even",         "large"};

size_t ExtentClass(int64_t extent) {
  const auto bits = static_cast<uint64_t>(extent);
  if (extent <= 1) return 0;
  if (extent > 1024) return 5;
  if (std::has_single_bit(bits)) return 1;
  if (std::has_single_bit(bits - 1) || std::has_single_bit(bits + 1)) return 2;
  return extent % 2 != 0 ? 3 : 4;
}

constexpr std::string_view kValueClasses[] = {"zero",        "negative zero",   "subnormal",
                                              "fraction",    "integer to 2048", "to 32752",
                                              "above 32752", "infinite",        "nan"};

size_t ValueClass(Half half) {
  const int exponent = half.bits >> 10 & 0x1f, fraction = half.bits & 0x3ff;
  if (exponent == 0x1f) return fraction != 0 ? 8 : 7;
  if (exponent == 0) return fraction != 0 ? 2 : half.bits == 0 ? 0 : 1;
  const double magnitude = std::fabs(HalfToDouble(half));
  if (magnitude > 32752) return 6;
  if (magnitude > 2048) return 5;
  return magnitude == std::trunc(magnitude) ? 4 : 3;
}

// Finds the cells of one case; `Cells` counts them.
template <typename Cells>
class Recorder {
 public:
  Recorder(const Case& item, Cells& cells) : item_(item), cells_(cells) {}

  void Run() {
    cells_.BeginCase(item_.index);
    const Graph& graph = item_.graph;
    for (NodeId id = 0; id < graph.nodes().size(); ++id) {
      const NodeView node(graph, id);
      Parameters(node);
      Operands(node);
    }
    Extents();
    Values();
    if (IsAskedForRules(item_.seed, kRulesEvery)) Rules();
  }

  // Counts only rules, because a refused graph reaches no other cells.
  void RunRules() {
    cells_.BeginCase(item_.index);
    if (IsAskedForRules(item_.seed, kRefusedRulesEvery)) Rules();
  }

 private:
  void Parameters(const NodeView& node) {
    const OpSchema& schema = node.schema();
    for (size_t i = 0; i < schema.parameters.size(); ++i) {
      const Parameter& parameter = schema.parameters[i];
      const int index = static_cast<int>(i);
      if (IsTensorKind(parameter.kind)) {
        Meet(schema, i, Source(node.graph(), node.Input(index)));
        continue;
      }
      const Attribute* attribute = node.FindAttribute(index);
      if (attribute == nullptr) {
        Meet(schema, i, kAbsent);
      } else if (attribute->kind == AttributeKind::kBool) {
        Meet(schema, i, attribute->integer != 0 ? kTrue : kFalse);
      } else if (attribute->kind == AttributeKind::kString && !parameter.choices.empty()) {
        MeetChoice(schema, i, node.graph().string(*attribute));
      } else {
        Meet(schema, i, kGiven);
        const auto value = AttributeClass(node.graph(), *attribute);
        if (!value) continue;
        cells_.Meet(Code(kAttributeValue, schema.id, i, *value),
                    [&] { return Prefix(schema, i) + AttributeClassName(*value); });
      }
    }
  }

  static std::string Prefix(const OpSchema& schema, size_t parameter) {
    return fmt::format("{}.{}=", schema.name, schema.parameters[parameter].name);
  }

  void Meet(const OpSchema& schema, size_t parameter, What what) {
    constexpr std::string_view kNames[] = {"absent", "constant", "state", "computed",
                                           "false",  "true",     "given"};
    cells_.Meet(Code(kOpAttribute, schema.id, parameter, what),
                [&] { return Prefix(schema, parameter) + std::string(kNames[what]); });
  }

  void MeetChoice(const OpSchema& schema, size_t parameter, std::string_view spelt) {
    const auto choices = schema.parameters[parameter].choices;
    const auto found = std::ranges::find(choices, spelt);
    const auto number = static_cast<uint64_t>(found - choices.begin());
    const auto name = [&] { return Prefix(schema, parameter) + std::string(spelt); };
    if (found == choices.end()) return cells_.MeetNamed(kOpAttribute, name());
    cells_.Meet(Code(kOpAttribute, schema.id, parameter, kFirstChoice + number), name);
  }

  static What Source(const Graph& graph, ValueId operand) {
    if (operand == kNoValue) return kAbsent;
    switch (graph.value(operand).kind) {
      case ValueKind::kConst:
        return kConstant;
      case ValueKind::kState:
        return kState;
      case ValueKind::kInput:
      case ValueKind::kResult:
        break;
    }
    return kComputed;
  }

  void Operands(const NodeView& node) {
    const Graph& graph = node.graph();
    const OpSchema& schema = node.schema();
    for (const Argument& argument : graph.arguments(node.node())) {
      const Value& value = graph.value(argument.value);
      const DType dtype = value.type.dtype;
      cells_.Meet(Code(kDtype, schema.id, argument.parameter, static_cast<uint64_t>(dtype)), [&] {
        return Prefix(schema, argument.parameter) + std::string(DTypeName(dtype));
      });
      if (value.kind != ValueKind::kResult) continue;
      const OpSchema& producer = *graph.node(value.producer).schema;
      cells_.Meet(Code(kOpPair, producer.id, schema.id, 0),
                  [&] { return fmt::format("{}>{}", producer.name, schema.name); });
    }
    if (node.node().result_count == 0) return;
    const int rank = node.ResultType().shape.rank();
    cells_.Meet(Code(kShape, schema.id, 0, static_cast<uint64_t>(rank)),
                [&] { return fmt::format("{}.rank={}", schema.name, rank); });
  }

  void Extents() {
    std::array<bool, std::size(kExtentClasses)> seen{};
    for (const Value& value : item_.graph.values()) {
      for (const int64_t extent : value.type.shape.dims()) seen[ExtentClass(extent)] = true;
    }
    for (size_t i = 0; i < seen.size(); ++i) {
      if (!seen[i]) continue;
      cells_.Meet(Code(kShape, kAllOps, 0, i),
                  [&] { return fmt::format("all.extent={}", kExtentClasses[i]); });
    }
  }

  void Values() {
    std::array<bool, std::size(kValueClasses)> seen{};
    for (const Tensor& input : item_.inputs) {
      if (input.type.dtype != DType::kFp16) continue;
      for (size_t i = 0; i + 1 < input.bytes.size(); i += 2) {
        const Half half{static_cast<uint16_t>(input.bytes[i] | input.bytes[i + 1] << 8)};
        seen[ValueClass(half)] = true;
      }
    }
    for (size_t i = 0; i < seen.size(); ++i) {
      if (!seen[i]) continue;
      cells_.Meet(Code(kValue, kAllOps, 0, i),
                  [&] { return fmt::format("all.input={}", kValueClasses[i]); });
    }
  }

  void Rules() {
    const auto target = TargetCatalog::Builtin().Find(item_.target.name);
    if (!target.ok()) return;
    for (NodeId id = 0; id < item_.graph.nodes().size(); ++id) {
      const auto verdict =
          legality::Judge(legality::InstanceOf(NodeView(item_.graph, id)), **target, item_.route);
      if (!verdict.ok()) continue;
      for (const legality::LayerVerdict& layer : verdict->layers) {
        if (!layer.rule.empty()) cells_.MeetNamed(kRule, layer.rule);
      }
    }
  }

  const Case& item_;
  Cells& cells_;
};

}  // namespace

CoverageCounter::CoverageCounter() : cells_(std::make_unique<Cells>()) {}
CoverageCounter::~CoverageCounter() = default;

void CoverageCounter::Add(const Case& item, const CaseOutcome& outcome) {
  const bool refused_as_due =
      item.mode == CaseMode::kMustReject && outcome.verdict() == Verdict::kPass;
  if (outcome.status == RunStatus::kOk) {
    Recorder(item, *cells_).Run();
  } else if (refused_as_due) {
    Recorder(item, *cells_).RunRules();
  }
}

void CoverageCounter::Flush(RowBatch& batch) { cells_->Flush(batch); }

}  // namespace anecheck
