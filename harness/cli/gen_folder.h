// The folder that `gen` writes to.
#pragma once

#include <string>

#include "harness/base/result.h"

namespace anecheck {

// Makes the folder where it is missing, and takes away the files that the manifest of an earlier
// set there names: else a parser's loop over the folder would meet them among the new ones. Other
// files stay. Errors: kIo.
Status PrepareSetFolder(const std::string& folder);

}  // namespace anecheck
