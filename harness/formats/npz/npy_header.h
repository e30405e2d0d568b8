// The record before the text of an .npy file's header. Used by the npz format and its members.
#pragma once

#include "harness/base/byte_writer.h"
#include "harness/formats/npz/npy.h"
#include "harness/formats/record/typed_record.h"

namespace anecheck::npz {

// The version, behind kMagic. The length of the text follows. It is 16 bits wide in version 1 and
// 32 bits wide in later versions.
inline constexpr auto kVersionRecord =
    RecordOf<Header>("NumPy, numpy.lib.format", FactEvidence::kPublicNotes,
                     Field{"major", &Header::major}, Field{"minor", &Header::minor});

// Reads magic and version into `header`, and returns the length of the text.
Result<uint64_t> ReadHeaderLength(ByteReader& reader, Header& header);

// The inverse of ReadHeader, from version and text.
void WriteHeader(const Header& header, ByteWriter& writer);

}  // namespace anecheck::npz
