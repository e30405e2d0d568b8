// Prepares the folder that `gen` writes to.
#pragma once

#include <string>

#include "harness/base/result.h"

namespace anecheck {

// Creates the folder if it is missing. If it has the manifest of an earlier set, removes the files
// that the manifest names, so that a loop over the folder finds only new files. Leaves other files.
// Errors: kIo.
Status PrepareSetFolder(const std::string& folder);

}  // namespace anecheck
