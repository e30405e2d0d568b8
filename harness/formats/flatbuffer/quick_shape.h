// The fast form of the shape check. It makes the checks of shape.cc, but keeps no path for
// messages. A file that it accepts is sound. A file that it does not accept may still be sound, so
// the caller then runs the full check of shape.cc. Used by CheckShape alone.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/formats/flatbuffer/schema.h"
#include "harness/formats/flatbuffer/shape.h"
#include "harness/formats/format.h"

namespace anecheck::flatbuffer {

// True if the buffer is sound and its objects take at most twice its bytes. Work is bounded by a
// multiple of bytes.size() and nothing is allocated.
bool IsQuicklySound(const Schema& schema, int16_t root, ByteSpan bytes, const BufferFrame& frame,
                    std::string_view identifier);

}  // namespace anecheck::flatbuffer
