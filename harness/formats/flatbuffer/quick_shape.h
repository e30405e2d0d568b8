// The fast form of the shape check. It makes the checks of shape.cc, but keeps no path for
// messages. A file that it accepts is valid. A file that it does not accept may still be valid, so
// the caller then runs the full check of shape.cc. Used only by CheckShape.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/formats/flatbuffer/schema.h"
#include "harness/formats/flatbuffer/shape.h"
#include "harness/formats/format.h"

namespace anecheck::flatbuffer {

// Returns true only if the shape of the buffer is valid. Also returns false if its objects together
// have more than about twice the size of the buffer. Takes O(bytes.size()) time and allocates
// nothing.
bool IsQuicklySound(const Schema& schema, int16_t root, ByteSpan bytes, const BufferFrame& frame,
                    std::string_view identifier);

}  // namespace anecheck::flatbuffer
