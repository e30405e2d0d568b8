// `anecheck gen`: makes files of a format that are valid, are mutated or break one rule. `gen
// --replay` makes the files of a manifest again.
#include <fmt/format.h>
#include <memory>
#include <numeric>

#include "generators/formats/pair/pair_generator.h"
#include "generators/formats/registry/file_set.h"
#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/gen_corpus.h"
#include "harness/cli/gen_folder.h"
#include "harness/cli/gen_graphs.h"
#include "harness/cli/typed_command.h"
#include "harness/cli/whole_number.h"
#include "harness/formats/registry/registry.h"

namespace anecheck {
namespace {

constexpr int kManifestVersion = 1;

struct GenFlags {
  std::string format;
  uint64_t count = 10;
  uint64_t seed = 1;
  std::string out;
  std::string target;  // the target of graphs; h13 if it is empty
  bool valid = false;  // the default
  bool mutated = false;
  bool must_reject = false;
  bool must_warn = false;
  bool pair = false;
  bool corpus = false;
  std::string replay;
  bool json = false;
};

FileSetMode ModeOf(const GenFlags& flags) {
  if (flags.must_reject) return FileSetMode::kMustReject;
  if (flags.must_warn) return FileSetMode::kMustWarn;
  return flags.mutated ? FileSetMode::kMutated : FileSetMode::kValid;
}

// Writes the files of the recipes and their manifest, and returns the manifest. `seed` is the seed
// of the recipes, or null if unknown.
Result<Json> WriteSet(const GenFlags& flags, const DescriptorGenerator& generator,
                      std::string_view mode, const Json& seed,
                      const std::vector<FileRecipe>& recipes) {
  ANECHECK_RETURN_IF_ERROR(PrepareSetFolder(flags.out));
  const std::string_view format = generator.format;
  Json manifest = {
      {"version", kManifestVersion}, {"format", format},      {"mode", mode}, {"seed", seed},
      {"count", recipes.size()},     {"files", Json::array()}};
  for (size_t i = 0; i < recipes.size(); ++i) {
    ANECHECK_ASSIGN(const Bytes bytes, MakeFile(generator, recipes[i]));
    const std::string name = fmt::format("{}_{:06}.{}", format, i, FileSuffix(format));
    ANECHECK_RETURN_IF_ERROR(
        WriteFileAtomic(flags.out + "/" + name, std::span<const uint8_t>(bytes)));
    Json entry = {{"file", name}, {"size", bytes.size()}};
    entry.update(RecipeToJson(recipes[i]));
    manifest["files"].push_back(std::move(entry));
  }
  ANECHECK_RETURN_IF_ERROR(
      WriteFileAtomic(flags.out + "/manifest.json", DumpJson(manifest, 1) + "\n"));
  return manifest;
}

Result<Json> Draw(const GenFlags& flags) {
  if (flags.format.empty()) {
    return MakeError(ErrorCode::kInvalid,
                     "name a format with --format, or a manifest with --replay");
  }
  ANECHECK_ASSIGN(const DescriptorGenerator* generator, GeneratorOf(flags.format));
  ANECHECK_ASSIGN(const Format* format, FindFormat(flags.format));
  ANECHECK_ASSIGN(const auto recipes,
                  DrawFileSet(*generator, *format, ModeOf(flags), flags.count, flags.seed));
  return WriteSet(flags, *generator, FileSetModeName(ModeOf(flags)), flags.seed, recipes);
}

// Writes one descriptor with its container for each seed.
Result<Json> WritePairs(const GenFlags& flags, const std::vector<uint64_t>& seeds,
                        const Json& seed) {
  ANECHECK_RETURN_IF_ERROR(PrepareSetFolder(flags.out));
  Json manifest = {
      {"version", kManifestVersion}, {"format", "pair"},      {"mode", "valid"}, {"seed", seed},
      {"count", seeds.size()},       {"files", Json::array()}};
  for (size_t i = 0; i < seeds.size(); ++i) {
    ChoiceStream choices = ChoiceStream::FromSeed(seeds[i]);
    const FilePair pair = GeneratePair(choices);
    const std::string name = fmt::format("pair_{:06}", i);
    ANECHECK_RETURN_IF_ERROR(
        WriteFileAtomic(flags.out + "/" + name + ".e5", std::span<const uint8_t>(pair.descriptor)));
    ANECHECK_RETURN_IF_ERROR(
        WriteFileAtomic(flags.out + "/" + name + ".hwx", std::span<const uint8_t>(pair.container)));
    manifest["files"].push_back({{"file", name}, {"seed", seeds[i]}});
  }
  ANECHECK_RETURN_IF_ERROR(
      WriteFileAtomic(flags.out + "/manifest.json", DumpJson(manifest, 1) + "\n"));
  return manifest;
}

Result<Json> DrawPairs(const GenFlags& flags) {
  ChoiceStream source = ChoiceStream::FromSeed(flags.seed);
  std::vector<uint64_t> seeds(flags.count);
  for (uint64_t& seed : seeds) seed = source.Word();
  return WritePairs(flags, seeds, flags.seed);
}

Result<Json> ReplayPairs(const GenFlags& flags, const Json& files, const Json& seed) {
  std::vector<uint64_t> seeds;
  for (const Json& entry : files) {
    if (!entry.is_object() || !entry.contains("seed") || !entry["seed"].is_number_unsigned()) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("{}: files: each needs the seed of its pair", flags.replay));
    }
    seeds.push_back(entry["seed"].get<uint64_t>());
  }
  return WritePairs(flags, seeds, seed);
}

Result<Json> Replay(const GenFlags& flags) {
  ANECHECK_ASSIGN(const std::string text, ReadTextFile(flags.replay));
  ANECHECK_ASSIGN(const Json manifest, ParseJson(text, flags.replay));
  const auto member = [&](const char* key) -> const Json& {
    static const Json none;
    return manifest.is_object() && manifest.contains(key) ? manifest[key] : none;
  };
  if (member("version") != kManifestVersion || !member("files").is_array() ||
      !member("format").is_string() || !(member("mode").is_string() || member("mode").is_null())) {
    return MakeError(ErrorCode::kInvalid, fmt::format("{}: is no manifest of version {}",
                                                      flags.replay, kManifestVersion));
  }
  if (member("format") == "graph") return ReplayGraphs(manifest, flags.replay, flags.out);
  if (member("format") == "pair") return ReplayPairs(flags, member("files"), member("seed"));
  ANECHECK_ASSIGN(const DescriptorGenerator* generator,
                  GeneratorOf(member("format").get<std::string>()));
  std::vector<FileRecipe> recipes;
  for (const Json& entry : manifest["files"]) {
    ANECHECK_ASSIGN(FileRecipe recipe, RecipeFromJson(entry));
    recipes.push_back(std::move(recipe));
  }
  const std::string mode = member("mode").is_null() ? "valid" : member("mode").get<std::string>();
  return WriteSet(flags, *generator, mode, member("seed"), recipes);
}

Result<Json> DrawGraphs(const GenFlags& flags) {
  if (flags.mutated || flags.must_warn) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{}: graphs have no such files; give --must-reject",
                                 flags.mutated ? "--mutated" : "--must-warn"));
  }
  std::vector<uint64_t> indices(flags.count);
  std::iota(indices.begin(), indices.end(), 0);
  const std::string target = flags.target.empty() ? "h13" : flags.target;
  return WriteGraphs({flags.seed, target, flags.must_reject}, indices, flags.out);
}

Result<Json> Make(const GenFlags& flags) {
  const bool graphs = flags.format == "graph" && !flags.pair;
  if (!flags.target.empty() && (!graphs || !flags.replay.empty())) {
    return MakeError(ErrorCode::kInvalid,
                     "--target: only graphs have a target; give --format graph or leave it out");
  }
  if (!flags.replay.empty()) return Replay(flags);
  if (graphs) return DrawGraphs(flags);
  return flags.pair ? DrawPairs(flags) : Draw(flags);
}

int RunCorpus(const GenFlags& flags, const std::string& typed) {
  if (flags.format.empty()) {
    return Fail(MakeError(ErrorCode::kInvalid, "--corpus: name a format with --format"));
  }
  Result<Json> written = WriteCorpus(flags.format, flags.seed, flags.out);
  if (!written.ok()) return Fail(written.error());
  if (flags.json) {
    (*written)["command"] = typed;
    Print(DumpJson(*written, 2));
  } else {
    PrintText(fmt::format("{} of {} in {}, dictionary {}\n  {}",
                          Counted((*written)["files"].size(), "seed"), flags.format, flags.out,
                          (*written)["dictionary"].get<std::string>(), typed));
  }
  return kExitClean;
}

int Run(const GenFlags& flags, const std::string& typed) {
  if (flags.corpus) return RunCorpus(flags, typed);
  const Result<Json> manifest = Make(flags);
  if (!manifest.ok()) return Fail(manifest.error());
  if (flags.json) {
    Json printed = *manifest;
    printed["command"] = typed;
    Print(DumpJson(printed, 2));
  } else {
    PrintText(fmt::format("wrote {} of {} to {}, with manifest.json; seed {}\n  {}",
                          Counted((*manifest)["count"].get<uint64_t>(),
                                  (*manifest)["mode"].get<std::string>() + " file"),
                          (*manifest)["format"].get<std::string>(), flags.out,
                          (*manifest)["seed"].dump(), typed));
  }
  return kExitClean;
}

}  // namespace

void AddGenCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("gen", "Generate files of a format, valid or broken");
  auto flags = std::make_shared<GenFlags>();
  CommandOption format = command.AddOption(
      "--format", flags->format,
      "Format, by the name that `inspect` prints, or graph: the graphs that `run` draws");
  CommandOption count = command.AddOption("--count", flags->count, "Number of files")
                            .Check(WholeNumber(1, 1000000))
                            .ShowDefault();
  CommandOption seed =
      command
          .AddOption("--seed", flags->seed, "Seed of the files; the same seed makes the same files")
          .Check(WholeNumber(0))
          .ShowDefault();
  command
      .AddOption("--out", flags->out,
                 "Folder to write to; files that the manifest of an earlier set names are removed")
      .Check(FileName())
      .Required();
  command.AddOption("--target", flags->target, "Target of graphs (default: h13)");
  CommandOption valid =
      command.AddFlag("--valid", flags->valid, "Make files that break no rule (the default)");
  CommandOption mutated =
      command.AddFlag("--mutated", flags->mutated, "Make files with one to three mutations each");
  CommandOption reject =
      command.AddFlag("--must-reject", flags->must_reject,
                      "Make files that each break exactly one rule, which the manifest names");
  CommandOption warn = command.AddFlag(
      "--must-warn", flags->must_warn,
      "Make files that each break one assumed rule; a parser may accept these files");
  valid.Excludes(mutated).Excludes(reject).Excludes(warn);
  mutated.Excludes(reject).Excludes(warn);
  reject.Excludes(warn);
  CommandOption pair = command.AddFlag(
      "--pair", flags->pair, "Make dispatch descriptors, each with its hardware container");
  pair.Excludes(mutated).Excludes(reject).Excludes(warn);
  CommandOption corpus = command.AddFlag(
      "--corpus", flags->corpus,
      "Make a small set of seeds for a fuzzer, and a dictionary beside the folder (OUT.dict)");
  corpus.Excludes(mutated).Excludes(reject).Excludes(warn).Excludes(pair).Excludes(count);
  command.AddOption("--replay", flags->replay, "Make the files of this manifest again")
      .Excludes(pair)
      .Excludes(corpus)
      .Excludes(format)
      .Excludes(count)
      .Excludes(seed)
      .Excludes(valid)
      .Excludes(mutated)
      .Excludes(reject)
      .Excludes(warn);
  command.AddFlag("--json", flags->json, "Print the manifest and the command that makes it again");
  command.Footer(
      "If the entry of a file in the manifest has a format, read the file with `inspect --format "
      "FORMAT`, because the content of such a file does not state its format: a task chain lacks "
      "its version.\nExample: anecheck gen --format hwx --count 100 --must-reject --out /tmp/hwx");
  command.WhenChosen([command, flags, &selected] {
    selected = [command, flags] {
      // A replayed manifest contains its own seeds.
      const bool drawn = flags->replay.empty();
      return Run(*flags, TypedCommand(command, drawn ? std::optional(flags->seed) : std::nullopt));
    };
  });
}

}  // namespace anecheck
