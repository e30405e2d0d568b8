// The record before the text of an .npy file's header. Used by the npz format.
#pragma once

#include "harness/base/byte_writer.h"
#include "harness/formats/npz/npy.h"
#include "harness/formats/record/typed_record.h"

namespace anecheck::npz {

// The version, which follows kMagic. The length of the text follows the version. It has 16 bits in
// version 1 and 32 bits in later versions.
inline constexpr auto kVersionRecord =
    RecordOf<Header>("NumPy, numpy.lib.format", FactEvidence::kPublicNotes,
                     Field{"major", &Header::major}, Field{"minor", &Header::minor});

// Reads the magic number, and the version into `header`. Returns the length of the text.
Result<uint64_t> ReadHeaderLength(ByteReader& reader, Header& header);

// Writes a header from its version and its text. The inverse of ReadHeader.
void WriteHeader(const Header& header, ByteWriter& writer);

}  // namespace anecheck::npz
