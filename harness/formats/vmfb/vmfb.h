// IREE bytecode modules (.vmfb), which specification 002 describes. A module is a FlatBuffer with
// the identifier BMOD or IREE. The file may also be a ZIP archive. Used by `anecheck inspect`
// through kFormat_vmfb and by the generator of modules.
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

// The field ids of one form of the schema. An id is -1 if the form does not have the field.
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

// One form of the schema. The format has no version number, so the identifier and the number of
// fields of the root table determine the form.
struct Form {
  std::string_view name;                                      // "2019-12"
  std::string_view evidence;                                  // the source of its fields
  FactEvidence fact_evidence = FactEvidence::kSpecification;  // the kind of that source
  flatbuffer::Schema schema;
  FieldIds ids;
};

// Returns "BMOD", "2019-12", "2022-05", "2022-09" and "2023-06", in this order.
std::span<const Form> Forms();
const Form* FindForm(std::string_view name);

// A module inside its file. Positions count from the first byte of the file.
struct Module {
  ByteSpan file;
  const Form* form = nullptr;
  std::optional<ZipArchive> zip;
  bool is_archive = false;   // the module is an entry of the archive
  uint32_t start = 0;        // the position of the root offset
  uint32_t buffer_end = 0;   // the end of the FlatBuffer
  bool may_overlap = false;  // as set by CheckShape

  // Returns the start of the FlatBuffer, or of its size prefix if it has one.
  uint32_t origin() const { return start >= 4 ? start - 4 : 0; }
  ByteSpan buffer() const { return file.subspan(origin(), buffer_end - origin()); }
  flatbuffer::TableView root() const {
    return flatbuffer::TableView::Root(file.first(buffer_end), start);
  }
};

// Finds the module and its form and checks the shape. Errors, with the offset in the file:
// kNotFound if the file is not a module, kMalformed or kTruncated if the module is damaged.
Result<Module> Open(ByteSpan file);

// The module's rules. Precondition: Open succeeded.
std::span<const Rule> Rules();
std::vector<Violation> CheckRules(const Module& module);

}  // namespace anecheck::vmfb

namespace anecheck {
extern const Format kFormat_vmfb;
}
