#include "generators/formats/e5/e5_generator.h"

#include <array>
#include <fmt/format.h>
#include <utility>

#include "generators/formats/document_edit.h"

namespace anecheck {
namespace {

using e5::Outline;

Outline::Tensor RandomTensor(ChoiceStream& choices, std::string name, uint64_t* next_aperture) {
  static constexpr std::array kTypes = {e5::TensorDataType::kFloat16, e5::TensorDataType::kFloat32,
                                        e5::TensorDataType::kInt8, e5::TensorDataType::kUInt8};
  Outline::Tensor tensor{.name = std::move(name)};
  for (uint64_t& extent : tensor.shape) {
    extent = static_cast<uint64_t>(choices.Pick(std::array<int64_t, 5>{1, 2, 16, 64, 768}));
  }
  tensor.dtype = choices.Pick(kTypes);
  tensor.byte_size = 64 * (1 + choices.Below(1024));
  tensor.aperture_va = *next_aperture;
  // The next window begins on a page boundary, at least one page behind this window.
  *next_aperture += (tensor.byte_size / e5::kStateStride + 2) * e5::kStateStride;
  return tensor;
}

std::vector<Outline::Tensor> RandomTensors(ChoiceStream& choices, std::string_view prefix,
                                           uint64_t count, uint64_t aperture) {
  std::vector<Outline::Tensor> tensors;
  tensors.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    tensors.push_back(RandomTensor(choices, fmt::format("{}{}", prefix, i), &aperture));
  }
  return tensors;
}

std::vector<e5::BuildInfoEntry> RandomBuildInfo(ChoiceStream& choices) {
  static constexpr std::array<std::string_view, 7> kKeys = {"built-for-profiling",
                                                            "input-file-path",
                                                            "on-device-compilation",
                                                            "coremlc-version",
                                                            "espresso-version",
                                                            "milinference-version",
                                                            "platform"};
  std::vector<e5::BuildInfoEntry> entries;
  entries.reserve(kKeys.size());
  for (uint64_t i = 0; i < choices.Below(kKeys.size() + 1); ++i) {
    entries.push_back({std::string(kKeys[i]), fmt::format("{}.{}", choices.Below(4000), i)});
  }
  return entries;
}

// Inserts an operation of another kind between the chain's segments. Such an operation is a bridge.
void AddBridge(ChoiceStream& choices, e5::Program* program) {
  static constexpr std::array kBridges = {e5::OpType::kBnnsCpuInference,
                                          e5::OpType::kMpsGraphInference, e5::OpType::kBarrier};
  auto& operations = program->functions[0].blocks[0].operations;
  size_t first = 0;
  while (operations[first].type != e5::OpType::kAneInference) ++first;
  e5::Operation bridge{.type = choices.Pick(kBridges), .inputs = operations[first].inputs};
  operations.insert(operations.begin() + static_cast<ptrdiff_t>(first) + 1, bridge);
  // The names of operations contain their index, so operations and their symbols get new names.
  std::vector<std::string> symbols;
  for (const std::string& name : program->symbol_names) {
    if (!name.starts_with("Op")) symbols.push_back(name);
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < operations.size(); ++i) {
    operations[i].name = fmt::format("Op{}_{}", i, e5::OpTypeName(operations[i].type));
    names.push_back(operations[i].name);
    for (auto* indices : {&operations[i].inputs, &operations[i].outputs}) {
      for (uint32_t& index : *indices) index %= static_cast<uint32_t>(symbols.size());
    }
  }
  symbols.insert(symbols.end(), names.begin(), names.end());
  program->symbol_names = std::move(symbols);
  program->sections = e5::SectionsOf(*program);
}

Json* Sections(Json& json) {
  const auto found = json["root"].find("sections");
  return found == json["root"].end() ? nullptr : &*found;
}

Json* Part(Json& json) {
  Json* sections = Sections(json);
  if (sections == nullptr || sections->empty() || !(*sections)[0].contains("program")) {
    return nullptr;
  }
  return &(*sections)[0]["program"];
}

Json* Operations(Json& json) {
  Json* part = Part(json);
  if (part == nullptr) return nullptr;
  Json* function = PickElement(*part, "functions", 0);
  Json* block = function == nullptr ? nullptr : PickElement(*function, "blocks", 0);
  return block == nullptr || !block->contains("operations") ? nullptr : &(*block)["operations"];
}

Json* PickOperation(Json& json, uint64_t choice) {
  Json* operations = Operations(json);
  return operations == nullptr || operations->empty() ? nullptr
                                                      : &(*operations)[choice % operations->size()];
}

Json* PickPort(Json& json, const char* direction, uint64_t choice) {
  Json* part = Part(json);
  return part == nullptr ? nullptr : PickElement(*part, direction, choice);
}

Json* PickAlias(Json& json, uint64_t choice) {
  Json* part = Part(json);
  return part == nullptr ? nullptr : PickElement(*part, "alias_symbols", choice);
}

Json* PickTensor(Json& json, uint64_t a, uint64_t b) {
  Json* sections = Sections(json);
  for (size_t i = 0; sections != nullptr && i < sections->size(); ++i) {
    Json& section = (*sections)[(a + i) % sections->size()];
    Json* operand = PickElement(section, "operands", b);
    if (operand != nullptr && operand->contains("descriptor")) return &(*operand)["descriptor"];
  }
  return nullptr;
}

// Renames an operation and the symbol with its name.
bool RenameOperation(Json& json, size_t index, const std::string& name) {
  Json* operations = Operations(json);
  if (operations == nullptr || index >= operations->size()) return false;
  const Json old = std::exchange((*operations)[index]["name"], name);
  // operator[] would add an absent member and so invalidate `operations`.
  if (!json["root"].contains("symbol_names")) return true;
  for (Json& symbol : json["root"]["symbol_names"]) {
    if (symbol == old) symbol = name;
  }
  return true;
}

std::string KindOf(const Json& operation) {
  const std::string name = operation.value("name", "");
  return name.substr(name.find('_') + 1);
}

// ---- edits that break one rule ----

bool LengthenRootVTable(Json& json, uint64_t, uint64_t) {
  for (Json& vtable : json["vtables"]) {
    if (vtable["@"] == json["root"]["@"]["vtable"]) {
      vtable["fields"].push_back(0);
      return true;
    }
  }
  return false;
}

bool ChangeVersion(Json& json, uint64_t a, uint64_t) {
  json["root"]["format_version"] = 5 + a % 1000;
  return true;
}

bool EmptySectionName(Json& json, uint64_t a, uint64_t) {
  Json* operation = PickOperation(json, a);
  if (operation == nullptr) return false;
  const Json frame = std::exchange((*operation)["arg_frame"], "");
  for (Json& section : *Sections(json)) {
    if (section.contains("name") && section["name"] == frame) section["name"] = "";
  }
  return true;
}

bool AddSection(Json& json, uint64_t a, uint64_t) {
  Json* sections = Sections(json);
  if (sections == nullptr) return false;
  sections->push_back({{"name", fmt::format("extra{}", a)}, {"kind", 0}});
  return true;
}

bool SkipOperationNumber(Json& json, uint64_t a, uint64_t) {
  Json* operations = Operations(json);
  if (operations == nullptr || operations->empty()) return false;
  const size_t last = operations->size() - 1;
  return RenameOperation(json, last,
                         fmt::format("Op{}_{}", last + 1 + a % 9, KindOf((*operations)[last])));
}

bool InventKind(Json& json, uint64_t, uint64_t) {
  Json* operations = Operations(json);
  for (size_t i = 0; operations != nullptr && i < operations->size(); ++i) {
    if (KindOf((*operations)[i]) != "Cast") {
      return RenameOperation(json, i, fmt::format("Op{}_Teleport", i));
    }
  }
  return false;
}

bool UncastAnEnd(Json& json, uint64_t a, uint64_t) {
  Json* operations = Operations(json);
  if (operations == nullptr || operations->empty()) return false;
  const size_t index = a % 2 == 0 ? 0 : operations->size() - 1;
  return RenameOperation(json, index, fmt::format("Op{}_Barrier", index));
}

bool RenameOnlyTheOperation(Json& json, uint64_t a, uint64_t) {
  Json* operation = PickOperation(json, a);
  if (operation == nullptr) return false;
  (*operation)["name"] = "another";
  return true;
}

bool UnknownOperationType(Json& json, uint64_t a, uint64_t b) {
  Json* operation = PickOperation(json, a);
  if (operation == nullptr) return false;
  (*operation)["op_type"] = 12 + b % 200;
  return true;
}

bool LoseSection(Json& json, uint64_t a, uint64_t b) {
  Json* operation = PickOperation(json, a);
  if (operation == nullptr) return false;
  (*operation)[b % 2 == 0 ? "arg_frame" : "attrs_section"] = "nowhere";
  return true;
}

bool OperandPastSymbols(Json& json, uint64_t a, uint64_t b) {
  Json* operation = PickOperation(json, a);
  Json* index = operation == nullptr ? nullptr : PickElement(*operation, "inputs", b);
  if (index == nullptr) return false;
  *index = json["root"].at("symbol_names").size() + b;
  return true;
}

bool SwapAttributesKind(Json& json, uint64_t a, uint64_t) {
  Json* operation = PickOperation(json, a);
  if (operation == nullptr) return false;
  (*operation)["op_type"] = (*operation)["op_type"] == "Quant" ? "Dequant" : "Quant";
  return true;
}

bool ForgetProcedure(Json& json, uint64_t, uint64_t) {
  Json* sections = Sections(json);
  for (size_t i = 0; sections != nullptr && i < sections->size(); ++i) {
    Json& section = (*sections)[i];
    if (!section.contains("attrs")) continue;
    Json& blob = section["attrs"]["root"];
    if (blob["attrs_type"] == "AneInferenceAttrs") {
      blob["attrs"]["procedure_name"] = "";
      return true;
    }
  }
  return false;
}

bool DropDimension(Json& json, uint64_t a, uint64_t b) {
  Json* tensor = PickTensor(json, a, b);
  if (tensor == nullptr) return false;
  (*tensor)["dim"].erase(0);
  return true;
}

bool UnknownDtype(Json& json, uint64_t a, uint64_t b) {
  Json* tensor = PickTensor(json, a, b);
  if (tensor == nullptr) return false;
  (*tensor)["storage_type"] = 11 + b % 100;
  return true;
}

bool SamePortName(Json& json, uint64_t, uint64_t) {
  Json* first = PickPort(json, "input_ports", 0);
  Json* second = PickPort(json, "input_ports", 1);
  if (first == nullptr || second == first) return false;
  (*second)["name"] = (*first)["name"];
  return true;
}

bool MisalignPort(Json& json, uint64_t a, uint64_t) {
  Json* port = PickPort(json, "input_ports", a);
  if (port == nullptr) return false;
  (*port)["aperture_va"] = (*port)["aperture_va"].get<uint64_t>() + 64;
  return true;
}

bool OverlapPorts(Json& json, uint64_t, uint64_t) {
  Json* first = PickPort(json, "output_ports", 0);
  Json* second = PickPort(json, "output_ports", 1);
  if (first == nullptr || second == first) return false;
  (*second)["aperture_va"] = (*first)["aperture_va"];
  return true;
}

bool AddPort(Json& json, uint64_t, uint64_t) {
  Json* part = Part(json);
  if (part == nullptr) return false;
  (*part)["input_ports"].push_back(
      {{"name", "surplus"}, {"byte_size", 64}, {"aperture_va", uint64_t{1} << 40}});
  return true;
}

bool AliasPastSymbols(Json& json, uint64_t a, uint64_t b) {
  Json* alias = PickAlias(json, a);
  if (alias == nullptr) return false;
  (*alias)["symbol_index"] = json["root"].at("symbol_names").size() + b;
  return true;
}

bool MisalignState(Json& json, uint64_t a, uint64_t b) {
  Json* alias = PickAlias(json, a);
  if (alias == nullptr) return false;
  (*alias)["addr_offset"] = (*alias)["addr_offset"].get<uint64_t>() + 1 + b % 0x3fff;
  return true;
}

// ---- edits whose effect depends on the file ----

bool SwapPorts(Json& json, uint64_t, uint64_t) {
  Json* first = PickPort(json, "input_ports", 0);
  Json* second = PickPort(json, "input_ports", 1);
  if (first == nullptr || second == first) return false;
  for (const char* key : {"name", "byte_size", "aperture_va"})
    std::swap((*first)[key], (*second)[key]);
  return true;
}

bool AliasSections(Json& json, uint64_t a, uint64_t b) {
  Json* sections = Sections(json);
  if (sections == nullptr || sections->size() < 2) return false;
  const size_t from = a % (sections->size() - 1);
  const size_t to = from + 1 + b % (sections->size() - 1 - from);
  Json same;
  same["@"]["same_as"] = (*sections)[from]["@"]["table"];
  (*sections)[to] = std::move(same);
  return true;
}

bool DropOperation(Json& json, uint64_t a, uint64_t) {
  Json* operations = Operations(json);
  if (operations == nullptr || operations->empty()) return false;
  operations->erase(a % operations->size());
  return true;
}

bool DropBuildInfo(Json& json, uint64_t, uint64_t) { return json["root"].erase("build_info") == 1; }

bool GrowSymbol(Json& json, uint64_t a, uint64_t b) {
  Json* symbol = PickElement(json["root"], "symbol_names", a);
  if (symbol == nullptr) return false;
  *symbol = std::string(1 + b % 300, 'n');
  return true;
}

uint32_t PlaceOf(const Json& places, const char* key) {
  const Json& place = places.at(key);
  return (place.is_array() ? place.at(0) : place).get<uint32_t>();
}

bool OverflowCount(Bytes& bytes, const Json& json, uint64_t a, uint64_t) {
  const uint32_t at = PlaceOf(json.at("root").at("@"), a % 2 == 0 ? "symbol_names" : "sections");
  for (uint32_t i = 0; i < 4; ++i) bytes[at + i] = 0xff;
  return true;
}

// Adds 2^29 elements of 8 bytes to the count, which keeps the size modulo 2^32.
bool WrapCount(Bytes& bytes, const Json& json, uint64_t a, uint64_t b) {
  Json document = json;
  const Json* tensor = PickTensor(document, a, b);
  if (tensor == nullptr) return false;
  bytes[PlaceOf(tensor->at("@"), b % 2 == 0 ? "dim" : "stride") + 3] ^= 0x20;
  return true;
}

// Makes the first section's offset point to the vector that contains the offset.
bool LoopSection(Bytes& bytes, const Json& json, uint64_t, uint64_t) {
  const uint32_t at = PlaceOf(json.at("root").at("@"), "sections");
  if (at + 5 >= bytes.size()) return false;  // an empty vector at the end
  bytes[at + 4] = 0;
  bytes[at + 5] = 0;
  return true;
}

bool CutTerminator(Bytes& bytes, const Json& json, uint64_t a, uint64_t) {
  const Json& places = json.at("root").at("@").at("symbol_names");
  if (places.size() < 2) return false;
  const size_t index = 1 + a % (places.size() - 1);
  const uint32_t at = places.at(index).get<uint32_t>();
  bytes[at + 4 + json.at("root").at("symbol_names").at(index - 1).text().size()] = 'x';
  return true;
}

bool ResizeTable(Bytes& bytes, const Json& json, uint64_t a, uint64_t b) {
  const Json& vtables = json.at("vtables");
  if (vtables.empty()) return false;
  const uint32_t at = vtables.at(a % vtables.size()).at("@").get<uint32_t>();
  bytes[at + 2] = static_cast<uint8_t>(4 * (b % 64));
  return true;
}

bool Truncate(Bytes& bytes, const Json&, uint64_t a, uint64_t b) {
  bytes.resize((a << 16 | b) % bytes.size());
  return true;
}

constexpr DocumentEdit kEdits[] = {
    {"lengthen-root-vtable", "root-vtable", LengthenRootVTable},
    {"change-version", "format-version", ChangeVersion},
    {"empty-section-name", "section-name", EmptySectionName},
    {"add-section", "two-sections-per-operation", AddSection},
    {"skip-operation-number", "operation-symbol-order", SkipOperationNumber},
    {"invent-kind", "operation-symbol-kind", InventKind},
    {"uncast-an-end", "casts-bracket-inference", UncastAnEnd},
    {"rename-operation", "operations-match-symbols", RenameOnlyTheOperation},
    {"unknown-operation-type", "operation-type", UnknownOperationType},
    {"lose-section", "operation-sections", LoseSection},
    {"operand-past-symbols", "operand-symbols", OperandPastSymbols},
    {"swap-attributes-kind", "attrs-member", SwapAttributesKind},
    {"forget-procedure", "inference-procedure", ForgetProcedure},
    {"drop-dimension", "operand-rank", DropDimension},
    {"unknown-dtype", "operand-dtype", UnknownDtype},
    {"same-port-name", "port-names", SamePortName},
    {"misalign-port", "port-alignment", MisalignPort},
    {"overlap-ports", "port-overlap", OverlapPorts},
    {"add-port", "port-casts", AddPort},
    {"alias-past-symbols", "alias-symbol", AliasPastSymbols},
    {"misalign-state", "state-strides", MisalignState},
    {"swap-ports", "", SwapPorts},
    {"alias-sections", "", AliasSections},
    {"drop-operation", "", DropOperation},
    {"drop-build-info", "", DropBuildInfo},
    {"grow-symbol", "", GrowSymbol},
    {"overflow-count", "", nullptr, OverflowCount},
    {"wrap-count", "", nullptr, WrapCount},
    {"loop-section", "", nullptr, LoopSection},
    {"cut-terminator", "", nullptr, CutTerminator},
    {"resize-table", "", nullptr, ResizeTable},
    {"truncate", "", nullptr, Truncate},
};

constexpr auto kMutations = MakeMutationKinds<kFormat_e5, kEdits>();

void DropComponentPack(Json* json) {
  if (json->is_object()) json->erase("component_pack");
  for (Json& child : *json) {
    if (child.is_structured()) DropComponentPack(&child);
  }
}

// Exchanges the last two root fields, which may have either order.
void SwapRootFields(Json* json) {
  for (Json& vtable : (*json)["vtables"]) {
    if (vtable["@"] == (*json)["root"]["@"]["vtable"]) vtable["fields"] = {4, 8, 16, 12};
  }
}

Bytes Generate(ChoiceStream& choices) {
  e5::Program program = e5::MakeProgram(GenerateE5Outline(choices));
  if (choices.Chance(1, 4)) AddBridge(choices, &program);
  Bytes bytes = e5::Write(program).value();
  const uint64_t variant = choices.Below(8);
  if (variant < 5) return bytes;
  Json json = kFormat_e5.to_json(bytes).value();
  if (variant == 5) SwapRootFields(&json);
  if (variant == 6) DropComponentPack(&json["root"]["sections"]);
  if (variant == 7) json["root"]["build_info"].erase("entries");
  return kFormat_e5.from_json(json).value();
}

}  // namespace

e5::Outline GenerateE5Outline(ChoiceStream& choices) {
  Outline outline;
  outline.inputs = RandomTensors(choices, "x", 1 + choices.Below(3), 0x30000000);
  outline.outputs = RandomTensors(choices, "y", 1 + choices.Below(3), 0x50000000);
  outline.states = RandomTensors(choices, "state", choices.Below(6), 0x70000000);
  outline.segments = 1 + static_cast<uint32_t>(choices.Below(4));
  const uint64_t high = choices.Word();
  outline.anehash = fmt::format("{:016x}{:016x}", high, choices.Word());
  outline.build_info = RandomBuildInfo(choices);
  return outline;
}

const DescriptorGenerator kGenerator_e5 = {
    .format = "e5", .generate = Generate, .mutations = kMutations};

}  // namespace anecheck
