// Compares the project's shape check of dispatch descriptors with the verifier of the FlatBuffers
// library. The shape check must refuse every file that the library refuses. It may refuse other
// files only because of the checks that IsStricterThanLibrary lists.
#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "generated/flatbuffer_schemas/e5_schema/e5_generated.h"
#include "generators/formats/e5/e5_generator.h"
#include "harness/formats/e5/e5.h"
#include "harness/formats/flatbuffer/shape.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws =
    LawList("a file that the library refuses is refused",
            "a file that the library accepts is refused for a named reason only");
using Laws = LawBook<kLaws>;

bool Check(ByteSpan input) {
  flatbuffers::Verifier verifier(input.data(), input.size());
  const bool library = e5::wire::VerifyE5ProgramBuffer(verifier);
  const auto error = flatbuffer::CheckShape(e5::WireSchema(), input);
  if (!library) {
    Laws::Require(error.has_value(), "a file that the library refuses is refused");
  } else if (error) {
    Laws::Require(flatbuffer::IsStricterThanLibrary(error->check),
                  "a file that the library accepts is refused for a named reason only",
                  error->error.message);
  }
  return true;
}

}  // namespace

extern const FuzzTarget kTarget_flatbuffer_e5;
const FuzzTarget kTarget_flatbuffer_e5 = {.name = "flatbuffer_e5",
                                          .check = Check,
                                          .laws = kLaws,
                                          .words = words::e5,
                                          .format = &kFormat_e5,
                                          .generator = &kGenerator_e5};

}  // namespace anecheck::fuzz
