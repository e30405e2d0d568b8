#include "generators/formats/common/byte_mutations.h"

#include <fmt/format.h>

#include "harness/base/little_endian.h"

namespace anecheck {
namespace {

Error DoesNotFit(const Mutation& mutation, std::string_view why) {
  return MakeError(ErrorCode::kInvalid, fmt::format("mutation {}: {}", mutation.kind, why));
}

// Checks the number of parameters. Checks that the run of parameters[1] bytes at offset
// parameters[0] lies within `bytes`.
Status CheckRun(ByteSpan bytes, const Mutation& mutation, size_t parameter_count) {
  if (mutation.parameters.size() != parameter_count) {
    return DoesNotFit(mutation, fmt::format("needs {} parameters", parameter_count));
  }
  const uint64_t offset = mutation.parameters[0];
  const uint64_t size = mutation.parameters[1];
  if (offset > bytes.size() || size > bytes.size() - offset) {
    return DoesNotFit(mutation,
                      fmt::format("0x{:x} + {} leaves {} bytes", offset, size, bytes.size()));
  }
  return {};
}

}  // namespace

Mutation MakePatch(std::string_view kind, std::initializer_list<FieldPatch> patches) {
  Mutation mutation{std::string(kind), {}};
  for (const FieldPatch& patch : patches) {
    mutation.parameters.insert(mutation.parameters.end(), {patch.offset, patch.width, patch.value});
  }
  return mutation;
}

Result<Bytes> ApplyPatch(ByteSpan bytes, const Mutation& mutation) {
  const std::vector<uint64_t>& parameters = mutation.parameters;
  if (parameters.size() % 3 != 0) return DoesNotFit(mutation, "needs triples of parameters");
  Bytes changed(bytes.begin(), bytes.end());
  for (size_t i = 0; i < parameters.size(); i += 3) {
    const uint64_t offset = parameters[i];
    const uint64_t width = parameters[i + 1];
    const uint64_t value = parameters[i + 2];
    if (width < 1 || width > 8 || offset > changed.size() || width > changed.size() - offset) {
      return DoesNotFit(mutation,
                        fmt::format("0x{:x} + {} leaves {} bytes", offset, width, changed.size()));
    }
    if (width < 8 && value >> (8 * width) != 0) {
      return DoesNotFit(mutation, fmt::format("0x{:x} does not fit in {} bytes", value, width));
    }
    StoreLittle(changed, offset, width, value);
  }
  return changed;
}

Mutation MakeResize(std::string_view kind, uint64_t size, uint8_t fill) {
  return {std::string(kind), {size, fill}};
}

Result<Bytes> ApplyResize(ByteSpan bytes, const Mutation& mutation) {
  if (mutation.parameters.size() != 2 || mutation.parameters[1] > 255) {
    return DoesNotFit(mutation, "needs a size and a byte");
  }
  if (mutation.parameters[0] > 2 * bytes.size() + 4096) {
    return DoesNotFit(mutation, "the new size is above twice the old size plus 4096 bytes");
  }
  Bytes changed(bytes.begin(), bytes.end());
  changed.resize(mutation.parameters[0], static_cast<uint8_t>(mutation.parameters[1]));
  return changed;
}

Mutation MakeMove(std::string_view kind, uint64_t offset, uint64_t size, uint64_t to) {
  return {std::string(kind), {offset, size, to}};
}

Result<Bytes> ApplyMove(ByteSpan bytes, const Mutation& mutation) {
  ANECHECK_RETURN_IF_ERROR(CheckRun(bytes, mutation, 3));
  const auto offset = static_cast<ptrdiff_t>(mutation.parameters[0]);
  const auto size = static_cast<ptrdiff_t>(mutation.parameters[1]);
  if (mutation.parameters[2] > bytes.size() - mutation.parameters[1]) {
    return DoesNotFit(mutation, "the new place lies outside the bytes");
  }
  const Bytes run(bytes.begin() + offset, bytes.begin() + offset + size);
  Bytes changed(bytes.begin(), bytes.end());
  changed.erase(changed.begin() + offset, changed.begin() + offset + size);
  changed.insert(changed.begin() + static_cast<ptrdiff_t>(mutation.parameters[2]), run.begin(),
                 run.end());
  return changed;
}

Mutation MakeRepeat(std::string_view kind, uint64_t offset, uint64_t size) {
  return {std::string(kind), {offset, size}};
}

Result<Bytes> ApplyRepeat(ByteSpan bytes, const Mutation& mutation) {
  ANECHECK_RETURN_IF_ERROR(CheckRun(bytes, mutation, 2));
  const auto offset = static_cast<ptrdiff_t>(mutation.parameters[0]);
  const auto size = static_cast<ptrdiff_t>(mutation.parameters[1]);
  const Bytes run(bytes.begin() + offset, bytes.begin() + offset + size);
  Bytes changed(bytes.begin(), bytes.end());
  changed.insert(changed.begin() + offset, run.begin(), run.end());
  return changed;
}

Mutation MakeCut(std::string_view kind, uint64_t offset, uint64_t size) {
  return {std::string(kind), {offset, size}};
}

Result<Bytes> ApplyCut(ByteSpan bytes, const Mutation& mutation) {
  ANECHECK_RETURN_IF_ERROR(CheckRun(bytes, mutation, 2));
  const auto offset = static_cast<ptrdiff_t>(mutation.parameters[0]);
  const auto size = static_cast<ptrdiff_t>(mutation.parameters[1]);
  Bytes changed(bytes.begin(), bytes.end());
  changed.erase(changed.begin() + offset, changed.begin() + offset + size);
  return changed;
}

}  // namespace anecheck
