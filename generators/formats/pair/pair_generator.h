// Dispatch descriptors and hardware containers that belong together, and edits after which they no
// longer belong together. Used by the tests of the pair check and by `anecheck gen --pair`.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "generators/choice_stream.h"
#include "harness/formats/e5/e5.h"
#include "harness/formats/format.h"

namespace anecheck {

struct FilePair {
  Bytes descriptor;
  Bytes container;
};

// Draws a container with the hwx generator and makes its descriptor.
FilePair GeneratePair(ChoiceStream& choices);

// An edit of the descriptor that breaks exactly one rule of harness/formats/pair.
struct PairEdit {
  std::string_view id;
  std::string_view breaks_rule;
  // Returns false if the edit does not apply.
  bool (*edit)(e5::Program& program, uint64_t choice);
};
std::span<const PairEdit> PairEdits();

// Returns the pair after one edit, or nothing if the edit does not apply.
std::optional<FilePair> ApplyPairEdit(const PairEdit& edit, const FilePair& pair, uint64_t choice);

}  // namespace anecheck
