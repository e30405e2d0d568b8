// UTF-8 and UTF-16 functions for the document readers and writers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck::tree {

// Returns the offset of the first byte that is not valid UTF-8, or text.size(). Overlong forms,
// surrogates and code points above U+10FFFF are not valid.
size_t FindInvalidUtf8(std::string_view text);

// Returns the offset of the first byte from `from` on that is one of `marks` or below `below` (up
// to 128), or text.size(). Processes eight bytes at a time, because readers and writers call it for
// each string. Precondition: `from` is at most text.size().
size_t FindMark(std::string_view text, size_t from, std::string_view marks, uint8_t below = 0);

// Appends `code_point` as UTF-8. Returns false for a surrogate or a number above U+10FFFF.
bool AppendUtf8(uint32_t code_point, std::string& out);

// Converts UTF-8 to UTF-16 code units. Precondition: `text` is valid UTF-8.
std::vector<uint16_t> Utf16FromUtf8(std::string_view text);
// Converts UTF-16 code units to UTF-8. An unpaired surrogate is an Error.
Result<std::string> Utf8FromUtf16(std::span<const uint16_t> units);

}  // namespace anecheck::tree
