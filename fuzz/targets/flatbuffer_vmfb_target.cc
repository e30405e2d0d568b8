// Compares the project's shape check of IREE modules with the verifier of the FlatBuffers library,
// in every form of the schema. The shape check must refuse every file that the library refuses. It
// may refuse other files only for the reasons that IsStricterThanLibrary names.
#include <fmt/format.h>
#include <string>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "generators/formats/vmfb/library_verifier.h"
#include "generators/formats/vmfb/vmfb_generator.h"
#include "harness/formats/flatbuffer/shape.h"
#include "harness/formats/vmfb/vmfb.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws = LawList(
    "every form has a verifier of the library", "a file that the library refuses is refused",
    "a file that the library accepts is refused for a named reason only");
using Laws = LawBook<kLaws>;

// Returns the start of the module. If the identifier is at offset 8, a size prefix precedes it.
uint32_t StartOf(ByteSpan input) {
  if (input.size() < 12) return 0;
  const std::string identifier(input.begin() + 8, input.begin() + 12);
  return identifier == "IREE" || identifier == "BMOD" ? 4 : 0;
}

bool Check(ByteSpan input) {
  const uint32_t start = StartOf(input);
  for (const vmfb::Form& form : vmfb::Forms()) {
    const auto error = flatbuffer::CheckShape(form.schema, input, {.start = start});
    const std::optional<bool> library = vmfb::LibraryAccepts(form, input, start);
    Laws::Require(library.has_value(), "every form has a verifier of the library", form.name);
    if (!*library) {
      Laws::Require(error.has_value(), "a file that the library refuses is refused", form.name);
    } else if (error) {
      Laws::Require(flatbuffer::IsStricterThanLibrary(error->check),
                    "a file that the library accepts is refused for a named reason only",
                    [&] { return fmt::format("{}: {}", form.name, error->error.message); });
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
