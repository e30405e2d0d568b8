// Detects pointer files of Git LFS and git-annex. In a clone without the large files, a pointer
// file is in the place of each large file. Sources: the specification of Git LFS (docs/spec.md);
// git-annex's internals (pointer files).
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck {

// `content` must be the whole content of the file `path`. Errors: kNotFound if `content` is a
// pointer; the message names the command that fetches the file. ReadFile and MappedFile call it.
Status CheckNotPointer(const std::string& path, std::string_view content);

}  // namespace anecheck
