// Mutations as a table of small edits. An edit changes the JSON form, and all other content keeps
// its place, or it changes the bytes at a place that the JSON form names. Used by the generators of
// most formats.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "generators/formats/descriptor_generator.h"
#include "harness/base/json.h"

namespace anecheck {

struct DocumentEdit {
  std::string_view id;
  std::string_view breaks_rule;  // as MutationKind::breaks_rule
  // Exactly one of `edit` and `patch` is set. Both return false if the edit does not apply. `a` and
  // `b` choose among places and values.
  bool (*edit)(Json& json, uint64_t a, uint64_t b) = nullptr;
  bool (*patch)(Bytes& bytes, const Json& json, uint64_t a, uint64_t b) = nullptr;
};

// Returns the element that `choice` selects, or null if the array is empty or absent.
inline Json* PickElement(Json& parent, const char* key, uint64_t choice) {
  const auto found = parent.find(key);
  if (found == parent.end() || !found->is_array() || found->empty()) return nullptr;
  return &(*found)[choice % found->size()];
}

// Applies the mutation to the file. kInvalid if it belongs to another edit or does not apply.
Result<Bytes> ApplyEdit(const Format& format, const DocumentEdit& edit, ByteSpan bytes,
                        const Mutation& mutation);
// Returns a mutation that makes this edit and applies to the file, or nothing.
std::optional<Mutation> ProposeEdit(const Format& format, const DocumentEdit& edit, ByteSpan bytes,
                                    ChoiceStream& choices);

// The MutationKind table of a DocumentEdit table. kFormat and kEdits have static storage.
template <const Format& kFormat, const auto& kEdits>
constexpr auto MakeMutationKinds() {
  constexpr size_t kCount = std::size(kEdits);
  const auto make = []<size_t kIndex>(std::integral_constant<size_t, kIndex>) {
    MutationKind kind;
    kind.id = kEdits[kIndex].id;
    kind.breaks_rule = kEdits[kIndex].breaks_rule;
    kind.apply = [](ByteSpan bytes, const Mutation& mutation) {
      return ApplyEdit(kFormat, kEdits[kIndex], bytes, mutation);
    };
    kind.propose = [](ByteSpan bytes, ChoiceStream& choices) {
      return ProposeEdit(kFormat, kEdits[kIndex], bytes, choices);
    };
    return kind;
  };
  return [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
    return std::array<MutationKind, kCount>{make(std::integral_constant<size_t, kIndex>())...};
  }(std::make_index_sequence<kCount>());
}

}  // namespace anecheck
