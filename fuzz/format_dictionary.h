// The dictionary of a format by its name, without the fuzz targets: for `anecheck gen --corpus`.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck::fuzz {

// The dictionary as the text that libFuzzer, AFL++ and other fuzzers read (MakeDictionary). Errors:
// kInvalid if no format has the name.
Result<std::string> DictionaryOfFormat(std::string_view name);

}  // namespace anecheck::fuzz
