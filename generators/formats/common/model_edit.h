// Mutations as a table of small edits of a format's typed model, or of the bytes at a place that
// the model names. Used by the generators of the hwx and td formats.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

// Exactly one of `edit` and `patch` is set. Both give false where the edit does not apply; `a` and
// `b` choose among places and values.
template <typename Model>
struct ModelEdit {
  std::string_view id;
  std::string_view breaks_rule;  // as MutationKind::breaks_rule
  bool (*edit)(Model& model, uint64_t a, uint64_t b) = nullptr;
  bool (*patch)(Bytes& bytes, const Model& model, uint64_t a, uint64_t b) = nullptr;
};

// The MutationKind table of a ModelEdit table. kParse reads a model from bytes, kWrite writes it
// back; kEdits has static storage.
template <auto kParse, auto kWrite, const auto& kEdits>
struct ModelMutations {
  template <size_t kIndex>
  static Result<Bytes> Apply(ByteSpan bytes, const Mutation& mutation) {
    const auto& edit = kEdits[kIndex];
    if (mutation.kind != edit.id || mutation.parameters.size() != 2) {
      return MakeError(ErrorCode::kInvalid, "mutation " + mutation.kind + " needs two parameters");
    }
    const uint64_t a = mutation.parameters[0];
    const uint64_t b = mutation.parameters[1];
    ANECHECK_ASSIGN(auto model, kParse(bytes));
    if (edit.patch != nullptr) {
      Bytes changed(bytes.begin(), bytes.end());
      if (edit.patch(changed, model, a, b)) return changed;
    } else if (edit.edit(model, a, b)) {
      return kWrite(model);
    }
    return MakeError(ErrorCode::kInvalid, "mutation " + mutation.kind + " does not apply");
  }

  template <size_t kIndex>
  static std::optional<Mutation> Propose(ByteSpan bytes, ChoiceStream& choices) {
    Mutation mutation{std::string(kEdits[kIndex].id), {}};
    mutation.parameters = {choices.Below(1 << 16), choices.Below(1 << 16)};
    if (!Apply<kIndex>(bytes, mutation).ok()) return std::nullopt;
    return mutation;
  }

  static constexpr auto Make() {
    return []<size_t... kIndex>(std::index_sequence<kIndex...>) {
      return std::array<MutationKind, sizeof...(kIndex)>{MutationKind{
          kEdits[kIndex].id, kEdits[kIndex].breaks_rule, &Propose<kIndex>, &Apply<kIndex>}...};
    }(std::make_index_sequence<std::size(kEdits)>());
  }
};

}  // namespace anecheck
