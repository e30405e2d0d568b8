// Sets of generated files, and their recipes. A recipe has a file's seed, its mutations and the
// rule that it breaks, and the file can be made again from it. Used by `anecheck gen`.
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
  kValid,    // breaks no rule
  kMutated,  // one to three mutations of a valid file, with any effect; no file occurs twice
  // one mutation; the file breaks only the rule of its recipe, and the rule is an error
  kMustReject,
  // as kMustReject, but the rule is an assumption, so a parser that accepts the file may be right
  kMustWarn,
};
std::string_view FileSetModeName(FileSetMode mode);

// The generator of a format. The error lists the known formats.
Result<const DescriptorGenerator*> GeneratorOf(std::string_view format);

// Returns the suffix of the names of a format's files. If the content identifies the format, the
// suffix is the format's name. Else `inspect` recognises the format by the suffix.
std::string_view FileSuffix(std::string_view format);

// The description of one file. MakeFile makes the same bytes from it on every machine.
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

// Draws `count` recipes. Equal seeds give equal recipes. A set of kMustReject or kMustWarn uses all
// suitable mutations in turn, and covers all of them if `count` is at least their number. The
// function verifies that each file of such a set, read as its recipe states, breaks only the rule
// of the recipe. If a file does not parse, the error must name that rule first. If no file breaks
// only the rule, a file may also have warnings about facts that bytes do not determine
// ("...-open"). The error is kInternal if no file was found for a mutation, and kUnsupported if no
// mutation breaks a rule of the wanted kind.
Result<std::vector<FileRecipe>> DrawFileSet(const DescriptorGenerator& generator,
                                            const Format& format, FileSetMode mode, uint64_t count,
                                            uint64_t seed);

// Makes the file of a recipe. The error is kInvalid if a mutation is unknown or does not fit.
Result<Bytes> MakeFile(const DescriptorGenerator& generator, const FileRecipe& recipe);

// {"seed": 7, "format": "td:17", "mutations": [{"kind": "...", "parameters": [...]}], "breaks":
// "...", ...}
Json RecipeToJson(const FileRecipe& recipe);
Result<FileRecipe> RecipeFromJson(const Json& json);

}  // namespace anecheck
