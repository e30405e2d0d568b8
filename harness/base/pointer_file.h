// Pointers of version control that stand in place of large files: a clone without the large files
// holds them. Sources: the specification of Git LFS (docs/spec.md); git-annex's internals (pointer
// files).
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck {

// kNotFound where `content`, the whole of the file `path`, is a pointer; the message names the
// command that fetches the file. Every reader of whole files and every mapping asks this.
Status CheckNotPointer(const std::string& path, std::string_view content);

}  // namespace anecheck
