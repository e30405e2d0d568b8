// Writes projects, ready to build, that fuzz a parser of a format under another fuzzer. `anecheck
// fuzz scaffold` calls this. Each row of the table in scaffold.cc is a fuzzer.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck::parserfuzz {

// "libfuzzer", "afl", "cargo-fuzz", "atheris", "clusterfuzzlite".
std::span<const std::string_view> ScaffoldKinds();

// Writes the project of `kind` for files of `format` to `folder`, and returns the next commands,
// one on each line, which the project's README.md lists too. The caller writes the seeds to
// `folder`/seeds and the dictionary to `folder`/seeds.dict. Errors: kInvalid for an unknown kind,
// naming the known ones, or if a file already exists; kIo.
Result<std::string> WriteScaffold(std::string_view kind, std::string_view format,
                                  const std::string& folder);

}  // namespace anecheck::parserfuzz
