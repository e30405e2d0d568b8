// Draws modules. A module of the 2019 form is made with flatc's accessors, a module of a later form
// is made from the JSON form, and an archive is made record by record.
#include "generators/formats/vmfb/vmfb_modules.h"

#include <array>
#include <fmt/format.h>

#include "generators/formats/vmfb/vmfb_generator.h"
#include "harness/base/json.h"
#include "harness/base/little_endian.h"
#include "harness/base/round_up.h"
#include "harness/formats/flatbuffer/document_json.h"
#include "harness/formats/vmfb/module_writer.h"
#include "harness/formats/vmfb/vmfb.h"

namespace anecheck {
namespace {

namespace v = iree::vm::form_2019_12;

constexpr std::array<std::string_view, 6> kTypeNames = {
    "i32", "i64", "!hal.buffer", "!hal.buffer_view", "!hal.device", "!vm.buffer"};
constexpr std::array<std::string_view, 4> kImportNames = {
    "hal.ex.shared_device", "hal.allocator.allocate", "hal.buffer_view.create", "vm.print"};
constexpr std::array<std::string_view, 4> kConventions = {"0v_v", "0r_r", "0rr_r", "0riCiD_r"};

std::string Pick(ChoiceStream& choices, std::span<const std::string_view> names) {
  return std::string(choices.Pick(names));
}

std::vector<int32_t> TypeIds(ChoiceStream& choices, size_t types) {
  std::vector<int32_t> ids(choices.Below(4));
  for (int32_t& id : ids) id = static_cast<int32_t>(choices.Below(types));
  return ids;
}

std::unique_ptr<v::FunctionSignatureDefT> Signature(ChoiceStream& choices, size_t types) {
  auto signature = std::make_unique<v::FunctionSignatureDefT>();
  signature->argument_types = TypeIds(choices, types);
  signature->result_types = TypeIds(choices, types);
  signature->calling_convention = Pick(choices, kConventions);
  if (choices.Coin()) {
    signature->reflection_attrs.push_back(std::make_unique<v::ReflectionAttrDefT>());
    signature->reflection_attrs.back()->key = "f";
    signature->reflection_attrs.back()->value = fmt::format("I{}!", choices.Below(100));
  }
  return signature;
}

// A location refers only to earlier locations, so locations cannot form a cycle.
v::LocationTypeDefUnion Location(ChoiceStream& choices, int32_t index) {
  const auto earlier = [&] {
    return static_cast<int32_t>(choices.Below(static_cast<uint64_t>(index)));
  };
  v::LocationTypeDefUnion location;
  switch (index == 0 ? 0 : choices.Below(4)) {
    case 0: {
      v::FileLineColLocDefT made;
      made.filename = fmt::format("file{}.mlir", choices.Below(3));
      made.line = static_cast<int32_t>(choices.Below(500));
      made.column = static_cast<int32_t>(choices.Below(80));
      location.Set(std::move(made));
      break;
    }
    case 1: {
      v::CallSiteLocDefT made;
      made.callee = earlier();
      made.caller = earlier();
      location.Set(made);
      break;
    }
    case 2: {
      v::FusedLocDefT made;
      made.metadata = "fused";
      for (uint64_t i = choices.Below(4); i > 0; --i) made.locations.push_back(earlier());
      location.Set(std::move(made));
      break;
    }
    default: {
      v::NameLocDefT made;
      made.name = fmt::format("loc{}", index);
      made.child_location = earlier();
      location.Set(std::move(made));
    }
  }
  return location;
}

std::unique_ptr<v::DebugDatabaseDefT> Debug(ChoiceStream& choices,
                                            const v::BytecodeModuleDefT& module) {
  auto debug = std::make_unique<v::DebugDatabaseDefT>();
  const auto count = static_cast<int32_t>(module.function_descriptors.size() + choices.Below(6));
  for (int32_t i = 0; i < count; ++i) debug->location_table.push_back(Location(choices, i));
  for (const v::FunctionDescriptor& function : module.function_descriptors) {
    debug->functions.push_back(std::make_unique<v::FunctionSourceMapDefT>());
    for (int32_t at = 0; at < function.bytecode_length(); at += 7) {
      debug->functions.back()->locations.emplace_back(
          at, static_cast<int32_t>(choices.Below(static_cast<uint64_t>(count))));
    }
  }
  return debug;
}

void AddFunctions(ChoiceStream& choices, uint32_t count, v::BytecodeModuleDefT* module) {
  for (uint32_t i = 0; i < count; ++i) {
    const auto begin = static_cast<int32_t>(module->bytecode_data.size());
    const auto length = static_cast<int32_t>(8 * (1 + choices.Below(12)));
    for (int32_t byte = 0; byte < length; ++byte) {
      module->bytecode_data.push_back(static_cast<uint8_t>(choices.Below(128)));
    }
    const auto i32_registers = static_cast<int16_t>(choices.Below(40));
    const auto ref_registers = static_cast<int16_t>(choices.Below(20));
    module->function_descriptors.emplace_back(begin, length, i32_registers, ref_registers);
    module->internal_functions.push_back(std::make_unique<v::InternalFunctionDefT>());
    module->internal_functions.back()->local_name = fmt::format("function{}", i);
    module->internal_functions.back()->signature = Signature(choices, module->types.size());
    if (i != 0 && choices.Coin()) continue;
    module->exported_functions.push_back(std::make_unique<v::ExportFunctionDefT>());
    module->exported_functions.back()->local_name = fmt::format("function{}", i);
    module->exported_functions.back()->signature = Signature(choices, module->types.size());
    module->exported_functions.back()->internal_ordinal = static_cast<int32_t>(i);
  }
}

void AddData(ChoiceStream& choices, v::BytecodeModuleDefT* module) {
  for (uint64_t i = choices.Below(4); i > 0; --i) {
    module->rodata_segments.push_back(std::make_unique<v::RodataSegmentDefT>());
    module->rodata_segments.back()->data.resize(1 + choices.Below(40), 0x11);
    if (choices.Coin()) {
      module->rodata_segments.back()->compression_type.Set(v::UncompressedDataDefT());
    }
  }
  for (uint64_t i = choices.Below(3); i > 0; --i) {
    module->rwdata_segments.push_back(std::make_unique<v::RwdataSegmentDefT>());
    module->rwdata_segments.back()->byte_size = static_cast<int32_t>(choices.Below(4096));
  }
  if (choices.Coin()) {
    module->module_state = std::make_unique<v::ModuleStateDefT>();
    module->module_state->global_bytes_capacity = static_cast<int32_t>(choices.Below(64));
    module->module_state->global_ref_count = static_cast<int32_t>(choices.Below(8));
  }
}

// ---- later forms, from the 2019 module's JSON ----

void DropPlaces(Json* json) {
  if (json->is_object()) {
    for (const char* key : {"@", "vtables", "unknown", "overlapping"}) json->erase(key);
  }
  for (Json& child : *json) {
    if (child.is_structured()) DropPlaces(&child);
  }
}

// Visits the elements of an array that may be absent. operator[] would add a null member.
template <typename Visitor>
void ForEach(Json* parent, const char* key, Visitor visit) {
  const auto found = parent->find(key);
  if (found == parent->end()) return;
  for (Json& element : *found) visit(element);
}

bool IsLater(std::string_view form) { return form == "2022-09" || form == "2023-06"; }

void ConvertSignature(std::string_view form, Json* holder) {
  if (!holder->contains("signature") || !IsLater(form)) return;
  Json& signature = (*holder)["signature"];
  signature.erase("argument_types");
  signature.erase("result_types");
  if (signature.contains("reflection_attrs")) {
    signature["attrs"] = signature["reflection_attrs"];
    signature.erase("reflection_attrs");
  }
}

void ConvertFunctions(std::string_view form, Json* root) {
  ForEach(root, "imported_functions", [&](Json& import) { ConvertSignature(form, &import); });
  ForEach(root, "exported_functions", [&](Json& entry) {
    ConvertSignature(form, &entry);
    if (form == "2023-06") entry.erase("signature");
  });
  Json internal = std::move((*root)["internal_functions"]);
  root->erase("internal_functions");
  if (form != "2023-06") return;
  Json signatures = Json::array();
  for (Json& function : internal) {
    ConvertSignature(form, &function);
    signatures.push_back(function["signature"]);
  }
  (*root)["function_signatures"] = std::move(signatures);
  ForEach(root, "function_descriptors", [](Json& descriptor) {
    descriptor["requirements"] = 0;
    descriptor["reserved"] = 0;
    descriptor["block_count"] = 1;
  });
}

}  // namespace

Bytes Generate2019Module(ChoiceStream& choices, uint32_t functions, const char* identifier) {
  v::BytecodeModuleDefT module;
  module.name = fmt::format("module{}", choices.Below(10));
  for (uint64_t i = 1 + choices.Below(kTypeNames.size()); i > 0; --i) {
    module.types.push_back(std::make_unique<v::TypeDefT>());
    module.types.back()->full_name = kTypeNames[i - 1];
  }
  for (uint64_t i = choices.Below(5); i > 0; --i) {
    module.imported_functions.push_back(std::make_unique<v::ImportFunctionDefT>());
    module.imported_functions.back()->full_name = Pick(choices, kImportNames);
    module.imported_functions.back()->signature = Signature(choices, module.types.size());
  }
  AddFunctions(choices, functions, &module);
  AddData(choices, &module);
  if (choices.Chance(2, 3)) module.debug_database = Debug(choices, module);
  return vmfb::WriteModule(module, identifier);
}

Json LaterModule(ChoiceStream& choices, std::string_view form) {
  const Bytes bytes = Generate2019Module(choices, 1 + static_cast<uint32_t>(choices.Below(4)));
  Json json = kFormat_vmfb.to_json(bytes).value();
  json["form"] = form;
  Json& module = json["module"];
  DropPlaces(&module);
  module["size"] = 0;
  Json& root = module["root"];
  root["bytecode_version"] = 0x000d0000 + choices.Below(3);
  if (IsLater(form)) {
    root["version"] = choices.Below(3);
    root["dependencies"] = Json::array({{{"name", "hal"}, {"minimum_version", 4}}});
    if (choices.Coin()) root["attrs"] = Json::array({{{"key", "k"}, {"value", "v"}}});
  }
  if (form == "2023-06") root["requirements"] = "EXT_F32";
  ConvertFunctions(form, &root);
  ForEach(&root, "rodata_segments", [](Json& segment) {
    segment["embedded_data"] = segment["data"];
    segment.erase("data");
  });
  return json;
}

// ---- archives ----

namespace {

using vmfb::ZipRecord;
using vmfb::ZipRecordKind;

constexpr uint32_t kAlignment = 64;
constexpr uint64_t kSaturated = 0xffffffff;

vmfb::ZipExtra WideExtra(std::initializer_list<uint64_t> values) {
  vmfb::ZipExtra extra{.id = 1, .data = Bytes(8 * values.size())};
  size_t at = 0;
  for (const uint64_t value : values) {
    StoreLittle(&extra.data[at], value, 8);
    at += 8;
  }
  return extra;
}

// Makes a header with an extra record, as in real archives, that aligns the data to 64 bytes.
ZipRecord LocalHeader(std::string_view name, uint32_t at) {
  ZipRecord record{.kind = ZipRecordKind::kLocal, .at = at};
  record.name.assign(name.begin(), name.end());
  record.values[0] = 45;
  record.values[4] = 0x21;
  record.values[vmfb::kLocalCompressed] = kSaturated;
  record.values[vmfb::kLocalUncompressed] = kSaturated;
  record.extra.push_back({.id = 0xfeca});
  record.extra.push_back(WideExtra({0, 0}));
  const size_t end = at + vmfb::ZipRecordSize(record);
  record.extra[0].data.resize(RoundUp(end, kAlignment) - end);
  return record;
}

ZipRecord CentralHeader(const ZipRecord& local) {
  ZipRecord record{.kind = ZipRecordKind::kCentral};
  record.name = local.name;
  record.values[0] = 0x31e;
  record.values[1] = 45;
  record.values[5] = 0x21;
  record.values[vmfb::kCentralCompressed] = kSaturated;
  record.values[vmfb::kCentralUncompressed] = kSaturated;
  record.values[vmfb::kCentralLocalOffset] = kSaturated;
  record.extra.push_back(WideExtra({0, 0, 0}));
  return record;
}

void Append(Bytes* file, size_t at, ByteSpan bytes) {
  file->resize(at);
  file->insert(file->end(), bytes.begin(), bytes.end());
}

void AddEntry(std::string_view name, ByteSpan data, vmfb::ZipArchive* zip, Bytes* file) {
  vmfb::ZipEntry entry;
  entry.local = LocalHeader(name, static_cast<uint32_t>(RoundUp(file->size(), kAlignment)));
  entry.central = CentralHeader(entry.local);
  Append(file, entry.local.at, vmfb::WriteZipRecord(entry.local));
  entry.data_at = file->size();
  entry.data_size = data.size();
  Append(file, file->size(), data);
  zip->entries.push_back(std::move(entry));
}

void PlaceRecord(ZipRecord* record, Bytes* file) {
  record->at = static_cast<uint32_t>(file->size());
  file->resize(file->size() + vmfb::ZipRecordSize(*record));
}

void Finish(vmfb::ZipArchive* zip, Bytes* file) {
  zip->directory_at = file->size();
  for (vmfb::ZipEntry& entry : zip->entries) PlaceRecord(&entry.central, file);
  zip->directory_size = file->size() - zip->directory_at;
  const uint64_t count = zip->entries.size();
  zip->end64 = ZipRecord{.kind = ZipRecordKind::kEnd64};
  zip->end64->values = {44, 45, 45, 0, 0, count, count};
  PlaceRecord(&*zip->end64, file);
  zip->locator64 = ZipRecord{.kind = ZipRecordKind::kLocator64};
  zip->locator64->values[2] = 1;
  PlaceRecord(&*zip->locator64, file);
  zip->end = ZipRecord{.kind = ZipRecordKind::kEnd};
  zip->end.values = {0, 0, count, count, kSaturated, kSaturated};
  PlaceRecord(&zip->end, file);
  vmfb::SettleZip(zip, *file);
  for (const ZipRecord* record : vmfb::ZipRecords(zip)) {
    const Bytes bytes = vmfb::WriteZipRecord(*record);
    std::copy(bytes.begin(), bytes.end(), file->begin() + record->at);
  }
}

}  // namespace

Bytes GenerateArchive(ChoiceStream& choices, std::string_view form) {
  Json json = LaterModule(choices, form);
  const Bytes payload(1 + choices.Below(200), 0x77);
  Json& module = json["module"];
  const bool external = choices.Coin();
  if (external) {
    // Offsets count from the module's end rounded up to 64, where the next header begins.
    const size_t header = vmfb::ZipRecordSize(LocalHeader("executable.bin", 0));
    module["root"]["rodata_segments"].push_back(
        {{"external_data_offset", header}, {"external_data_length", payload.size()}});
  }
  module["start"] = 4;
  module["size_prefix"] = 0;
  module["size_prefix"] = kFormat_vmfb.from_json(json).value().size();
  const Bytes flat = kFormat_vmfb.from_json(json).value();
  vmfb::ZipArchive zip;
  Bytes file;
  AddEntry("module.fb", flat, &zip, &file);
  if (external || choices.Coin()) AddEntry("executable.bin", payload, &zip, &file);
  Finish(&zip, &file);
  return file;
}

}  // namespace anecheck
