// Small text coders that the document readers share: UTF-8 and UTF-16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck::tree {

// The offset of the first byte that is not well-formed UTF-8 (overlong forms, surrogates and code
// points above U+10FFFF included), or text.size().
size_t FindInvalidUtf8(std::string_view text);

// The first place from `from` on that has one of `marks` or a byte below `below` (up to 128), or
// text.size(). Takes eight bytes at a time, because readers and writers call it for each string.
// Precondition: `from` is at most text.size().
size_t FindMark(std::string_view text, size_t from, std::string_view marks, uint8_t below = 0);

// Appends `code_point` as UTF-8; false for a surrogate or a number above U+10FFFF.
bool AppendUtf8(uint32_t code_point, std::string& out);

// UTF-8 to UTF-16 code units. Precondition: `text` is well formed.
std::vector<uint16_t> Utf16FromUtf8(std::string_view text);
// UTF-16 code units to UTF-8. An unpaired surrogate is an Error.
Result<std::string> Utf8FromUtf16(std::span<const uint16_t> units);

}  // namespace anecheck::tree
