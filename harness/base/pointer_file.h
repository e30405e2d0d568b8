// Pointer files of Git LFS and git-annex. A clone without the large files has such a pointer
// instead of each large file. Sources: the specification of Git LFS (docs/spec.md); git-annex's
// internals (pointer files).
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck {

// `content` must be the whole content of the file `path`. Errors: kNotFound if `content` is a
// pointer; the message names the command that fetches the file. Every reader of whole files and
// every mapping calls this.
Status CheckNotPointer(const std::string& path, std::string_view content);

}  // namespace anecheck
