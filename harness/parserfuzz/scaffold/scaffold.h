// Writes projects that are ready to build and fuzz a parser of a format with another fuzzer.
// `anecheck fuzz scaffold` calls this. Each row of the table in scaffold.cc is a fuzzer.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck::parserfuzz {

// "libfuzzer", "afl", "cargo-fuzz", "atheris", "clusterfuzzlite".
std::span<const std::string_view> ScaffoldKinds();

// Writes the project of `kind` for files of `format` to `folder`. Returns the commands that the
// user runs next, one on each line. The project's README.md lists them too. The caller writes the
// seeds to `folder`/seeds and the dictionary to `folder`/seeds.dict. The error is kInvalid if a
// file already exists or the kind is unknown, and kIo if a file cannot be written. The message for
// an unknown kind lists the known kinds.
Result<std::string> WriteScaffold(std::string_view kind, std::string_view format,
                                  const std::string& folder);

}  // namespace anecheck::parserfuzz
