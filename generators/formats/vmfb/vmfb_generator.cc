#include "generators/formats/vmfb/vmfb_generator.h"

#include <array>
#include <string>

#include "generators/formats/document_edit.h"
#include "generators/formats/vmfb/vmfb_modules.h"
#include "harness/formats/vmfb/vmfb.h"

namespace anecheck {
namespace {

Json& Root(Json& json) { return json["module"]["root"]; }

Json* PickSignatureTypes(Json& json, uint64_t a) {
  for (const char* list : {"internal_functions", "exported_functions", "imported_functions"}) {
    Json* holder = PickElement(Root(json), list, a);
    if (holder == nullptr || !holder->contains("signature")) continue;
    for (const char* kind : {"argument_types", "result_types"}) {
      Json* id = PickElement((*holder)["signature"], kind, a);
      if (id != nullptr) return id;
    }
  }
  return nullptr;
}

Json* PickDescriptor(Json& json, uint64_t a) {
  return PickElement(Root(json), "function_descriptors", a);
}

Json* Debug(Json& json) {
  const auto found = Root(json).find("debug_database");
  return found == Root(json).end() ? nullptr : &*found;
}

// Picks an entry of a source map, and sets `function` to the index of its function. May be null.
Json* PickMapEntry(Json& json, uint64_t a, size_t* function) {
  Json* debug = Debug(json);
  if (debug == nullptr || !debug->contains("functions") || (*debug)["functions"].empty()) {
    return nullptr;
  }
  *function = a % (*debug)["functions"].size();
  return PickElement((*debug)["functions"][*function], "locations", a);
}

// ---- edits that break one rule ----

bool TypePastTable(Json& json, uint64_t a, uint64_t b) {
  Json* id = PickSignatureTypes(json, a);
  if (id == nullptr) return false;
  *id = Root(json).at("types").size() + b;
  return true;
}

bool UnnameType(Json& json, uint64_t a, uint64_t) {
  Json* type = PickElement(Root(json), "types", a);
  if (type == nullptr) return false;
  (*type)["full_name"] = "";
  return true;
}

bool ExportPastFunctions(Json& json, uint64_t a, uint64_t b) {
  Json* entry = PickElement(Root(json), "exported_functions", a);
  if (entry == nullptr) return false;
  (*entry)["internal_ordinal"] = Root(json).at("function_descriptors").size() + b;
  return true;
}

bool ForgetConvention(Json& json, uint64_t a, uint64_t) {
  Json* entry = PickElement(Root(json), "exported_functions", a);
  if (entry == nullptr || json["form"] == "BMOD") return false;
  if (entry->contains("signature")) {
    (*entry)["signature"].erase("calling_convention");
    return true;
  }
  const size_t ordinal = entry->value("internal_ordinal", size_t{0});
  // If another export refers to the same function, the edit breaks the rule twice.
  Root(json)["function_signatures"].at(ordinal)["calling_convention"] = "";
  return true;
}

bool UnqualifyImport(Json& json, uint64_t a, uint64_t) {
  Json* import = PickElement(Root(json), "imported_functions", a);
  if (import == nullptr) return false;
  (*import)["full_name"] = "unqualified";
  return true;
}

bool LoseFunction(Json& json, uint64_t, uint64_t) {
  for (const char* list : {"internal_functions", "function_signatures"}) {
    if (!Root(json).contains(list) || Root(json)[list].empty()) continue;
    Root(json)[list].erase(Root(json)[list].size() - 1);
    return true;
  }
  return false;
}

bool OverrunBytecode(Json& json, uint64_t a, uint64_t b) {
  Json* descriptor = PickDescriptor(json, a);
  if (descriptor == nullptr) return false;
  (*descriptor)["bytecode_length"] = 0x7fff0000 - b;
  return true;
}

bool NegativeCount(Json& json, uint64_t a, uint64_t b) {
  Json* descriptor = PickDescriptor(json, a);
  if (descriptor == nullptr) return false;
  (*descriptor)[b % 2 == 0 ? "i32_register_count" : "ref_register_count"] =
      -1 - static_cast<int64_t>(b % 100);
  return true;
}

bool LocationPastTable(Json& json, uint64_t a, uint64_t b) {
  size_t function = 0;
  Json* entry = PickMapEntry(json, a, &function);
  if (entry == nullptr || !Debug(json)->contains("location_table")) return false;
  (*entry)["location"] = Debug(json)->at("location_table").size() + b;
  return true;
}

bool LoopLocation(Json& json, uint64_t, uint64_t) {
  Json* debug = Debug(json);
  if (debug == nullptr || !debug->contains("location_table")) return false;
  for (size_t i = 0; i < (*debug)["location_table"].size(); ++i) {
    Json& location = (*debug)["location_table"][i];
    for (const char* child : {"child_location", "callee"}) {
      if (!location.contains(child)) continue;
      location[child] = i;
      return true;
    }
  }
  return false;
}

bool LoseSourceMap(Json& json, uint64_t, uint64_t) {
  Json* debug = Debug(json);
  if (debug == nullptr || !debug->contains("functions") || (*debug)["functions"].empty()) {
    return false;
  }
  (*debug)["functions"].erase((*debug)["functions"].size() - 1);
  return true;
}

bool MapPastFunction(Json& json, uint64_t a, uint64_t b) {
  size_t function = 0;
  Json* entry = PickMapEntry(json, a, &function);
  if (entry == nullptr) return false;
  const auto length =
      Root(json)["function_descriptors"].at(function)["bytecode_length"].get<uint64_t>();
  (*entry)["bytecode_offset"] = length + b;
  return true;
}

bool ExternalPastFile(Json& json, uint64_t, uint64_t b) {
  if (!Root(json).contains("rodata_segments")) return false;
  for (Json& segment : Root(json)["rodata_segments"]) {
    if (!segment.contains("external_data_length")) continue;
    segment["external_data_offset"] = json["module"]["size"].get<uint64_t>() + b;
    return true;
  }
  return false;
}

bool WrongSizePrefix(Json& json, uint64_t a, uint64_t) {
  if (json["container"] != "archive") return false;
  json["module"]["size_prefix"] = json["module"]["size_prefix"].get<uint64_t>() + 1 + a;
  return true;
}

bool WrongChecksum(Json& json, uint64_t a, uint64_t) {
  if (!json.contains("zip")) return false;
  json["zip"]["computed"] = false;
  Json* entry = PickElement(json["zip"], "entries", a);
  if (entry == nullptr) return false;
  Json& crc = (*entry)["central"]["crc32"];
  crc = crc.get<uint64_t>() ^ 1;
  return true;
}

// ---- edits whose effect depends on the file ----

bool AliasBytecode(Json& json, uint64_t, uint64_t) {
  Json* first = PickDescriptor(json, 0);
  Json* second = PickDescriptor(json, 1);
  if (first == nullptr || first == second) return false;
  (*second)["bytecode_offset"] = (*first)["bytecode_offset"];
  return true;
}

bool AliasTypes(Json& json, uint64_t, uint64_t) {
  Json& root = Root(json);
  if (!root.contains("types") || root["types"].size() < 2) return false;
  Json same;
  same["@"]["same_as"] = root["types"][0]["@"]["table"];
  root["types"].back() = std::move(same);
  return true;
}

bool DropDebug(Json& json, uint64_t, uint64_t) { return Root(json).erase("debug_database") == 1; }

bool GrowName(Json& json, uint64_t, uint64_t b) {
  Root(json)["name"] = std::string(1 + b % 300, 'm');
  return true;
}

bool SwapExports(Json& json, uint64_t, uint64_t) {
  Json* first = PickElement(Root(json), "exported_functions", 0);
  Json* second = PickElement(Root(json), "exported_functions", 1);
  if (first == nullptr || first == second) return false;
  std::swap((*first)["local_name"], (*second)["local_name"]);
  return true;
}

uint32_t PlaceOf(const Json& json, const char* key) {
  const Json& place = json.at("module").at("root").at("@").at(key);
  return (place.is_array() ? place.at(0) : place).get<uint32_t>();
}

bool OverflowCount(Bytes& bytes, const Json& json, uint64_t a, uint64_t) {
  const uint32_t at = PlaceOf(json, a % 2 == 0 ? "types" : "function_descriptors");
  for (uint32_t i = 0; i < 4; ++i) bytes[at + i] = 0xff;
  return true;
}

// Sets the root's offset to 0, so that the root begins at its own offset field.
bool LoopRoot(Bytes& bytes, const Json& json, uint64_t, uint64_t) {
  const uint32_t start = json.at("module").value("start", 0u);
  for (uint32_t i = 0; i < 4; ++i) bytes[start + i] = 0;
  return true;
}

bool CutTerminator(Bytes& bytes, const Json& json, uint64_t, uint64_t) {
  const std::string name = json.at("module").at("root").at("name").get<std::string>();
  bytes[PlaceOf(json, "name") + 4 + name.size()] = 'x';
  return true;
}

bool ResizeTable(Bytes& bytes, const Json& json, uint64_t a, uint64_t b) {
  const Json& vtables = json.at("module").at("vtables");
  if (vtables.empty()) return false;
  const uint32_t at = vtables.at(a % vtables.size()).at("@").get<uint32_t>();
  bytes[at + 2] = static_cast<uint8_t>(4 * (b % 64));
  return true;
}

bool ChangeIdentifier(Bytes& bytes, const Json& json, uint64_t a, uint64_t) {
  bytes[json.at("module").value("start", 0u) + 4 + a % 4] ^= 0x20;
  return true;
}

bool Truncate(Bytes& bytes, const Json&, uint64_t a, uint64_t b) {
  bytes.resize((a << 16 | b) % bytes.size());
  return true;
}

constexpr DocumentEdit kEdits[] = {
    {"type-past-table", "type-id", TypePastTable},
    {"unname-type", "type-name", UnnameType},
    {"export-past-functions", "export-ordinal", ExportPastFunctions},
    {"forget-convention", "export-calling-convention", ForgetConvention},
    {"unqualify-import", "import-name", UnqualifyImport},
    {"lose-function", "function-descriptors", LoseFunction},
    {"overrun-bytecode", "bytecode-range", OverrunBytecode},
    {"negative-count", "counts", NegativeCount},
    {"location-past-table", "location-index", LocationPastTable},
    {"loop-location", "location-cycle", LoopLocation},
    {"lose-source-map", "source-map-count", LoseSourceMap},
    {"map-past-function", "source-map-offset", MapPastFunction},
    {"external-past-file", "external-data", ExternalPastFile},
    {"wrong-size-prefix", "size-prefix", WrongSizePrefix},
    {"wrong-checksum", "zip-records", WrongChecksum},
    {"alias-bytecode", "", AliasBytecode},
    {"alias-types", "", AliasTypes},
    {"drop-debug", "", DropDebug},
    {"grow-name", "", GrowName},
    {"swap-exports", "", SwapExports},
    {"overflow-count", "", nullptr, OverflowCount},
    {"loop-root", "", nullptr, LoopRoot},
    {"cut-terminator", "", nullptr, CutTerminator},
    {"resize-table", "", nullptr, ResizeTable},
    {"change-identifier", "", nullptr, ChangeIdentifier},
    {"truncate", "", nullptr, Truncate},
};

constexpr auto kMutations = MakeMutationKinds<kFormat_vmfb, kEdits>();

Bytes Generate(ChoiceStream& choices) {
  static constexpr std::array<std::string_view, 3> kLaterForms = {"2022-05", "2022-09", "2023-06"};
  const uint64_t kind = choices.Below(8);
  if (kind < 4) {
    return Generate2019Module(choices, 1 + static_cast<uint32_t>(choices.Below(5)),
                              kind == 3 ? "BMOD" : "IREE");
  }
  const std::string_view form = choices.Pick(kLaterForms);
  if (kind < 6) return kFormat_vmfb.from_json(LaterModule(choices, form)).value();
  return GenerateArchive(choices, form);
}

}  // namespace

const DescriptorGenerator kGenerator_vmfb = {
    .format = "vmfb", .generate = Generate, .mutations = kMutations};

}  // namespace anecheck
