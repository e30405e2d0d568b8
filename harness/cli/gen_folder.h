// Prepares the folder that `gen` writes to.
#pragma once

#include <string>

#include "harness/base/result.h"

namespace anecheck {

// Creates the folder if it is missing. Removes the files that the manifest of an earlier set in it
// names, so that a loop over the folder finds only new files. Other files stay. Errors: kIo.
Status PrepareSetFolder(const std::string& folder);

}  // namespace anecheck
