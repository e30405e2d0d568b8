// The shape check's fast way: the same checks as shape.cc without a path for messages. A file that
// it accepts is sound; a file that it does not accept may still be, so the caller asks shape.cc
// then. Used by CheckShape alone.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/formats/flatbuffer/schema.h"
#include "harness/formats/flatbuffer/shape.h"
#include "harness/formats/format.h"

namespace anecheck::flatbuffer {

// True where the buffer is sound and its objects take no more bytes than it has twice over. Work is
// bounded by a multiple of bytes.size() and nothing is allocated.
bool IsQuicklySound(const Schema& schema, int16_t root, ByteSpan bytes, const BufferFrame& frame,
                    std::string_view identifier);

}  // namespace anecheck::flatbuffer
