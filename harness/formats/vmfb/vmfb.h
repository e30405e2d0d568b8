// IREE bytecode modules (.vmfb), the sibling container of specification 002. A module is a bare
// FlatBuffer with the identifier BMOD or IREE, or a file that is also a ZIP archive. Used by
// `anecheck inspect` through kFormat_vmfb and by the generator of modules.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/flatbuffer/schema.h"
#include "harness/formats/flatbuffer/view.h"
#include "harness/formats/format.h"
#include "harness/formats/vmfb/zip_archive.h"

namespace anecheck::vmfb {

// Field ids of one form of the schema; -1 if the form has no such field.
struct FieldIds {
  int name, types, dependencies, imports, exports, internal_functions, signatures, rodata, rwdata,
      state, descriptors, bytecode_version, bytecode, debug;                // BytecodeModuleDef
  int signature_arguments, signature_results, signature_convention;         // FunctionSignatureDef
  int export_name, export_signature, export_ordinal;                        // ExportFunctionDef
  int import_name, import_signature;                                        // ImportFunctionDef
  int internal_name, internal_signature;                                    // InternalFunctionDef
  int rodata_data, rodata_offset, rodata_length;                            // RodataSegmentDef
  int map_name, map_locations;                                              // FunctionSourceMapDef
  int descriptor_i32, descriptor_ref, descriptor_blocks, descriptor_width;  // byte offsets
};

// One form of the schema. The format has changed over the years without a version word, so the form
// is determined from the identifier and the number of fields of the root table.
struct Form {
  std::string_view name;                                      // "2019-12"
  std::string_view evidence;                                  // the source of its fields
  FactEvidence fact_evidence = FactEvidence::kSpecification;  // the kind of that source
  flatbuffer::Schema schema;
  FieldIds ids;
};

// "BMOD", "2019-12", "2022-05", "2022-09", "2023-06".
std::span<const Form> Forms();
const Form* FindForm(std::string_view name);

// A module inside its file. Positions count from the first byte of the file.
struct Module {
  ByteSpan file;
  const Form* form = nullptr;
  std::optional<ZipArchive> zip;
  bool is_archive = false;   // the module is an entry of the archive
  uint32_t start = 0;        // the place of the root offset
  uint32_t buffer_end = 0;   // the end of the FlatBuffer
  bool may_overlap = false;  // as set by CheckShape

  // The start of the FlatBuffer, at its size prefix if it has one.
  uint32_t origin() const { return start >= 4 ? start - 4 : 0; }
  ByteSpan buffer() const { return file.subspan(origin(), buffer_end - origin()); }
  flatbuffer::TableView root() const {
    return flatbuffer::TableView::Root(file.first(buffer_end), start);
  }
};

// Finds the module and its form and checks the shape. Errors carry the absolute offset: kNotFound
// for files that are no module, kMalformed and kTruncated for broken ones.
Result<Module> Open(ByteSpan file);

// The module's rules. Precondition: Open succeeded.
std::span<const Rule> Rules();
std::vector<Violation> CheckRules(const Module& module);

}  // namespace anecheck::vmfb

namespace anecheck {
extern const Format kFormat_vmfb;
}
