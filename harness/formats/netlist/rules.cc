// The rules of network descriptions. The check traverses the property list instead of the plain
// model, so that each violation has the offset of the key or value that breaks the rule.
#include "harness/formats/netlist/rules.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <string>

#include "harness/base/counted.h"
#include "harness/formats/message.h"
#include "harness/formats/netlist/gates.h"
#include "harness/formats/netlist/layers.h"
#include "harness/formats/netlist/model.h"
#include "harness/formats/netlist/port_keys.h"
#include "harness/formats/netlist/walk.h"
#include "harness/formats/rules.h"

namespace anecheck::netlist {

namespace {

using tree::Array;
using tree::Dict;
using tree::Entry;
using tree::Value;

constexpr FactEvidence kReal = FactEvidence::kRealFile;
constexpr FactEvidence kSpec = FactEvidence::kSpecification;
constexpr FactEvidence kPublic = FactEvidence::kPublicNotes;
constexpr FactEvidence kAssumed = FactEvidence::kAssumed;

constexpr WalkRules kRules({
    {"version-known", "Version is 1.0.9 (real files) or 1.0.10 (specification).",
     "real files; specification 000, table 23.1", kReal},
    {"networks-listed", "Networks lists at least one name, and each has a dictionary at the top.",
     "real files; facts/more/netplist_keys.csv", kReal},
    {"entry-points",
     "Each network lists Inputs and Outputs, or the file has a ProcedureList whose entries hold "
     "InputList, OperationList and OutputList.",
     "real files; specification 004, Method", kReal},
    {"port-listed", "Each name in Inputs, Outputs and Constants has a dictionary in the network.",
     "real files; facts/more/netplist_keys.csv", kReal},
    {"unit-listed", "Units lists the layers, and each has a dictionary in the network.",
     "real files; specification 004, Method", kReal},
    {"unit-name-agrees", "A unit's Name is its key in the network.", "real files", kReal},
    {"unit-type-known", "A unit's Type is a native layer.", "facts/native_layers.csv", kSpec},
    {"bottom-count", "A unit has as many Bottoms as its layer's validator accepts.",
     "specification 004, table 26.1; facts/netlist_layers.csv", kSpec},
    {"bottom-defined", "Each Bottom names an input, a constant or a unit.", "real files", kReal},
    {"wiring-acyclic", "No unit depends on its own result.", "no source states it", kAssumed},
    {"param-known", "Each key of Params is one that the layer's parser reads.",
     "specification 004, Method: the exact attribute set, or InvalidParamSyntax", kSpec},
    {"param-required", "Each key that the layer's parser needs is in Params.",
     "specification 004, Method: the exact attribute set, or InvalidParamSyntax", kSpec},
    {"param-required-assumed", "A key that only the layer's meaning requires is in Params.",
     "no source states it", kAssumed},
    {"param-kind",
     "Each value of Params has the kind, and is in the set of values, that its key takes.",
     "facts/netlist_layers.csv; real files", kSpec},
    {"param-name-known",
     "A mode, a type or a kernel's type in Params has a name that some source gives; no source "
     "states whether the compiler knows others.",
     "real files; facts/netlist_layers.csv; facts/enums.json", kAssumed},
    {"element-type-known",
     "The element type of a port, constant or unit is one that some source names; no source states "
     "whether the compiler knows others.",
     "real files; specification 000, table 23.12", kAssumed},
    {"attention-subtracts-max", "SubtractMax of a fused attention is true.",
     "specification 004, fused attention: the default is false, which is wrong for softmax", kSpec},
    {"output-wired", "An output port's Bottom names a unit, an input or a constant.", "real files",
     kReal},
    {"extent-positive", "The extents of a port or constant are 1 or more.", "real files", kReal},
    {"interleave-legal", "An interleave is 1, 2, 3, 4 or 8.", "facts/more/netplist_keys.csv",
     kPublic},
    {"stride-granule", "Strides are multiples of 64 bytes.",
     "real files; specification 000, 64-byte tile granule", kReal},
    {"stride-covers", "A stride covers its content: row, plane, batch, depth.", "real files",
     kReal},
    {"weight-index", "The index of a weight file is below the number of Weights.", "real files",
     kReal},
    {"operation-network", "An operation's NetworkName is in Networks.", "public netlists", kPublic},
    {"procedure-wired",
     "A port of a procedure has a symbol, and its Name is a unit of a network that the procedure "
     "runs.",
     "public netlists", kPublic},
});

struct TypeSize {
  std::string_view type;
  int64_t bytes;
};
constexpr std::array<TypeSize, 8> kTypeSizes = {{{"Float16", 2},
                                                 {"Float32", 4},
                                                 {"Int8", 1},
                                                 {"UInt8", 1},
                                                 {"Int16", 2},
                                                 {"UInt16", 2},
                                                 {"Int32", 4},
                                                 {"UInt32", 4}}};

class Verifier {
 public:
  explicit Verifier(const Value& root) : root_(root) {}

  std::vector<Violation> Run() {
    const Dict* dict = root_.AsDict();
    if (dict == nullptr) {
      Add(kRules["networks-listed"], root_.offset, "the root is no dictionary");
      return std::move(report_).Take();
    }
    CheckVersion(*dict);
    CheckNetworks(*dict);
    CheckProcedures(*dict);
    return std::move(report_).Take();
  }

 private:
  // The symbols of one network that a Bottom may name.
  struct Scope {
    const Dict* dict;
    const Lookup& lookup;
    std::string_view name;
    std::map<std::string_view, bool> sources;       // inputs, constants, units
    std::map<std::string_view, GateOperand> ports;  // operands of sources with a dictionary
    size_t weight_files = 0;
  };

  void Add(const Rule& rule, uint64_t offset, std::string_view message) {
    report_.Say(rule, offset, message);
  }

  void CheckVersion(const Dict& dict) {
    const Value* version = dict.Find("Version");
    const std::string* text = version == nullptr ? nullptr : version->AsString();
    if (text == nullptr) {
      Add(kRules["version-known"], root_.offset, "Version is missing");
    } else if (*text != kVersionPorts && *text != kVersionProcedures) {
      Add(kRules["version-known"], version->offset, "Version is " + Quoted(*text));
    }
  }

  void CheckNetworks(const Dict& dict) {
    const Value* list = dict.Find("Networks");
    const std::vector<const Value*> names = NameValues(list);
    if (names.empty()) {
      Add(kRules["networks-listed"], list == nullptr ? root_.offset : list->offset,
          "Networks lists no network");
    }
    for (const Value* name : names) {
      const Dict* network = DictOf(dict, *name->AsString());
      if (network == nullptr) {
        Add(kRules["networks-listed"], name->offset,
            "network " + Quoted(*name->AsString()) + " has no dictionary");
      } else {
        CheckNetwork(dict, *network, *name);
      }
    }
  }

  void CheckNetwork(const Dict& root, const Dict& network, const Value& name) {
    const Lookup lookup(network);
    Scope scope{&network, lookup, *name.AsString(), {}, {}, 0};
    const bool procedures = root.Find("ProcedureList") != nullptr;
    for (const std::string_view key : {"Inputs", "Outputs"}) {
      const Value* list = network.Find(key);
      if (!procedures && (list == nullptr || list->AsArray() == nullptr)) {
        Add(kRules["entry-points"], root.Find(scope.name)->offset,
            fmt::format("network {} has no {} and the file has no ProcedureList",
                        Quoted(scope.name), key));
      }
    }
    scope.weight_files = NameValues(network.Find("Weights")).size();
    if (procedures) AddProcedureInputs(root, scope);
    CheckPorts(scope, "Inputs", kInputExtents, kInputStrides, "InputType");
    CheckPorts(scope, "Constants", kConstantExtents, kInputStrides, "ConstantType");
    CheckUnits(scope, root.Find(scope.name)->offset);
    CheckOutputs(scope);
    CheckWiring(scope);
  }

  void AddProcedureInputs(const Dict& root, Scope& scope) {
    const Value* list = root.Find("ProcedureList");
    if (list->AsArray() == nullptr) return;
    for (const Value& procedure : *list->AsArray()) {
      if (procedure.AsDict() == nullptr) continue;
      const Value* inputs = procedure.AsDict()->Find("InputList");
      if (inputs == nullptr || inputs->AsArray() == nullptr) continue;
      for (const Value& input : *inputs->AsArray()) {
        if (input.AsDict() == nullptr) continue;
        const Value* symbol = input.AsDict()->Find("InputName");
        if (symbol != nullptr && symbol->AsString() != nullptr) {
          scope.sources.emplace(*symbol->AsString(), true);
          scope.ports.emplace(*symbol->AsString(),
                              PortOperand(*input.AsDict(), kInputExtents, "InputType"));
        }
      }
    }
  }

  void CheckPorts(Scope& scope, std::string_view list, const ExtentKeys& extents,
                  const StrideKeys& strides, std::string_view type_key) {
    for (const Value* name : NameValues(scope.dict->Find(list))) {
      const Entry* port = scope.lookup.Find(*name->AsString());
      if (port == nullptr || port->value.AsDict() == nullptr) {
        Add(kRules["port-listed"], name->offset,
            fmt::format("{} names {}, which has no dictionary", list, Quoted(*name->AsString())));
        continue;
      }
      scope.sources.emplace(*name->AsString(), true);
      scope.ports.emplace(*name->AsString(), PortOperand(*port->value.AsDict(), extents, type_key));
      CheckPort(*port->value.AsDict(), extents, strides, type_key);
      CheckWeightIndex(scope, *port->value.AsDict(), "ConstantIndex");
    }
  }

  static int64_t Extent(const Dict& port, std::string_view key) {
    const Value* value = port.Find(key);
    return value != nullptr && value->AsInteger() != nullptr ? *value->AsInteger() : 1;
  }

  void CheckPort(const Dict& port, const ExtentKeys& extents, const StrideKeys& strides,
                 std::string_view type_key) {
    for (const auto& [key, field] : extents.fields) {
      const Value* value = port.Find(key);
      if (value == nullptr) continue;
      const int64_t* integer = value->AsInteger();
      if (integer == nullptr || *integer < 1) {
        Add(kRules["extent-positive"], value->offset,
            fmt::format("{} is no positive integer", key));
        return;
      }
      if (field == &Extents::interleave) CheckInterleave(*value, key);
    }
    CheckElementType(port, type_key);
    CheckGranule(port, strides);
    CheckCover(port, extents, strides, type_key);
  }

  void CheckElementType(const Dict& dict, std::string_view key) {
    const Value* type = dict.Find(key);
    const std::string* name = type == nullptr ? nullptr : type->AsString();
    if (name == nullptr || std::ranges::find(ElementTypes(), *name) != ElementTypes().end()) return;
    Add(kRules["element-type-known"], type->offset,
        fmt::format("{} is {}, which no source names", key, Quoted(*name)));
  }

  void CheckInterleave(const Value& value, std::string_view key) {
    static constexpr std::array<int64_t, 5> kLegal = {1, 2, 3, 4, 8};
    const int64_t* integer = value.AsInteger();
    if (integer == nullptr || std::ranges::find(kLegal, *integer) == kLegal.end()) {
      Add(kRules["interleave-legal"], value.offset, fmt::format("{} is not 1, 2, 3, 4 or 8", key));
    }
  }

  void CheckGranule(const Dict& port, const StrideKeys& strides) {
    for (const auto& [key, field] : strides.fields) {
      const Value* value = port.Find(key);
      if (value == nullptr) continue;
      const int64_t* integer = value->AsInteger();
      if (integer == nullptr || *integer <= 0 || *integer % 64 != 0) {
        Add(kRules["stride-granule"], value->offset, fmt::format("{} is no multiple of 64", key));
      }
    }
  }

  // Checks only ports without interleave. No source gives the layout of interleaved rows.
  void CheckCover(const Dict& port, const ExtentKeys& extents, const StrideKeys& strides,
                  std::string_view type_key) {
    std::array<int64_t, 6> extent{};
    for (size_t i = 0; i < extent.size(); ++i) extent[i] = Extent(port, extents.fields[i].first);
    const auto& [batch, channels, depth, height, interleave, width] = extent;
    const Value* type = port.Find(type_key);
    if (interleave != 1 || type == nullptr || type->AsString() == nullptr) return;
    const auto size = std::ranges::find(kTypeSizes, *type->AsString(), &TypeSize::type);
    if (size == kTypeSizes.end()) return;
    const struct {
      size_t stride;  // index in StrideKeys
      int64_t count;
    } steps[] = {{3, 0}, {2, height}, {0, channels}, {1, batch}};
    __int128 inside = static_cast<__int128>(width) * size->bytes;
    for (const auto& step : steps) {
      if (step.count != 0) inside *= step.count;
      const std::string_view key = strides.fields[step.stride].first;
      const Value* value = port.Find(key);
      if (value == nullptr || value->AsInteger() == nullptr) return;
      const int64_t stride = *value->AsInteger();
      if (stride % 64 != 0 || stride <= 0) return;  // the rule stride-granule reports it
      if (stride < inside) {
        Add(kRules["stride-covers"], value->offset,
            fmt::format("{} is {}, less than its content", key, stride));
        return;
      }
      inside = stride;
    }
  }

  void CheckWeightIndex(const Scope& scope, const Dict& dict, std::string_view key) {
    const Value* value = dict.Find(key);
    if (value == nullptr || value->AsInteger() == nullptr) return;
    const int64_t index = *value->AsInteger();
    if (index < 0 || static_cast<uint64_t>(index) >= scope.weight_files) {
      Add(kRules["weight-index"], value->offset,
          fmt::format("{} is {}, and Weights lists {}", key, index,
                      Counted(scope.weight_files, "file")));
    }
  }

  void CheckUnits(Scope& scope, uint64_t network_offset) {
    const Value* list = scope.dict->Find("Units");
    if (list == nullptr || list->AsArray() == nullptr) {
      Add(kRules["unit-listed"], network_offset,
          "network " + Quoted(scope.name) + " lists no Units");
      return;
    }
    const std::vector<const Value*> names = NameValues(list);
    for (const Value* name : names) {
      scope.sources.emplace(*name->AsString(), true);
      const Entry* unit = scope.lookup.Find(*name->AsString());
      if (unit == nullptr || unit->value.AsDict() == nullptr) continue;
      scope.ports.emplace(*name->AsString(), UnitOperand(*unit->value.AsDict()));
    }
    for (const Value* name : names) {
      const Entry* unit = scope.lookup.Find(*name->AsString());
      if (unit == nullptr || unit->value.AsDict() == nullptr) {
        Add(kRules["unit-listed"], name->offset,
            "Units names " + Quoted(*name->AsString()) + ", which has no dictionary");
      } else {
        CheckUnit(scope, *unit);
      }
    }
  }

  void CheckUnit(const Scope& scope, const Entry& entry) {
    const Dict& unit = *entry.value.AsDict();
    const Value* name = unit.Find("Name");
    if (name != nullptr && (name->AsString() == nullptr || *name->AsString() != entry.key)) {
      Add(kRules["unit-name-agrees"], name->offset,
          "the Name of unit " + Quoted(entry.key) + " differs");
    }
    const Value* bottoms = unit.Find("Bottom");
    for (const Value* bottom : NameValues(bottoms)) {
      if (!scope.sources.contains(*bottom->AsString())) {
        Add(kRules["bottom-defined"], bottom->offset,
            fmt::format("Bottom {} of unit {} is no input, constant or unit",
                        Quoted(*bottom->AsString()), Quoted(entry.key)));
      }
    }
    for (const std::string_view key : {"InputType", "OutputType"}) CheckElementType(unit, key);
    const Value* type = unit.Find("Type");
    const LayerSpec* layer =
        type == nullptr || type->AsString() == nullptr ? nullptr : FindLayer(*type->AsString());
    if (layer == nullptr) {
      Add(kRules["unit-type-known"], type == nullptr ? entry.value.offset : type->offset,
          fmt::format("unit {} has no Type that names a native layer", Quoted(entry.key)));
      return;
    }
    const size_t count = NameValues(bottoms).size();
    if (count < layer->min_bottoms || count > layer->max_bottoms) {
      Add(kRules["bottom-count"], bottoms == nullptr ? entry.value.offset : bottoms->offset,
          BottomCountMessage(*layer, count));
    } else {
      CheckGates(scope, entry, *layer);
    }
    CheckUnitParams(scope, entry, *layer);
  }

  // Checks the conditions of the layer's validator on the unit and its operands.
  void CheckGates(const Scope& scope, const Entry& entry, const LayerSpec& layer) {
    const Dict& unit = *entry.value.AsDict();
    std::vector<GateOperand> operands;
    for (const Value* bottom : NameValues(unit.Find("Bottom"))) {
      const auto port = scope.ports.find(*bottom->AsString());
      operands.push_back(port != scope.ports.end() ? port->second : GateOperand{});
    }
    for (BrokenGate& broken : FindBrokenGates(layer, unit, operands)) {
      Add(*broken.rule, entry.value.offset,
          fmt::format("unit {}: {}", Quoted(entry.key), broken.text));
    }
  }

  static std::string BottomCountMessage(const LayerSpec& layer, size_t count) {
    // The compiler's messages (facts/more/reject_strings.csv).
    if (layer.type == "SDPA") return "4 or 5 bottoms must be present for SDPA";
    if (layer.type == "MatrixMultiplication") {
      return "Matrix mult. layer can only have two bottoms";
    }
    if (layer.type == "Concat") return "Concat layer must have at least 2 inputs";
    if (layer.type == "Pooling") return "Pool layer must have only one single input.";
    if (layer.type == "Reduction") return "Reduction layer can only have one bottom";
    if (layer.type == "Linear") return "Linear layer must have only one single input.";
    return fmt::format("layer {} takes {} to {} bottoms, not {}", layer.type, layer.min_bottoms,
                       layer.max_bottoms, count);
  }

  void CheckUnitParams(const Scope& scope, const Entry& entry, const LayerSpec& layer) {
    const Dict& unit = *entry.value.AsDict();
    const Value* params = unit.Find("Params");
    for (const ParamFault& fault : FindParamFaults(layer, entry.key, params)) {
      static constexpr std::array<const Rule*, 5> kRuleOf = {
          &kRules["param-known"], &kRules["param-required"], &kRules["param-required-assumed"],
          &kRules["param-kind"], &kRules["param-name-known"]};
      const uint64_t offset = fault.offset == Error::kNoOffset ? entry.value.offset : fault.offset;
      Add(*kRuleOf[static_cast<size_t>(fault.kind)], offset, fault.message);
    }
    if (layer.type == "SDPA") CheckAttention(entry, params);
    if (params == nullptr || params->AsDict() == nullptr) return;
    CheckWeightIndex(scope, *params->AsDict(), "KernelIndex");
    if (const Dict* group = DictOf(*params->AsDict(), "BiasScaleGroupData")) {
      CheckWeightIndex(scope, *group, "BiasIndex");
      CheckWeightIndex(scope, *group, "ScaleIndex");
    }
  }

  void CheckAttention(const Entry& unit, const Value* params) {
    const Dict* dict = params == nullptr ? nullptr : params->AsDict();
    if (params != nullptr && dict == nullptr) return;
    const Value* subtract = dict == nullptr ? nullptr : dict->Find("SubtractMax");
    // The rule param-kind reports a value that is not a boolean.
    if (subtract != nullptr && (subtract->AsBool() == nullptr || *subtract->AsBool())) return;
    Add(kRules["attention-subtracts-max"],
        subtract == nullptr ? unit.value.offset : subtract->offset,
        fmt::format("SubtractMax of unit {} is {}", Quoted(unit.key),
                    subtract == nullptr ? "absent, which means false" : "false"));
  }

  void CheckOutputs(const Scope& scope) {
    for (const Value* name : NameValues(scope.dict->Find("Outputs"))) {
      const Entry* port = scope.lookup.Find(*name->AsString());
      if (port == nullptr || port->value.AsDict() == nullptr) {
        Add(kRules["port-listed"], name->offset,
            "Outputs names " + Quoted(*name->AsString()) + ", which has no dictionary");
        continue;
      }
      const Dict& dict = *port->value.AsDict();
      const std::vector<const Value*> bottoms = NameValues(dict.Find("Bottom"));
      if (bottoms.size() != 1 || !scope.sources.contains(*bottoms[0]->AsString())) {
        Add(kRules["output-wired"], bottoms.empty() ? port->value.offset : bottoms[0]->offset,
            "the Bottom of output " + Quoted(port->key) + " names nothing in the network");
      }
      CheckElementType(dict, "OutputType");
      CheckGranule(dict, kOutputStrides);
      if (const Value* interleave = dict.Find("OutputInterleave")) {
        CheckInterleave(*interleave, "OutputInterleave");
      }
    }
  }

  // Finds cycles with Kahn's algorithm. It repeatedly removes units whose operands are all removed.
  void CheckWiring(const Scope& scope) {
    std::map<std::string_view, size_t> waiting;
    std::multimap<std::string_view, std::string_view> readers;
    const std::vector<const Value*> names = NameValues(scope.dict->Find("Units"));
    for (const Value* name : names) waiting.emplace(*name->AsString(), 0);
    for (auto& [name, count] : waiting) {
      const Entry* unit = scope.lookup.Find(name);
      if (unit == nullptr || unit->value.AsDict() == nullptr) continue;
      for (const Value* bottom : NameValues(unit->value.AsDict()->Find("Bottom"))) {
        if (!waiting.contains(*bottom->AsString())) continue;
        readers.emplace(*bottom->AsString(), name);
        ++count;
      }
    }
    std::vector<std::string_view> ready;
    for (const auto& [name, count] : waiting) {
      if (count == 0) ready.push_back(name);
    }
    size_t settled = 0;
    for (; settled < ready.size(); ++settled) {
      const auto [begin, end] = readers.equal_range(ready[settled]);
      for (auto it = begin; it != end; ++it) {
        if (--waiting[it->second] == 0) ready.push_back(it->second);
      }
    }
    if (settled == waiting.size()) return;
    const auto first =
        std::ranges::find_if(waiting, [](const auto& item) { return item.second != 0; });
    const Entry* unit = scope.lookup.Find(first->first);
    Add(kRules["wiring-acyclic"], unit == nullptr ? root_.offset : unit->key_offset,
        "unit " + Quoted(first->first) + " depends on its own result");
  }

  void CheckProcedures(const Dict& root) {
    const Value* list = root.Find("ProcedureList");
    if (list == nullptr) return;
    if (list->AsArray() == nullptr || list->AsArray()->empty()) {
      Add(kRules["entry-points"], list->offset, "ProcedureList holds no procedure");
      return;
    }
    for (const Value& procedure : *list->AsArray()) {
      const Dict* dict = procedure.AsDict();
      for (const std::string_view key : {"InputList", "OperationList", "OutputList"}) {
        const Value* part = dict == nullptr ? nullptr : dict->Find(key);
        if (part == nullptr || part->AsArray() == nullptr) {
          Add(kRules["entry-points"], procedure.offset, fmt::format("a procedure has no {}", key));
          dict = nullptr;
          break;
        }
      }
      if (dict != nullptr) CheckProcedure(root, *dict);
    }
  }

  void CheckProcedure(const Dict& root, const Dict& procedure) {
    std::vector<const Dict*> networks;
    for (const Value& item : *procedure.Find("OperationList")->AsArray()) {
      const Value* name = item.AsDict() == nullptr ? nullptr : item.AsDict()->Find("NetworkName");
      const std::string* text = name == nullptr ? nullptr : name->AsString();
      bool listed = false;
      for (const Value* network : NameValues(root.Find("Networks"))) {
        listed = listed || (text != nullptr && *network->AsString() == *text);
      }
      if (!listed) {
        Add(kRules["operation-network"], name == nullptr ? item.offset : name->offset,
            "an operation runs a network that Networks does not list");
      } else if (const Dict* network = DictOf(root, *text)) {
        networks.push_back(network);
      }
    }
    CheckProcedurePorts(*procedure.Find("InputList"), "InputName", networks);
    CheckProcedurePorts(*procedure.Find("OutputList"), "OutputName", networks);
    for (const Value& port : *procedure.Find("InputList")->AsArray()) {
      if (port.AsDict() != nullptr) {
        CheckPort(*port.AsDict(), kInputExtents, kInputStrides, "InputType");
      }
    }
  }

  void CheckProcedurePorts(const Value& list, std::string_view symbol_key,
                           const std::vector<const Dict*>& networks) {
    for (const Value& port : *list.AsArray()) {
      const Dict* dict = port.AsDict();
      const Value* symbol = dict == nullptr ? nullptr : dict->Find(symbol_key);
      if (symbol == nullptr || symbol->AsString() == nullptr) {
        Add(kRules["procedure-wired"], port.offset, fmt::format("a port has no {}", symbol_key));
        continue;
      }
      const Value* unit = dict->Find("Name");
      const bool found = unit != nullptr && unit->AsString() != nullptr &&
                         std::ranges::any_of(networks, [&](const Dict* network) {
                           return DictOf(*network, *unit->AsString()) != nullptr;
                         });
      if (!found && !networks.empty()) {
        Add(kRules["procedure-wired"], unit == nullptr ? port.offset : unit->offset,
            fmt::format("the Name of port {} is no unit of its network",
                        Quoted(*symbol->AsString())));
      }
    }
  }

  const Value& root_;
  WalkReport report_;
};

}  // namespace

std::span<const Rule> Rules() {
  static const auto* const kAll = [] {
    auto* all = new std::vector<Rule>(kRules.rules().begin(), kRules.rules().end());
    const std::span<const Rule> gates = GateRules();
    all->insert(all->end(), gates.begin(), gates.end());
    return all;
  }();
  return *kAll;
}

std::vector<Violation> Verify(const Value& root) { return Verifier(root).Run(); }

}  // namespace anecheck::netlist
