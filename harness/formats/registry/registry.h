// The list of all formats (formats.def) and the guess which one a file is of. Used by `inspect`,
// `encode`, `diff`, `gen` and the fuzz targets.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"

namespace anecheck {

std::span<const Format* const> AllFormats();

// The format called `name`, or "td:<version>" for task chains read as of that version; the error
// lists those there are.
Result<const Format*> FindFormat(std::string_view name);

// The ways to read files of `format`: it, and each version of it if its bytes leave the version
// open.
std::vector<const Format*> ReadingsOf(const Format& format);

// The format that recognises `bytes` best; `path` may be empty. The error says that none does.
Result<const Format*> RecogniseFormat(ByteSpan bytes, std::string_view path);

}  // namespace anecheck
