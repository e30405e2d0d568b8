// Sets of generated files, and the manifest from which each file can be made again: its seed, its
// mutations and the rule that it breaks. Used by `anecheck gen`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generators/formats/registry/registry.h"
#include "harness/base/result.h"
#include "harness/formats/format.h"

namespace anecheck {

enum class FileSetMode : uint8_t {
  kValid,       // breaks no rule
  kMutated,     // one to three mutations of a valid file, with any effect; no file occurs twice
  kMustReject,  // one mutation; the file breaks only the rule that it names, which is an error
  kMustWarn,    // as kMustReject, with an assumed rule: a parser that accepts the file may be right
};
std::string_view FileSetModeName(FileSetMode mode);

// The generator of a format. The error lists the known formats.
Result<const DescriptorGenerator*> GeneratorOf(std::string_view format);

// The suffix of the names of a format's files, by which `inspect` recognises formats without a
// magic number. The format's name if the content identifies the format.
std::string_view FileSuffix(std::string_view format);

// One file as data: MakeFile makes the same bytes from it on every machine.
struct FileRecipe {
  uint64_t seed = 0;  // of the valid file's choice stream
  std::vector<Mutation> mutations;
  // The argument of `inspect --format` ("td:17"), if a version of the format reads the file with
  // fewer warnings than the format itself, or if the content does not identify the format; else
  // empty.
  std::string reading;
  std::string breaks;    // a rule of the format, or empty
  std::string severity;  // "error" or "warning" if `breaks` is set
};

// `count` recipes; equal seeds give equal recipes. A set that breaks rules uses the mutations of
// its kind one after the other, so that it covers all of them if `count` is at least their number.
// Each of its files, read as its recipe states, is verified to break only its rule. If a file does
// not parse, it must be refused for that rule first. Only if no such file is found may a file also
// have warnings about facts that bytes leave open ("...-open"). kInternal if a mutation makes no
// file, kUnsupported if no mutation breaks such a rule.
Result<std::vector<FileRecipe>> DrawFileSet(const DescriptorGenerator& generator,
                                            const Format& format, FileSetMode mode, uint64_t count,
                                            uint64_t seed);

// The bytes of a recipe. The error is kInvalid if a mutation is unknown or does not fit the file.
Result<Bytes> MakeFile(const DescriptorGenerator& generator, const FileRecipe& recipe);

// {"seed": 7, "format": "td:17", "mutations": [{"kind": "...", "parameters": [...]}], "breaks":
// "...", ...}
Json RecipeToJson(const FileRecipe& recipe);
Result<FileRecipe> RecipeFromJson(const Json& json);

}  // namespace anecheck
