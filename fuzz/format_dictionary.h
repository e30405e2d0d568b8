// The dictionary of a format for `anecheck gen --corpus`, which is linked without fuzz targets.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck::fuzz {

// Returns the dictionary of the format `name` as the text that libFuzzer, AFL++ and other fuzzers
// read (MakeDictionary). The error is kInvalid if no format has the name.
Result<std::string> DictionaryOfFormat(std::string_view name);

}  // namespace anecheck::fuzz
