// Edits of a text, stored as the parameters of a mutation. An edit replaces a run of bytes. The
// mutations of text formats choose the runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generators/formats/descriptor_generator.h"

namespace anecheck {

// Replaces `removed` bytes at `offset` by `inserted`, at most 4096 bytes.
struct TextEdit {
  uint64_t offset = 0;
  uint64_t removed = 0;
  std::string inserted;
};

// Parameters: for each edit its offset, the number of bytes removed, the number of bytes inserted,
// and the inserted bytes. Each parameter holds eight inserted bytes, little endian. Precondition:
// the edits are in ascending order and do not overlap.
Mutation MakeTextEdits(std::string_view kind, const std::vector<TextEdit>& edits);

// Fails if the parameters do not have the layout of MakeTextEdits, or if an edit reaches past the
// end of `bytes`.
Result<Bytes> ApplyTextEdits(ByteSpan bytes, const Mutation& mutation);

}  // namespace anecheck
