// Sets of generated files and the manifest that makes each of them again: which seed, which
// mutations, which rule it breaks. Used by `anecheck gen`.
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
  kMutated,     // one to three mutations of a valid file, with whatever effect; no file twice
  kMustReject,  // one mutation; the file breaks the rule that it names and no other, an error
  kMustWarn,    // the same with a rule that rests on an assumption: whoever accepts it may be right
};
std::string_view FileSetModeName(FileSetMode mode);

// The generator of a format; the error lists those there are.
Result<const DescriptorGenerator*> GeneratorOf(std::string_view format);

// How the names of a format's files end, so that `inspect` knows those without a magic number. The
// format's name if the content tells the format.
std::string_view FileSuffix(std::string_view format);

// One file as data: Make gives its bytes anywhere.
struct FileRecipe {
  uint64_t seed = 0;  // of the valid file's choice stream
  std::vector<Mutation> mutations;
  // As `inspect --format` takes it where the generator's format reads the file with warnings that
  // one of its versions has not ("td:17"), or where no content tells its format; else empty.
  std::string reading;
  std::string breaks;    // a rule of the format, or empty
  std::string severity;  // "error" or "warning" where `breaks` is set
};

// `count` recipes, the same for the same seed. A set that breaks rules takes the mutations of its
// kind in turn, so that a count of at least their number shows each. Every file of it is verified
// to break its rule alone or, if it does not parse, to be refused for that rule first. This holds
// if the file is read as its recipe says. Only if no such file is found, a warning about facts that
// bytes leave open ("...-open") may stand beside it. kInternal where a mutation makes no file,
// kUnsupported where no mutation breaks such a rule.
Result<std::vector<FileRecipe>> DrawFileSet(const DescriptorGenerator& generator,
                                            const Format& format, FileSetMode mode, uint64_t count,
                                            uint64_t seed);

// The bytes of a recipe. kInvalid where a mutation is unknown or does not fit the file.
Result<Bytes> MakeFile(const DescriptorGenerator& generator, const FileRecipe& recipe);

// {"seed": 7, "format": "td:17", "mutations": [{"kind": "...", "parameters": [...]}], "breaks":
// "...", ...}
Json RecipeToJson(const FileRecipe& recipe);
Result<FileRecipe> RecipeFromJson(const Json& json);

}  // namespace anecheck
