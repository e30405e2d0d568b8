// Our shape check of IREE modules against the FlatBuffers library's verifier, in the forms of the
// schema: we refuse all that it refuses, and more only for the reasons that IsStricterThanLibrary
// names.
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "generators/formats/vmfb/library_verifier.h"
#include "generators/formats/vmfb/vmfb_generator.h"
#include "harness/formats/flatbuffer/shape.h"
#include "harness/formats/flatbuffer/view.h"
#include "harness/formats/vmfb/vmfb.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws =
    LawList("every form has a verifier of the library", "what the library refuses is refused",
            "what the library accepts is refused for a named reason only");
using Laws = LawBook<kLaws>;

// Modules stand behind a size prefix where the identifier is found four bytes later.
uint32_t StartOf(ByteSpan input) {
  if (input.size() < 12) return 0;
  const std::string identifier(input.begin() + 8, input.begin() + 12);
  return identifier == "IREE" || identifier == "BMOD" ? 4 : 0;
}

// Every form now and then; else those that the module may have, which random edits of it reach.
std::span<const vmfb::Form> FormsFor(ByteSpan input, uint32_t start) {
  if (MeetsReaderLaws(input) || input.size() < start + 8) return vmfb::Forms();
  const std::string_view identifier(reinterpret_cast<const char*>(&input[start + 4]), 4);
  return vmfb::Candidates(identifier, flatbuffer::TableView::Root(input, start).FieldCount());
}

bool Check(ByteSpan input) {
  const uint32_t start = StartOf(input);
  for (const vmfb::Form& form : FormsFor(input, start)) {
    const auto error = flatbuffer::CheckShape(form.schema, input, {.start = start});
    const std::optional<bool> library = vmfb::LibraryAccepts(form, input, start);
    Laws::Require(library.has_value(), "every form has a verifier of the library", form.name);
    if (!*library) {
      Laws::Require(error.has_value(), "what the library refuses is refused", form.name);
    } else if (error) {
      Laws::Require(flatbuffer::IsStricterThanLibrary(error->check),
                    "what the library accepts is refused for a named reason only",
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
