#include "generators/formats/registry/file_set.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "harness/base/checksum.h"
#include "harness/base/hash.h"
#include "harness/base/json.h"
#include "harness/formats/registry/registry.h"

namespace anecheck {
namespace {

// The maximum number of tries to find a file to which a mutation applies. Each kind of mutation
// applies to a large share of files.
constexpr int kTries = 200;
constexpr uint64_t kMostDraws = 16;  // the maximum number of draws until a mutated file is new

// Mixes the bits, because files with neighbouring indices must not get similar choice streams.
uint64_t FileSeed(uint64_t seed, uint64_t index) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed ^ (index * kGoldenRatio64));
  return choices.Word();
}

Bytes ValidFile(const DescriptorGenerator& generator, uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return generator.generate(choices);
}

const MutationKind* FindKind(const DescriptorGenerator& generator, std::string_view id) {
  const auto found = std::ranges::find(generator.mutations, id, &MutationKind::id);
  return found == generator.mutations.end() ? nullptr : &*found;
}

// Applies one mutation of `kind` to `bytes` and records it; returns false if it does not apply.
bool Mutate(const MutationKind& kind, ChoiceStream& choices, Bytes* bytes, FileRecipe* recipe) {
  const std::optional<Mutation> mutation = kind.propose(*bytes, choices);
  if (!mutation) return false;
  Result<Bytes> mutated = kind.apply(*bytes, *mutation);
  if (!mutated.ok()) return false;
  *bytes = std::move(*mutated);
  recipe->mutations.push_back(*mutation);
  return true;
}

// Mutations require a file that parses. No mutation follows one that makes it unparsable.
FileRecipe MutatedRecipe(const DescriptorGenerator& generator, const Format& format, uint64_t seed,
                         Bytes& bytes) {
  FileRecipe recipe{.seed = seed};
  bytes = ValidFile(generator, seed);
  ChoiceStream choices = ChoiceStream::FromSeed(~seed);
  const uint64_t wanted = 1 + choices.Below(3);
  for (int i = 0; i < kTries && recipe.mutations.size() < wanted; ++i) {
    const MutationKind& kind = generator.mutations[choices.Below(generator.mutations.size())];
    if (Mutate(kind, choices, &bytes, &recipe) && !format.verify(bytes).ok()) break;
  }
  return recipe;
}

// The size and checksum of each file that was already made. They are the same on every machine.
using MadeFiles = std::set<std::pair<size_t, uint32_t>>;

// Tries up to kMostDraws times to make a file that differs from its origin and from all files
// already made. A draw can fail, because mutations that empty a file always give the same result
// and some mutations undo each other.
FileRecipe NewMutatedRecipe(const DescriptorGenerator& generator, const Format& format,
                            uint64_t seed, MadeFiles& made) {
  Bytes bytes;
  for (uint64_t i = 0;; ++i) {
    const uint64_t file_seed = i == 0 ? seed : FileSeed(seed, i);
    FileRecipe recipe = MutatedRecipe(generator, format, file_seed, bytes);
    const bool fresh = bytes != ValidFile(generator, file_seed) &&
                       made.insert({bytes.size(), Crc32(bytes)}).second;
    if (fresh || i == kMostDraws) return recipe;
  }
}

std::string_view SeverityOf(const Format& format, std::string_view rule) {
  const auto found = std::ranges::find(format.rules, rule, &Rule::id);
  const bool warns = found != format.rules.end() && found->evidence == FactEvidence::kAssumed;
  return warns ? "warning" : "error";
}

// Returns the kinds of mutation that break an error rule or, in kMustWarn, a warning rule.
std::vector<const MutationKind*> KindsThatBreak(const DescriptorGenerator& generator,
                                                const Format& format, FileSetMode mode) {
  const std::string_view wanted = mode == FileSetMode::kMustWarn ? "warning" : "error";
  std::vector<const MutationKind*> kinds;
  for (const MutationKind& kind : generator.mutations) {
    if (!kind.breaks_rule.empty() && SeverityOf(format, kind.breaks_rule) == wanted) {
      kinds.push_back(&kind);
    }
  }
  return kinds;
}

// The position of `id` in `text` as a separate word; npos if there is none.
size_t FindId(std::string_view text, std::string_view id) {
  const auto part_of_id = [&](size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '-');
  };
  size_t at = text.find(id);
  while (at != std::string_view::npos &&
         ((at > 0 && part_of_id(at - 1)) || part_of_id(at + id.size()))) {
    at = text.find(id, at + 1);
  }
  return at;
}

// Whether a file that does not parse is refused for `rule`. The error must name it first.
bool NamesFirst(const Format& format, std::string_view error, std::string_view rule) {
  const size_t at = FindId(error, rule);
  return at != std::string_view::npos && std::ranges::all_of(format.rules, [&](const Rule& other) {
           return other.id == rule || FindId(error, other.id) > at;
         });
}

// The violations that a file may have in addition to the rule that it breaks. Valid files too may
// have warnings about facts that no source settles ("...-open").
enum class Beside : uint8_t { kNothing, kOpenWarnings };

bool BreaksExactly(const Format& format, ByteSpan bytes, std::string_view rule, Beside beside) {
  const auto violations = format.verify(bytes);
  if (!violations.ok()) return NamesFirst(format, violations.error().message, rule);
  bool broken = false;
  for (const Violation& violation : *violations) {
    const bool same = violation.rule->id == rule;
    broken |= same;
    const bool open = violation.IsWarning() && violation.rule->id.ends_with("-open");
    if (!same && !(open && beside == Beside::kOpenWarnings)) return false;
  }
  return broken;
}

// Returns the name of the first version of the format (FileRecipe::reading) for which `holds` is
// true. The name of the format itself is empty. Returns nothing if there is no such version.
template <typename Holds>
std::optional<std::string> FindReading(const Format& format, Holds holds) {
  for (const Format* reading : ReadingsOf(format)) {
    if (holds(*reading)) return reading == &format ? std::string() : std::string(reading->name);
  }
  return std::nullopt;
}

FileRecipe ValidRecipe(const DescriptorGenerator& generator, const Format& format, uint64_t seed) {
  FileRecipe recipe{.seed = seed};
  const Bytes bytes = ValidFile(generator, seed);
  recipe.reading = FindReading(format, [&](const Format& reading) {
                     const auto violations = reading.verify(bytes);
                     return violations.ok() && violations->empty();
                   }).value_or("");
  return recipe;
}

Result<FileRecipe> BreakingRecipe(const DescriptorGenerator& generator, const Format& format,
                                  const MutationKind& kind, uint64_t seed) {
  std::optional<FileRecipe> with_warnings;
  for (uint64_t i = 0; i < kTries; ++i) {
    FileRecipe recipe{.seed = FileSeed(seed, i)};
    Bytes bytes = ValidFile(generator, recipe.seed);
    ChoiceStream choices = ChoiceStream::FromSeed(~recipe.seed);
    if (!Mutate(kind, choices, &bytes, &recipe)) continue;
    recipe.breaks = kind.breaks_rule;
    recipe.severity = SeverityOf(format, kind.breaks_rule);
    const auto alone = FindReading(format, [&](const Format& reading) {
      return BreaksExactly(reading, bytes, kind.breaks_rule, Beside::kNothing);
    });
    if (alone) {
      recipe.reading = *alone;
      return recipe;
    }
    if (with_warnings) continue;
    if (BreaksExactly(format, bytes, kind.breaks_rule, Beside::kOpenWarnings)) {
      with_warnings = std::move(recipe);
    }
  }
  if (with_warnings) return *with_warnings;
  return MakeError(ErrorCode::kInternal,
                   fmt::format("{}: {} made no file in {} that breaks {} alone; try another seed",
                               generator.format, kind.id, kTries, kind.breaks_rule));
}

// A mutation may remove the magic number of a format. Sets the reading of such a file to its
// format. Then the file is refused for the rule that it breaks, and not as a file of an unknown
// format.
Status NameUnrecognised(const DescriptorGenerator& generator, const Format& format,
                        FileRecipe* recipe) {
  if (!recipe->reading.empty()) return {};
  ANECHECK_ASSIGN(const Bytes bytes, MakeFile(generator, *recipe));
  const auto known = RecogniseFormat(bytes, fmt::format("file.{}", FileSuffix(format.name)));
  if (!known.ok() || *known != &format) recipe->reading = format.name;
  return {};
}

}  // namespace

std::string_view FileSetModeName(FileSetMode mode) {
  switch (mode) {
    case FileSetMode::kValid:
      return "valid";
    case FileSetMode::kMutated:
      return "mutated";
    case FileSetMode::kMustReject:
      return "must-reject";
    case FileSetMode::kMustWarn:
      return "must-warn";
  }
  return "unknown";
}

Result<const DescriptorGenerator*> GeneratorOf(std::string_view format) {
  if (const DescriptorGenerator* generator = FindGenerator(format)) return generator;
  std::string names;
  for (const DescriptorGenerator* generator : AllGenerators()) {
    names += names.empty() ? "" : ", ";
    names += generator->format;
  }
  return MakeError(ErrorCode::kNotFound,
                   fmt::format("there is no generator of \"{}\"; there are {}", format, names));
}

std::string_view FileSuffix(std::string_view format) {
  constexpr std::pair<std::string_view, std::string_view> kSuffixes[] = {
      {"espresso", "net"},  {"firmware", "csne"},      {"milweights", "weight.bin"},
      {"netlist", "plist"}, {"netweights", "weights"},
  };
  const auto found =
      std::ranges::find(kSuffixes, format, [](const auto& row) { return row.first; });
  return found == std::end(kSuffixes) ? format : found->second;
}

Result<std::vector<FileRecipe>> DrawFileSet(const DescriptorGenerator& generator,
                                            const Format& format, FileSetMode mode, uint64_t count,
                                            uint64_t seed) {
  const bool breaks = mode == FileSetMode::kMustReject || mode == FileSetMode::kMustWarn;
  const auto breaking =
      breaks ? KindsThatBreak(generator, format, mode) : std::vector<const MutationKind*>();
  if (breaks && breaking.empty()) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: no mutation breaks a rule that {}", generator.format,
                                 mode == FileSetMode::kMustWarn ? "only warns; give --must-reject"
                                                                : "is an error; give --must-warn"));
  }
  std::vector<FileRecipe> recipes;
  MadeFiles made;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t file_seed = FileSeed(seed, i);
    if (mode == FileSetMode::kMutated) {
      recipes.push_back(NewMutatedRecipe(generator, format, file_seed, made));
    } else if (breaks) {
      ANECHECK_ASSIGN(FileRecipe recipe,
                      BreakingRecipe(generator, format, *breaking[i % breaking.size()], file_seed));
      recipes.push_back(std::move(recipe));
    } else {
      recipes.push_back(ValidRecipe(generator, format, file_seed));
      continue;
    }
    ANECHECK_RETURN_IF_ERROR(NameUnrecognised(generator, format, &recipes.back()));
  }
  return recipes;
}

Result<Bytes> MakeFile(const DescriptorGenerator& generator, const FileRecipe& recipe) {
  Bytes bytes = ValidFile(generator, recipe.seed);
  for (const Mutation& mutation : recipe.mutations) {
    const MutationKind* kind = FindKind(generator, mutation.kind);
    if (kind == nullptr) {
      return MakeError(ErrorCode::kInvalid, fmt::format("mutations: {} has no mutation \"{}\"",
                                                        generator.format, mutation.kind));
    }
    ANECHECK_ASSIGN(bytes, kind->apply(bytes, mutation));
  }
  return bytes;
}

Json RecipeToJson(const FileRecipe& recipe) {
  Json json;
  json["seed"] = recipe.seed;
  if (!recipe.reading.empty()) json["format"] = recipe.reading;
  if (!recipe.mutations.empty()) json["mutations"] = Json::array();
  for (const Mutation& mutation : recipe.mutations) {
    json["mutations"].push_back({{"kind", mutation.kind}, {"parameters", mutation.parameters}});
  }
  if (!recipe.breaks.empty()) {
    json["breaks"] = recipe.breaks;
    json["severity"] = recipe.severity;
  }
  return json;
}

Result<FileRecipe> RecipeFromJson(const Json& json) {
  try {
    FileRecipe recipe{.seed = json.at("seed").get<uint64_t>()};
    if (json.contains("mutations")) {
      for (const Json& mutation : json.at("mutations")) {
        recipe.mutations.push_back({mutation.at("kind").get<std::string>(),
                                    mutation.at("parameters").get<std::vector<uint64_t>>()});
      }
    }
    recipe.reading = json.value("format", "");
    recipe.breaks = json.value("breaks", "");
    recipe.severity = json.value("severity", "");
    return recipe;
  } catch (const JsonError& error) {
    return MakeError(ErrorCode::kInvalid, fmt::format("files: {}", error.what()));
  }
}

}  // namespace anecheck
