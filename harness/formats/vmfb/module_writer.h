// Writes modules in the form of specification 002, with code that flatc generates. Used by the
// generator of modules and by the benchmark.
#pragma once

#include "generated/flatbuffer_schemas/vmfb_schema/module_2019_12_generated.h"
#include "harness/formats/format.h"

namespace anecheck::vmfb {

// Writes a module without an archive. `identifier` is "IREE", or "BMOD" before June 2021.
inline Bytes WriteModule(const iree::vm::form_2019_12::BytecodeModuleDefT& module,
                         const char* identifier = "IREE") {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(iree::vm::form_2019_12::CreateBytecodeModuleDef(builder, &module), identifier);
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

}  // namespace anecheck::vmfb
