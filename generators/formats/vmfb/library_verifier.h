// Runs the verifier of the FlatBuffers library on IREE modules. Tests and fuzz targets compare this
// project's shape check with it.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "generated/flatbuffer_schemas/vmfb_schema/module_2019_12_generated.h"
#include "generated/flatbuffer_schemas/vmfb_schema/module_2022_05_generated.h"
#include "generated/flatbuffer_schemas/vmfb_schema/module_2022_09_generated.h"
#include "generated/flatbuffer_schemas/vmfb_schema/module_2023_06_generated.h"
#include "harness/formats/vmfb/vmfb.h"

namespace anecheck::vmfb {

template <typename Root>
bool LibraryVerifies(ByteSpan buffer, uint32_t start, const char* identifier) {
  flatbuffers::Verifier verifier(buffer.data(), buffer.size());
  return verifier.VerifyBufferFromStart<Root>(identifier, start);
}

inline constexpr std::pair<std::string_view, bool (*)(ByteSpan, uint32_t, const char*)>
    kLibraryVerifiers[] = {
        {"BMOD", LibraryVerifies<iree::vm::form_2019_12::BytecodeModuleDef>},
        {"2019-12", LibraryVerifies<iree::vm::form_2019_12::BytecodeModuleDef>},
        {"2022-05", LibraryVerifies<iree::vm::form_2022_05::BytecodeModuleDef>},
        {"2022-09", LibraryVerifies<iree::vm::form_2022_09::BytecodeModuleDef>},
        {"2023-06", LibraryVerifies<iree::vm::form_2023_06::BytecodeModuleDef>},
};

// Whether the library accepts `buffer` as a module of `form` whose root offset is at `start`.
// Returns nothing if kLibraryVerifiers lacks the form.
inline std::optional<bool> LibraryAccepts(const Form& form, ByteSpan buffer, uint32_t start) {
  const auto* const known =
      std::ranges::find(kLibraryVerifiers, form.name, [](const auto& each) { return each.first; });
  if (known == std::end(kLibraryVerifiers)) return std::nullopt;
  return known->second(buffer, start, form.schema.identifier.c_str());
}

}  // namespace anecheck::vmfb
