// The hardware containers of `anecheck check --container`.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"

namespace anecheck {

// The files among `paths`, and the .hwx files of the folders among them by their names. Errors:
// kNotFound for a folder without any.
Result<std::vector<std::string>> ContainersOf(const std::vector<std::string>& paths);

// The target whose containers have the generation of `path`. Errors name the file: those of reading
// and loading it.
Result<std::string> TargetOfContainer(const std::string& path);

}  // namespace anecheck
