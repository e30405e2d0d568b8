// Mutations as a table of small edits. An edit changes a format's typed model, or the bytes at a
// place that the model names. Used by the generators of the hwx and td formats.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

// Exactly one of `edit` and `patch` is set. Both return false if the edit does not apply. `a` and
// `b` choose among places and values.
template <typename Model>
struct ModelEdit {
  std::string_view id;
  std::string_view breaks_rule;  // as MutationKind::breaks_rule
  bool (*edit)(Model& model, uint64_t a, uint64_t b) = nullptr;
  bool (*patch)(Bytes& bytes, const Model& model, uint64_t a, uint64_t b) = nullptr;
};

// The MutationKind table of a ModelEdit table. kParse reads a model from bytes, and kWrite writes a
// model as bytes. kEdits has static storage.
template <auto kParse, auto kWrite, const auto& kEdits>
struct ModelMutations {
  using Edit = std::remove_cvref_t<decltype(kEdits[0])>;

  static Result<Bytes> ApplyEdit(const Edit& edit, ByteSpan bytes, const Mutation& mutation) {
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

  static std::optional<Mutation> ProposeEdit(const Edit& edit, ByteSpan bytes,
                                             ChoiceStream& choices) {
    Mutation mutation{std::string(edit.id), {}};
    mutation.parameters = {choices.Below(1 << 16), choices.Below(1 << 16)};
    if (!ApplyEdit(edit, bytes, mutation).ok()) return std::nullopt;
    return mutation;
  }

  template <size_t kIndex>
  static Result<Bytes> Apply(ByteSpan bytes, const Mutation& mutation) {
    return ApplyEdit(kEdits[kIndex], bytes, mutation);
  }
  template <size_t kIndex>
  static std::optional<Mutation> Propose(ByteSpan bytes, ChoiceStream& choices) {
    return ProposeEdit(kEdits[kIndex], bytes, choices);
  }

  static constexpr auto Make() {
    return []<size_t... kIndex>(std::index_sequence<kIndex...>) {
      return std::array<MutationKind, sizeof...(kIndex)>{MutationKind{
          kEdits[kIndex].id, kEdits[kIndex].breaks_rule, &Propose<kIndex>, &Apply<kIndex>}...};
    }(std::make_index_sequence<std::size(kEdits)>());
  }
};

}  // namespace anecheck
