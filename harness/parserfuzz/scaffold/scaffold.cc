#include "harness/parserfuzz/scaffold/scaffold.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>

#include "harness/base/file.h"
#include "harness/base/shell_word.h"

namespace anecheck::scaffold_templates {
extern const std::string_view kAflMakefile;
extern const std::string_view kAflReadme;
extern const std::string_view kAtherisReadme;
extern const std::string_view kAtherisTarget;
extern const std::string_view kCTarget;
extern const std::string_view kCargoManifest;
extern const std::string_view kCargoReadme;
extern const std::string_view kCargoTarget;
extern const std::string_view kCfliteBuild;
extern const std::string_view kCfliteDockerfile;
extern const std::string_view kCfliteProject;
extern const std::string_view kCfliteReadme;
extern const std::string_view kLibfuzzerMakefile;
extern const std::string_view kLibfuzzerMutator;
extern const std::string_view kLibfuzzerReadme;
}  // namespace anecheck::scaffold_templates

namespace anecheck::parserfuzz {
namespace {

namespace templates = scaffold_templates;

struct TemplateFile {
  std::string_view kind;
  std::string_view path;
  const std::string_view* text;
};

constexpr auto kFiles = std::to_array<TemplateFile>({
    {"libfuzzer", "target.c", &templates::kCTarget},
    {"libfuzzer", "mutator.c", &templates::kLibfuzzerMutator},
    {"libfuzzer", "Makefile", &templates::kLibfuzzerMakefile},
    {"libfuzzer", "README.md", &templates::kLibfuzzerReadme},
    {"afl", "target.c", &templates::kCTarget},
    {"afl", "Makefile", &templates::kAflMakefile},
    {"afl", "README.md", &templates::kAflReadme},
    {"cargo-fuzz", "fuzz/Cargo.toml", &templates::kCargoManifest},
    {"cargo-fuzz", "fuzz/fuzz_targets/parse.rs", &templates::kCargoTarget},
    {"cargo-fuzz", "fuzz/README.md", &templates::kCargoReadme},
    {"atheris", "target.py", &templates::kAtherisTarget},
    {"atheris", "README.md", &templates::kAtherisReadme},
    {"clusterfuzzlite", "target.c", &templates::kCTarget},
    {"clusterfuzzlite", ".clusterfuzzlite/Dockerfile", &templates::kCfliteDockerfile},
    {"clusterfuzzlite", ".clusterfuzzlite/build.sh", &templates::kCfliteBuild},
    {"clusterfuzzlite", ".clusterfuzzlite/project.yaml", &templates::kCfliteProject},
    {"clusterfuzzlite", "README.md", &templates::kCfliteReadme},
});

constexpr std::string_view kKinds[] = {"libfuzzer", "afl", "cargo-fuzz", "atheris",
                                       "clusterfuzzlite"};

constexpr std::string_view kReadme = "README.md";
constexpr std::string_view kCommands = "```sh\n";
constexpr std::string_view kEndOfCommands = "```\n";

void Replace(std::string& text, std::string_view word, std::string_view by) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
    text.replace(at, word.size(), by);
  }
}

std::string Filled(std::string_view text, std::string_view format, const std::string& folder) {
  std::string filled(text);
  Replace(filled, "{{format}}", format);
  Replace(filled, "{{folder}}", ShellWord(folder));
  return filled;
}

// Returns the lines of the first block of commands in a README.
std::string CommandsOf(const std::string& readme) {
  const size_t fence = readme.find(kCommands);
  if (fence == std::string::npos) return "";
  const size_t begin = fence + kCommands.size();
  return readme.substr(begin, readme.find(kEndOfCommands, begin) - begin);
}

}  // namespace

std::span<const std::string_view> ScaffoldKinds() { return kKinds; }

Result<std::string> WriteScaffold(std::string_view kind, std::string_view format,
                                  const std::string& folder) {
  if (std::ranges::find(kKinds, kind) == std::end(kKinds)) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("--for: {} is none of {}", kind, fmt::join(kKinds, ", ")));
  }
  const auto ours = [&](const TemplateFile& file) { return file.kind == kind; };
  std::error_code none;
  for (const TemplateFile& file : kFiles) {
    const std::string path = fmt::format("{}/{}", folder, file.path);
    if (ours(file) && std::filesystem::exists(path, none)) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("{}: is there already; choose another folder, or remove the "
                                   "project's files from this one",
                                   path));
    }
  }
  // The commands of a README must not depend on the current folder.
  const auto whole = std::filesystem::absolute(folder, none).lexically_normal();
  std::string commands;
  for (const TemplateFile& file : kFiles) {
    if (!ours(file)) continue;
    const std::string path = fmt::format("{}/{}", folder, file.path);
    ANECHECK_RETURN_IF_ERROR(MakeDirectories(std::filesystem::path(path).parent_path().string()));
    const std::string text = Filled(*file.text, format, whole.string());
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(path, text));
    if (file.path.ends_with(kReadme)) commands = CommandsOf(text);
  }
  return commands;
}

}  // namespace anecheck::parserfuzz
