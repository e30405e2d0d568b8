// Mutates files with knowledge of their format. Called by the custom mutators of libFuzzer and
// AFL++ and by `anecheck fuzz`. A seed gives the same change on every machine.
#pragma once

#include <cstdint>

#include "generators/formats/descriptor_generator.h"
#include "generators/formats/mutator/stream_cross.h"
#include "harness/formats/format.h"

namespace anecheck {

// Edits `size` bytes at `data` in place, as libFuzzer's LLVMFuzzerMutate does. Returns the new
// size, at most `max_size`.
using ByteEditor = size_t (*)(uint8_t* data, size_t size, size_t max_size);

struct MutatorParts {
  const Format* format = nullptr;                      // null: bytes only
  const DescriptorGenerator* generator = nullptr;      // null: no mutations by name
  Bytes (*generate)(ChoiceStream& choices) = nullptr;  // null: the generator's, if any
  ByteEditor edit_bytes = nullptr;                     // libFuzzer's editor; null: EditBytes
  StreamReader draw = nullptr;                         // set if files are choice streams
};

// Applies one change, which `seed` chooses. The change is a boundary mutation
// (generators/formats/boundary), a named mutation of the generator, an edit of the JSON form (which
// keeps lengths, offsets and checksums consistent), a word set to an extreme value, plain byte
// edits, or a new file. If the change does not apply or changes nothing, the function edits bytes
// instead. The result has at most `max_size` bytes.
Bytes MutateFile(const MutatorParts& parts, ByteSpan input, size_t max_size, uint64_t seed);

// As MutateFile, but makes only changes that use the format. These are a named mutation, an edit of
// the JSON form, or a new file. A call takes about as long as making the JSON form. Returns the
// input unchanged if no such change applies.
Bytes MutateStructure(const MutatorParts& parts, ByteSpan input, size_t max_size, uint64_t seed);

// Makes a child of two files. A child of choice streams has draws of both (CrossStreams). For files
// of a format, a part of the JSON form of `b` replaces the part of `a` that has the same name. The
// part is usually an object, an array or a run of an array's elements. Under libFuzzer few large
// files are crossed by their JSON forms. If neither way applies, the child is the beginning of `a`
// and the end of `b`. They are cut at equal bytes, at the same offset, or at random offsets. The
// result has at most `max_size` bytes.
Bytes CrossFiles(const MutatorParts& parts, ByteSpan a, ByteSpan b, size_t max_size, uint64_t seed);

// Edits bytes without knowledge of a format: flips, extreme integers, copies, insertions and cuts.
void EditBytes(Bytes& bytes, size_t max_size, ChoiceStream& choices);

}  // namespace anecheck
