// Fuzzes IREE modules inside ZIP archives, because random edits of bare modules never make an
// archive.
#include <algorithm>
#include <iterator>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "generators/formats/vmfb/vmfb_generator.h"
#include "harness/formats/vmfb/vmfb.h"

namespace anecheck::fuzz {
namespace {

constexpr uint8_t kLocalHeader[] = {'P', 'K', 3, 4};

bool Check(ByteSpan input) {
  // Modules of 2021 begin as FlatBuffers and have their directory at the end.
  const auto end =
      std::search(input.begin(), input.end(), std::begin(kLocalHeader), std::end(kLocalHeader));
  if (end == input.end()) return false;
  CheckFormatLaws(kFormat_vmfb, input);
  return true;
}

Bytes Generate(ChoiceStream& choices) {
  for (int attempt = 0; attempt < 64; ++attempt) {
    Bytes file = kGenerator_vmfb.generate(choices);
    const auto module = vmfb::Open(file);
    if (module.ok() && module->zip) return file;
  }
  return kGenerator_vmfb.generate(choices);
}

}  // namespace

extern const FuzzTarget kTarget_vmfb_archive;
const FuzzTarget kTarget_vmfb_archive = {.name = "vmfb_archive",
                                         .check = Check,
                                         .laws = kFormatLaws,
                                         .words = words::vmfb,
                                         .format = &kFormat_vmfb,
                                         .generator = &kGenerator_vmfb,
                                         .generate = Generate};

}  // namespace anecheck::fuzz
