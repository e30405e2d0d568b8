// The list of all formats (formats.def). Also finds the format of a file. Used by `inspect`,
// `encode`, `diff`, `gen` and the fuzz targets.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"

namespace anecheck {

std::span<const Format* const> AllFormats();

// Returns the format called `name`, which may be "td:<version>". The error lists the formats.
Result<const Format*> FindFormat(std::string_view name);

// Returns the format itself, and also a format for each of its versions if files do not contain the
// version.
std::vector<const Format*> ReadingsOf(const Format& format);

// Returns the format that recognises `bytes` with the highest certainty, or an error if no format
// does. `path` may be empty.
Result<const Format*> RecogniseFormat(ByteSpan bytes, std::string_view path);

}  // namespace anecheck
