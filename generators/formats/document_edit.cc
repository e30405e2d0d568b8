#include "generators/formats/document_edit.h"

#include <fmt/format.h>
#include <string>

namespace anecheck {

Result<Bytes> ApplyEdit(const Format& format, const DocumentEdit& edit, ByteSpan bytes,
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
  } catch (const JsonError& error) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("mutation {}: a key is missing: {}", mutation.kind, error.what()));
  }
  return MakeError(ErrorCode::kInvalid, fmt::format("mutation {} does not apply", mutation.kind));
}

std::optional<Mutation> ProposeEdit(const Format& format, const DocumentEdit& edit, ByteSpan bytes,
                                    ChoiceStream& choices) {
  Mutation mutation{std::string(edit.id), {}};
  mutation.parameters = {choices.Below(1 << 16), choices.Below(1 << 16)};
  if (!ApplyEdit(format, edit, bytes, mutation).ok()) return std::nullopt;
  return mutation;
}

}  // namespace anecheck
