// Mutation of files with knowledge of their format, called by the custom mutators of libFuzzer and
// AFL++ and by `anecheck fuzz`. One seed gives one change, the same on every machine.
#pragma once

#include <cstdint>

#include "generators/formats/descriptor_generator.h"
#include "generators/formats/mutator/stream_cross.h"
#include "harness/formats/format.h"

namespace anecheck {

// Edits bytes in place as libFuzzer's LLVMFuzzerMutate does: `size` bytes of `max_size`; returns
// the new size.
using ByteEditor = size_t (*)(uint8_t* data, size_t size, size_t max_size);

struct MutatorParts {
  const Format* format = nullptr;                      // null: bytes only
  const DescriptorGenerator* generator = nullptr;      // null: no mutations by name
  Bytes (*generate)(ChoiceStream& choices) = nullptr;  // null: the generator's, if any
  ByteEditor edit_bytes = nullptr;                     // libFuzzer's editor; null: EditBytes
  StreamReader draw = nullptr;                         // set if files are choice streams
};

// Applies one change, which `seed` chooses: a boundary mutation (generators/formats/boundary), a
// named mutation of the generator, an edit of the JSON form (which keeps lengths, offsets and
// checksums in step), a word set to an extreme value, plain byte edits, or a fresh file. A mutation
// that does not apply, or changes nothing, falls back to byte edits. At most `max_size` bytes.
Bytes MutateFile(const MutatorParts& parts, ByteSpan input, size_t max_size, uint64_t seed);

// As MutateFile, but makes only changes that use the format: a named mutation, an edit of the JSON
// form, or a fresh file. Each call takes as long as the JSON form does. Returns the input unchanged
// if no such change applies.
Bytes MutateStructure(const MutatorParts& parts, ByteSpan input, size_t max_size, uint64_t seed);

// A child of two files. For choice streams: draws of both (CrossStreams). For a format: a part of
// the JSON form of `b`, mostly an object, an array or a run of an array's elements, replaces the
// part of `a` that has the same name. Under libFuzzer this is seldom done to large files. If
// neither applies: the start of `a` and the end of `b`, cut where both have the same bytes, at the
// same offset, or anywhere. At most `max_size` bytes.
Bytes CrossFiles(const MutatorParts& parts, ByteSpan a, ByteSpan b, size_t max_size, uint64_t seed);

// Edits bytes without knowledge of a format: flips, extreme integers, copies, insertions and cuts.
void EditBytes(Bytes& bytes, size_t max_size, ChoiceStream& choices);

}  // namespace anecheck
