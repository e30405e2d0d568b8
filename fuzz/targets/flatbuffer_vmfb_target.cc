// Our shape check of IREE modules against the FlatBuffers library's verifier, in every form of the
// schema: we refuse all that it refuses, and more only for the reasons that IsStricterThanLibrary
// names.
#include <string>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "generated/flatbuffer_schemas/vmfb_schema/module_2019_12_generated.h"
#include "generated/flatbuffer_schemas/vmfb_schema/module_2022_05_generated.h"
#include "generated/flatbuffer_schemas/vmfb_schema/module_2022_09_generated.h"
#include "generated/flatbuffer_schemas/vmfb_schema/module_2023_06_generated.h"
#include "generators/formats/vmfb/vmfb_generator.h"
#include "harness/formats/flatbuffer/shape.h"
#include "harness/formats/vmfb/vmfb.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws = LawList("what the library refuses is refused",
                               "what the library accepts is refused for a named reason only");
using Laws = LawBook<kLaws>;

template <typename Root>
bool Accepts(ByteSpan buffer, uint32_t start, const char* identifier) {
  flatbuffers::Verifier verifier(buffer.data(), buffer.size());
  return verifier.VerifyBufferFromStart<Root>(identifier, start);
}

bool LibraryAccepts(const vmfb::Form& form, ByteSpan buffer, uint32_t start) {
  const char* identifier = form.schema.identifier.c_str();
  if (form.name == "2022-05") {
    return Accepts<iree::vm::form_2022_05::BytecodeModuleDef>(buffer, start, identifier);
  }
  if (form.name == "2022-09") {
    return Accepts<iree::vm::form_2022_09::BytecodeModuleDef>(buffer, start, identifier);
  }
  if (form.name == "2023-06") {
    return Accepts<iree::vm::form_2023_06::BytecodeModuleDef>(buffer, start, identifier);
  }
  return Accepts<iree::vm::form_2019_12::BytecodeModuleDef>(buffer, start, identifier);
}

// Modules stand behind a size prefix where the identifier is found four bytes later.
uint32_t StartOf(ByteSpan input) {
  if (input.size() < 12) return 0;
  const std::string identifier(input.begin() + 8, input.begin() + 12);
  return identifier == "IREE" || identifier == "BMOD" ? 4 : 0;
}

bool Check(ByteSpan input) {
  const uint32_t start = StartOf(input);
  for (const vmfb::Form& form : vmfb::Forms()) {
    const auto error = flatbuffer::CheckShape(form.schema, input, {.start = start});
    if (!LibraryAccepts(form, input, start)) {
      Laws::Require(error.has_value(), "what the library refuses is refused", form.name);
    } else if (error) {
      Laws::Require(flatbuffer::IsStricterThanLibrary(error->check),
                    "what the library accepts is refused for a named reason only",
                    error->error.message);
    }
  }
  return true;
}

}  // namespace

extern const FuzzTarget kTarget_flatbuffer_vmfb;
const FuzzTarget kTarget_flatbuffer_vmfb = {.name = "flatbuffer_vmfb",
                                            .check = Check,
                                            .laws = kLaws,
                                            .words = words::vmfb,
                                            .format = &kFormat_vmfb,
                                            .generator = &kGenerator_vmfb};

}  // namespace anecheck::fuzz
