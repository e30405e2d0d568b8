#include "harness/formats/netlist/gates.h"

#include <algorithm>
#include <array>
#include <deque>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <utility>

#include "oracles/legality/gates.h"

namespace anecheck::netlist {
namespace {

using tree::Dict;
using tree::Entry;
using tree::Value;

// Owns the texts to which the rules refer.
struct GateTexts {
  std::string statement;
  std::string source;
};

struct GateTable {
  std::deque<GateTexts> texts;
  std::vector<Rule> rules;
};

// Returns kAssumed, so that the gate only warns, if real files contradict a part of the gate.
FactEvidence EvidenceOf(const legality::Rule& gate) {
  const bool contradicted = std::ranges::any_of(
      gate.others, [](const auto& other) { return other.source == "real files"; });
  if (contradicted) return FactEvidence::kAssumed;
  return gate.source.text().find("specification") != std::string::npos
             ? FactEvidence::kSpecification
             : FactEvidence::kPublicNotes;
}

const std::vector<Rule>& AllGateRules() {
  static const auto* const kTable = [] {
    auto* table = new GateTable;
    for (const legality::Rule* gate : legality::Gates()) {
      table->texts.push_back({fmt::format("The validator refuses a {} where {}.",
                                          fmt::join(gate->subjects, ", "), gate->when_text),
                              gate->source.text()});
      const GateTexts& text = table->texts.back();
      table->rules.push_back({gate->id, text.statement, text.source, EvidenceOf(*gate)});
    }
    return table;
  }();
  return kTable->rules;
}

// Returns an element type of network descriptions in MIL's spelling, which the gates use.
std::string MilType(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kTypes = {
      {{"Float16", "fp16"},
       {"Float32", "fp32"},
       {"Int8", "int8"},
       {"UInt8", "uint8"},
       {"Int16", "int16"},
       {"UInt16", "uint16"},
       {"Int32", "int32"},
       {"UInt32", "uint32"}}};
  const auto found =
      std::ranges::find(kTypes, type, &std::pair<std::string_view, std::string_view>::first);
  return std::string(found == kTypes.end() ? type : found->second);
}

// Returns a number, boolean or string as a value that gates can test, otherwise nothing.
std::optional<legality::Value> RuleValue(const Value& value) {
  if (value.AsInteger() != nullptr) {
    return legality::Value::Number(static_cast<double>(*value.AsInteger()));
  }
  if (value.AsReal() != nullptr) return legality::Value::Number(*value.AsReal());
  if (value.AsBool() != nullptr) return legality::Value::Bool(*value.AsBool());
  if (value.AsString() != nullptr) return legality::Value::Text(*value.AsString());
  return std::nullopt;
}

std::string TextOf(const Dict& dict, std::string_view key) {
  const Value* value = dict.Find(key);
  return value != nullptr && value->AsString() != nullptr ? *value->AsString() : std::string();
}

legality::Operand OperandOf(const GateOperand& operand, size_t index) {
  legality::Operand made;
  made.name = fmt::format("bottom{}", index);
  made.dtype = operand.type.empty() ? "" : MilType(operand.type);
  made.shape = operand.shape.empty() ? std::vector<int64_t>(4, -1) : operand.shape;
  return made;
}

// Adds the entries of a dictionary as attributes. In place of a list with one dictionary, adds the
// entries of that dictionary, because gates name them directly (Dimension and Size for [{Dimension,
// Size}]).
void AddAttributes(const Dict& dict, legality::Instance& instance) {
  for (const Entry& entry : dict.entries) {
    const tree::Array* list = entry.value.AsArray();
    if (list != nullptr && list->size() == 1 && list->front().AsDict() != nullptr) {
      AddAttributes(*list->front().AsDict(), instance);
    } else if (auto value = RuleValue(entry.value)) {
      instance.attributes.insert_or_assign(entry.key, *std::move(value));
    }
  }
}

legality::Instance InstanceOf(const LayerSpec& layer, const Dict& unit,
                              std::span<const GateOperand> operands) {
  legality::Instance instance;
  instance.op = layer.type;
  for (const std::string_view key : {"OutputType", "OutputChannels"}) {
    const Value* value = unit.Find(key);
    const auto made = value == nullptr ? std::nullopt : RuleValue(*value);
    if (made) instance.attributes.insert_or_assign(std::string(key), *made);
  }
  const Value* params = unit.Find("Params");
  if (params != nullptr && params->AsDict() != nullptr) AddAttributes(*params->AsDict(), instance);
  int64_t interleave = 1;
  for (const GateOperand& operand : operands) {
    interleave = std::max(interleave, operand.interleave);
    instance.operands.push_back(OperandOf(operand, instance.operands.size()));
  }
  instance.attributes.insert_or_assign("Interleave",
                                       legality::Value::Number(static_cast<double>(interleave)));
  if (!operands.empty() && !operands[0].producer.empty()) {
    instance.attributes.insert_or_assign("producer", legality::Value::Text(operands[0].producer));
  }
  return instance;
}

}  // namespace

std::span<const Rule> GateRules() { return AllGateRules(); }

GateOperand PortOperand(const Dict& port, const ExtentKeys& extents, std::string_view type_key) {
  const auto extent = [&](std::optional<int64_t> Extents::* field) -> int64_t {
    const auto key =
        std::ranges::find(extents.fields, field,
                          &std::pair<std::string_view, std::optional<int64_t> Extents::*>::second);
    const Value* value = port.Find(key->first);
    if (value == nullptr) return 1;
    return value->AsInteger() != nullptr && *value->AsInteger() > 0 ? *value->AsInteger() : -1;
  };
  GateOperand operand{TextOf(port, type_key), "Input", {}, extent(&Extents::interleave)};
  operand.shape = {extent(&Extents::batch), extent(&Extents::channels)};
  if (extent(&Extents::depth) != 1) operand.shape.push_back(extent(&Extents::depth));
  operand.shape.push_back(extent(&Extents::height));
  operand.shape.push_back(extent(&Extents::width));
  return operand;
}

GateOperand UnitOperand(const Dict& unit) {
  return {TextOf(unit, "OutputType"), TextOf(unit, "Type"), {}, 1};
}

std::vector<BrokenGate> FindBrokenGates(const LayerSpec& layer, const Dict& unit,
                                        std::span<const GateOperand> operands) {
  std::vector<BrokenGate> found;
  for (legality::BrokenGate& broken : legality::BrokenGates(InstanceOf(layer, unit, operands))) {
    const auto rule = std::ranges::find(AllGateRules(), broken.rule->id, &Rule::id);
    found.push_back({&*rule, std::move(broken.text)});
  }
  return found;
}

}  // namespace anecheck::netlist
