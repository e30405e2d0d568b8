#include "generators/formats/mil/text_edit.h"

#include <fmt/format.h>

namespace anecheck {
namespace {

constexpr uint64_t kMaxInserted = 4096;

}  // namespace

Mutation MakeTextEdits(std::string_view kind, const std::vector<TextEdit>& edits) {
  Mutation mutation{std::string(kind), {}};
  for (const TextEdit& edit : edits) {
    mutation.parameters.insert(mutation.parameters.end(),
                               {edit.offset, edit.removed, edit.inserted.size()});
    uint64_t word = 0;
    for (size_t i = 0; i < edit.inserted.size(); ++i) {
      word |= static_cast<uint64_t>(static_cast<uint8_t>(edit.inserted[i])) << (8 * (i % 8));
      if (i % 8 == 7 || i + 1 == edit.inserted.size()) {
        mutation.parameters.push_back(word);
        word = 0;
      }
    }
  }
  return mutation;
}

Result<Bytes> ApplyTextEdits(ByteSpan bytes, const Mutation& mutation) {
  const std::vector<uint64_t>& parameters = mutation.parameters;
  Bytes out;
  uint64_t at = 0;
  for (size_t i = 0; i < parameters.size();) {
    const auto wrong = [&](std::string_view why) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("mutation {}: parameter {}: {}", mutation.kind, i, why));
    };
    if (parameters.size() - i < 3) return wrong("an edit needs three parameters or more");
    const uint64_t offset = parameters[i];
    const uint64_t removed = parameters[i + 1];
    const uint64_t inserted = parameters[i + 2];
    const uint64_t words = (inserted + 7) / 8;
    if (inserted > kMaxInserted || parameters.size() - i - 3 < words) {
      return wrong("some of the inserted bytes are missing");
    }
    if (offset < at || offset > bytes.size() || removed > bytes.size() - offset) {
      return wrong(fmt::format("0x{:x} + {} leaves {} bytes", offset, removed, bytes.size()));
    }
    const ByteSpan kept = bytes.subspan(at, offset - at);
    out.insert(out.end(), kept.begin(), kept.end());
    for (uint64_t k = 0; k < inserted; ++k) {
      out.push_back(static_cast<uint8_t>(parameters[i + 3 + k / 8] >> (8 * (k % 8))));
    }
    at = offset + removed;
    i += 3 + words;
  }
  const ByteSpan rest = bytes.subspan(at);
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

}  // namespace anecheck
