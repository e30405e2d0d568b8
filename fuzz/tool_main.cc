// The program anecheck_fuzz_tool works with fuzz targets without libFuzzer. ctest replays every
// corpus with it in each build, and scripts make seeds and dictionaries with it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/dictionary.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/laws/law_report.h"
#include "fuzz/laws/laws.h"
#include "fuzz/seeds.h"
#include "harness/base/file.h"

namespace anecheck::fuzz {
namespace {

constexpr const char* kUsage =
    "usage: anecheck_fuzz_tool list\n"
    "       anecheck_fuzz_tool replay TARGET [--every-law] [--sampled] FILE-OR-FOLDER...\n"
    "       anecheck_fuzz_tool seeds TARGET FOLDER [COUNT [MAX-SIZE]]\n"
    "       anecheck_fuzz_tool dictionary TARGET\n"
    "       anecheck_fuzz_tool describe TARGET FILE...\n";

int Fail(std::string_view message) {
  fmt::print(stderr, "anecheck_fuzz_tool: error: {}\n", message);
  return 2;
}

// Returns every file in `path` and in the folders below it, sorted. Returns `path` if it is a file.
std::vector<std::string> FilesBelow(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

struct ReplayOptions {
  bool every_law = false;  // a law that was checked on no file is a fault
  bool sampled = false;    // laws are sampled as fuzzers sample them
  std::vector<std::string> paths;
};

// Returns nothing if an option is unknown.
std::optional<ReplayOptions> ReadReplayOptions(std::span<char* const> arguments) {
  ReplayOptions options;
  for (const std::string_view argument : arguments) {
    if (argument == "--every-law") {
      options.every_law = true;
    } else if (argument == "--sampled") {
      options.sampled = true;
    } else if (argument.starts_with("--")) {
      return std::nullopt;
    } else {
      options.paths.emplace_back(argument);
    }
  }
  return options;
}

int Replay(const FuzzTarget& target, const ReplayOptions& options) {
  CountLaws();
  TellTarget(target.name);
  if (options.sampled) SampleCostlyLaws();
  size_t replayed = 0;
  for (const std::string& path : options.paths) {
    for (const std::string& file : FilesBelow(path)) {
      const auto bytes = ReadFile(file);
      if (!bytes.ok()) return Fail(bytes.error().message);
      // Prints the name first, so that a crash can be attributed to the file.
      fmt::print("{}\n", file);
      std::fflush(stdout);
      // A copy of exactly this size, so that a sanitizer detects reads past its end.
      const Bytes exact(bytes->begin(), bytes->end());
      target.check(exact);
      ++replayed;
    }
  }
  fmt::print("{}: {} files replayed; checks of each law:\n{}", target.name, replayed,
             LawReport(target));
  if (replayed == 0) return Fail("no files to replay");
  const auto faults = options.every_law ? LawFaults(target) : std::vector<std::string>();
  for (const std::string& fault : faults) {
    fmt::print(stderr, "anecheck_fuzz_tool: error: {}\n", fault);
  }
  return faults.empty() ? 0 : 1;
}

// Writes the candidates to files in `folder`, and writes their names and reasons to `folder`.tsv.
int WriteSeeds(const FuzzTarget& target, const std::string& folder, uint64_t count,
               size_t max_size) {
  const Status made = MakeDirectories(folder);
  if (!made.ok()) return Fail(made.error().message);
  std::string manifest;
  for (const SeedCandidate& seed : MakeSeedCandidates(target, count, max_size)) {
    const Status written =
        WriteFileAtomic(folder + "/" + seed.name, std::span<const uint8_t>(seed.bytes));
    if (!written.ok()) return Fail(written.error().message);
    manifest += fmt::format("{}\t{}\n", seed.name, seed.reason);
  }
  const Status written = WriteFileAtomic(folder + ".tsv", std::string_view(manifest));
  return written.ok() ? 0 : Fail(written.error().message);
}

// Returns one short line that describes an input by the target's format.
std::string Description(const FuzzTarget& target, ByteSpan input) {
  if (target.format == nullptr || target.format->verify == nullptr) return "an input";
  const auto violations = target.format->verify(input);
  if (!violations.ok()) return violations.error().message;
  if (violations->empty()) return "valid";
  return fmt::format("breaks {}", violations->front().rule->id);
}

int Describe(const FuzzTarget& target, std::span<char* const> paths) {
  constexpr size_t kMaxLength = 110;
  for (const char* path : paths) {
    const auto bytes = ReadFile(path);
    if (!bytes.ok()) return Fail(bytes.error().message);
    std::string text = Description(target, *bytes);
    text.resize(std::min(text.size(), kMaxLength));
    for (char& c : text) c = c < ' ' || c > '~' ? '?' : c;
    fmt::print("{}\t{}\n", path, text);
  }
  return 0;
}

int List() {
  for (const FuzzTarget* target : AllTargets()) {
    fmt::print("{}\t{}\n", target->name,
               target->format == nullptr ? std::string_view("-") : target->format->name);
  }
  return 0;
}

int Main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "list" && argc == 2) return List();
  const FuzzTarget* target = argc > 2 ? FindTarget(argv[2]) : nullptr;
  if (argc > 2 && target == nullptr) return Fail(fmt::format("no target is called {}", argv[2]));
  if (command == "replay" && argc > 3) {
    const auto options = ReadReplayOptions(std::span(argv + 3, static_cast<size_t>(argc - 3)));
    if (options) return Replay(*target, *options);
  }
  if (command == "seeds" && argc >= 4 && argc <= 6) {
    return WriteSeeds(*target, argv[3], argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 200,
                      argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 65536);
  }
  if (command == "describe" && argc > 3) {
    return Describe(*target, std::span(argv + 3, static_cast<size_t>(argc - 3)));
  }
  if (command == "dictionary" && argc == 3) {
    fmt::print("{}", MakeDictionary(*target));
    return 0;
  }
  fmt::print(stderr, "{}", kUsage);
  return 2;
}

}  // namespace
}  // namespace anecheck::fuzz

int main(int argc, char** argv) { return anecheck::fuzz::Main(argc, argv); }
