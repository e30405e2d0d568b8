// Mutations of FlatBuffer files as a table of small edits, either of the JSON form (which keeps
// everything else in place) or of the bytes at a place that the JSON form names. Used by the
// generators of the e5 and vmfb formats.
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
  // Exactly one is set. Both give false where the edit does not apply; `a` and `b` choose among
  // places and values.
  bool (*edit)(Json& json, uint64_t a, uint64_t b) = nullptr;
  bool (*patch)(Bytes& bytes, const Json& json, uint64_t a, uint64_t b) = nullptr;
};

// The element that `choice` selects, or nothing of an empty or absent array.
inline Json* PickElement(Json& parent, const char* key, uint64_t choice) {
  const auto found = parent.find(key);
  if (found == parent.end() || !found->is_array() || found->empty()) return nullptr;
  return &(*found)[choice % found->size()];
}

namespace document_edit_internal {

inline Result<Bytes> ApplyEdit(const Format& format, const DocumentEdit& edit, ByteSpan bytes,
                               const Mutation& mutation) {
  if (mutation.kind != edit.id || mutation.parameters.size() != 2) {
    return MakeError(ErrorCode::kInvalid, "mutation " + mutation.kind + " needs two parameters");
  }
  ANECHECK_ASSIGN(Json json, format.to_json(bytes));
  const uint64_t a = mutation.parameters[0];
  const uint64_t b = mutation.parameters[1];
  try {
    if (edit.patch != nullptr) {
      Bytes changed(bytes.begin(), bytes.end());
      if (edit.patch(changed, json, a, b)) return changed;
    } else if (edit.edit(json, a, b)) {
      return format.from_json(json);
    }
  } catch (const JsonError&) {
    // A file without the keys that the edit looks for.
  }
  return MakeError(ErrorCode::kInvalid, "mutation " + mutation.kind + " does not apply");
}

}  // namespace document_edit_internal

// The MutationKind table of a DocumentEdit table. kFormat and kEdits have static storage.
template <const Format& kFormat, const auto& kEdits>
constexpr auto MakeMutationKinds() {
  constexpr size_t kCount = std::size(kEdits);
  const auto make = []<size_t kIndex>(std::integral_constant<size_t, kIndex>) {
    MutationKind kind;
    kind.id = kEdits[kIndex].id;
    kind.breaks_rule = kEdits[kIndex].breaks_rule;
    kind.apply = [](ByteSpan bytes, const Mutation& mutation) {
      return document_edit_internal::ApplyEdit(kFormat, kEdits[kIndex], bytes, mutation);
    };
    kind.propose = [](ByteSpan bytes, ChoiceStream& choices) -> std::optional<Mutation> {
      Mutation mutation{std::string(kEdits[kIndex].id), {}};
      mutation.parameters = {choices.Below(1 << 16), choices.Below(1 << 16)};
      const auto applied =
          document_edit_internal::ApplyEdit(kFormat, kEdits[kIndex], bytes, mutation);
      if (!applied.ok()) return std::nullopt;
      return mutation;
    };
    return kind;
  };
  return [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
    return std::array<MutationKind, kCount>{make(std::integral_constant<size_t, kIndex>())...};
  }(std::make_index_sequence<kCount>());
}

}  // namespace anecheck
