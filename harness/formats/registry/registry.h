// The list of all formats (formats.def), and the recognition of a file's format. Used by `inspect`,
// `encode`, `diff`, `gen` and the fuzz targets.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"

namespace anecheck {

std::span<const Format* const> AllFormats();

// The format called `name`, or "td:<version>" for task chains of that version. The error lists the
// formats.
Result<const Format*> FindFormat(std::string_view name);

// The ways to read files of `format`: the format itself, and each of its versions if files do not
// contain the version.
std::vector<const Format*> ReadingsOf(const Format& format);

// The format that recognises `bytes` best; `path` may be empty. An error if none does.
Result<const Format*> RecogniseFormat(ByteSpan bytes, std::string_view path);

}  // namespace anecheck
