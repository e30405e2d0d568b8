// The interface of every format's generator. A generator draws valid files from a choice stream and
// makes structure-aware mutations. Mutations are data, so a finding can be replayed on any machine.
// The generators are in generators/formats/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "generators/choice_stream.h"
#include "harness/formats/format.h"

namespace anecheck {

// One applied mutation: its kind, and the numbers that together with the kind determine its effect.
// Serialised as {"kind": "alias-sections", "parameters": [2, 5]}.
struct Mutation {
  std::string kind;
  std::vector<uint64_t> parameters;
};

struct MutationKind {
  std::string_view id;
  // The only rule of the format that this mutation breaks if it is applied to a valid file. Empty
  // if the effect depends on the file.
  std::string_view breaks_rule;
  // Chooses parameters for `bytes`. Returns nothing if the mutation does not apply. Precondition:
  // `bytes` parses.
  std::optional<Mutation> (*propose)(ByteSpan bytes, ChoiceStream& choices);
  // Applies the mutation. Deterministic. Returns an Error if the parameters do not fit `bytes`.
  Result<Bytes> (*apply)(ByteSpan bytes, const Mutation& mutation);
};

struct DescriptorGenerator {
  std::string_view format;  // a Format's name
  // Draws a valid file, which parses and verifies without violation. Over many seeds, every
  // optional part occurs.
  Bytes (*generate)(ChoiceStream& choices);
  std::span<const MutationKind> mutations;
};

}  // namespace anecheck
