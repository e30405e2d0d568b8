// The forms of the module schema, and the search for the module in its file.
#include <algorithm>
#include <fmt/format.h>

#include "generated/flatbuffer_schemas/vmfb_schema/module_2019_12_bfbs_generated.h"
#include "generated/flatbuffer_schemas/vmfb_schema/module_2022_05_bfbs_generated.h"
#include "generated/flatbuffer_schemas/vmfb_schema/module_2022_09_bfbs_generated.h"
#include "generated/flatbuffer_schemas/vmfb_schema/module_2023_06_bfbs_generated.h"
#include "harness/formats/flatbuffer/shape.h"
#include "harness/formats/vmfb/vmfb.h"

namespace anecheck::vmfb {
namespace {

using flatbuffer::Schema;

// The name of the entry with the module in real archives. Loaders search for it.
constexpr std::string_view kModuleEntry = "module.fb";

int IdOf(const Schema& schema, std::string_view table, std::string_view field) {
  const int16_t index = schema.FindTable(table);
  if (index < 0) return -1;
  const flatbuffer::Field* found = schema.tables[index].FindField(field);
  return found == nullptr ? -1 : found->id;
}

int OffsetOf(const Schema& schema, std::string_view field) {
  const int16_t index = schema.FindTable("FunctionDescriptor");
  const flatbuffer::Field* found = schema.tables[index].FindField(field);
  return found == nullptr ? -1 : static_cast<int>(found->struct_offset);
}

FieldIds IdsOf(const Schema& schema) {
  const auto id = [&](std::string_view table, std::string_view field) {
    return IdOf(schema, table, field);
  };
  const auto root = [&](std::string_view field) { return id("BytecodeModuleDef", field); };
  const int embedded = id("RodataSegmentDef", "embedded_data");
  return {.name = root("name"),
          .types = root("types"),
          .dependencies = root("dependencies"),
          .imports = root("imported_functions"),
          .exports = root("exported_functions"),
          .internal_functions = root("internal_functions"),
          .signatures = root("function_signatures"),
          .rodata = root("rodata_segments"),
          .rwdata = root("rwdata_segments"),
          .state = root("module_state"),
          .descriptors = root("function_descriptors"),
          .bytecode_version = root("bytecode_version"),
          .bytecode = root("bytecode_data"),
          .debug = root("debug_database"),
          .signature_arguments = id("FunctionSignatureDef", "argument_types"),
          .signature_results = id("FunctionSignatureDef", "result_types"),
          .signature_convention = id("FunctionSignatureDef", "calling_convention"),
          .export_name = id("ExportFunctionDef", "local_name"),
          .export_signature = id("ExportFunctionDef", "signature"),
          .export_ordinal = id("ExportFunctionDef", "internal_ordinal"),
          .import_name = id("ImportFunctionDef", "full_name"),
          .import_signature = id("ImportFunctionDef", "signature"),
          .internal_name = id("InternalFunctionDef", "local_name"),
          .internal_signature = id("InternalFunctionDef", "signature"),
          .rodata_data = embedded >= 0 ? embedded : id("RodataSegmentDef", "data"),
          .rodata_offset = id("RodataSegmentDef", "external_data_offset"),
          .rodata_length = id("RodataSegmentDef", "external_data_length"),
          .map_name = id("FunctionSourceMapDef", "local_name"),
          .map_locations = id("FunctionSourceMapDef", "locations"),
          .descriptor_i32 = OffsetOf(schema, "i32_register_count"),
          .descriptor_ref = OffsetOf(schema, "ref_register_count"),
          .descriptor_blocks = OffsetOf(schema, "block_count"),
          .descriptor_width =
              static_cast<int>(schema.tables[schema.FindTable("FunctionDescriptor")].byte_size)};
}

// The schemas are compiled into the program, so a failure is a build error that the tests find.
template <typename Embedded>
Form MakeForm(std::string_view name, FactEvidence fact_evidence, std::string_view evidence,
              std::string_view identifier) {
  Form form{name,
            evidence,
            fact_evidence,
            flatbuffer::SchemaFromReflection({Embedded::data(), Embedded::size()}).value(),
            {}};
  form.schema.identifier = identifier;
  form.ids = IdsOf(form.schema);
  return form;
}

std::vector<Form> MakeForms() {
  namespace v = iree::vm;
  std::vector<Form> forms;
  forms.push_back(MakeForm<v::form_2019_12::BytecodeModuleDefBinarySchema>(
      "BMOD", FactEvidence::kPublicNotes,
      "public notes; register counts may be 8-bit in files before 2021", "BMOD"));
  forms.push_back(MakeForm<v::form_2019_12::BytecodeModuleDefBinarySchema>(
      "2019-12", FactEvidence::kSpecification, "specification 002", "IREE"));
  forms.push_back(MakeForm<v::form_2022_05::BytecodeModuleDefBinarySchema>(
      "2022-05", FactEvidence::kPublicNotes, "public notes", "IREE"));
  forms.push_back(MakeForm<v::form_2022_09::BytecodeModuleDefBinarySchema>(
      "2022-09", FactEvidence::kRealFile, "a real file", "IREE"));
  forms.push_back(MakeForm<v::form_2023_06::BytecodeModuleDefBinarySchema>(
      "2023-06", FactEvidence::kRealFile, "real files", "IREE"));
  return forms;
}

// In the order of Forms().
enum FormIndex : size_t { kBmod, k201912, k202205, k202209, k202306 };

// Returns the possible forms for a number of root fields. A writer always emits the fields up to
// bytecode_data, and sometimes those up to the debug database.
std::span<const Form> Candidates(std::string_view identifier, uint32_t fields) {
  if (identifier == "BMOD") return Forms().subspan(kBmod, 1);
  if (fields > 14) return Forms().subspan(k202306, 1);
  if (fields > 11) return Forms().subspan(k202209, 2);
  return Forms().subspan(k201912, 2);
}

// Finds the archive, and with it the FlatBuffer. The end record begins at `from` or later.
Status FindBuffer(Module* module, size_t from = 0) {
  Result<ZipArchive> zip = ParseZip(module->file, from);
  if (!module->is_archive) {
    // In a 2021 module the directory follows the FlatBuffer. Without a directory the FlatBuffer
    // ends at the end of the file.
    if (zip.ok()) {
      module->buffer_end =
          static_cast<uint32_t>(std::min<uint64_t>(zip->directory_at, module->file.size()));
      module->zip = std::move(*zip);
    }
    return {};
  }
  if (!zip.ok()) return std::move(zip).error();
  const auto entry = std::ranges::find(zip->entries, kModuleEntry, &ZipEntry::Name);
  if (entry == zip->entries.end()) {
    return MakeError(ErrorCode::kNotFound, "the archive has no entry module.fb");
  }
  if (entry->data_size < 16) {
    return MakeError(ErrorCode::kTruncated,
                     fmt::format("module.fb has {} bytes, a module at least 16", entry->data_size),
                     entry->data_at);
  }
  // The size prefix is the size of the whole entry including the prefix, so it is not the size of
  // the FlatBuffer. The bounds of the entry are used instead (facts/hwx.md, IREE modules).
  module->start = static_cast<uint32_t>(entry->data_at + 4);
  module->buffer_end = static_cast<uint32_t>(entry->data_at + entry->data_size);
  module->zip = std::move(*zip);
  return {};
}

}  // namespace

std::span<const Form> Forms() {
  static const std::vector<Form> forms = MakeForms();
  return forms;
}

const Form* FindForm(std::string_view name) {
  const auto forms = Forms();
  const auto found = std::ranges::find(forms, name, &Form::name);
  return found == forms.end() ? nullptr : &*found;
}

namespace {

Status ChooseForm(Module* module) {
  if (module->buffer_end < module->start + 16) {
    return MakeError(ErrorCode::kTruncated,
                     fmt::format("a module has at least 16 bytes, this {}",
                                 module->buffer_end - std::min(module->start, module->buffer_end)),
                     module->buffer_end);
  }
  const std::string_view identifier(reinterpret_cast<const char*>(&module->file[module->start + 4]),
                                    4);
  if (identifier != "BMOD" && identifier != "IREE") {
    return MakeError(ErrorCode::kNotFound, "no identifier BMOD or IREE after the root offset",
                     module->start + 4);
  }
  std::optional<flatbuffer::ShapeError> first;
  for (const Form& form : Candidates(identifier, module->root().FieldCount())) {
    auto error = flatbuffer::CheckShape(
        form.schema, module->buffer(),
        {.base = module->origin(), .start = module->start - module->origin()},
        &module->may_overlap);
    if (!error) {
      module->form = &form;
      return {};
    }
    if (!first) first = std::move(error);
  }
  return std::move(first->error);
}

}  // namespace

Result<Module> Open(ByteSpan file) {
  static constexpr uint8_t kLocalSignature[4] = {'P', 'K', 3, 4};
  if (file.size() >= INT32_MAX) return MakeError(ErrorCode::kLimit, "file of 2 GiB or more");
  Module module{.file = file, .buffer_end = static_cast<uint32_t>(file.size())};
  module.is_archive = file.size() >= 4 && std::ranges::equal(file.first(4), kLocalSignature);
  const bool has_archive = module.is_archive || EndsWithArchive(file);
  if (has_archive) ANECHECK_RETURN_IF_ERROR(FindBuffer(&module));
  ANECHECK_RETURN_IF_ERROR(ChooseForm(&module));
  if (has_archive) return module;
  // Most files have no archive. An end record with a comment follows the FlatBuffer, so the search
  // begins after the bytecode.
  const flatbuffer::VectorView bytecode = module.root().Vector(module.form->ids.bytecode);
  ANECHECK_RETURN_IF_ERROR(FindBuffer(&module, bytecode.at() + size_t{4} + bytecode.size()));
  if (module.zip) ANECHECK_RETURN_IF_ERROR(ChooseForm(&module));
  return module;
}

}  // namespace anecheck::vmfb
